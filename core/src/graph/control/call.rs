//! `call`: runs a graph, as eager code does when it calls a traced function. Its gradient runs the graph in the form that
//! saves intermediate values, and then the graph backwards; both are made once.

use super::gradient::pack;
use crate::error::Result;
use crate::graph::Graph;
use crate::graph::differentiate::{Pair, differentiate, replay};
use crate::graph::run::{self, reads_param};
use crate::graph::sizes::Sizes;
use crate::op::{Attr, Flow, Gradient, Infer, Kind, Op, OpRef, Operands, Outputs, Saves};
use crate::tape::{Backward, Unseen};
use crate::tensor::{Tensor, TensorType};
use std::panic::Location;
use std::sync::{Arc, Mutex, PoisonError};

/// A graph with the gradients made of it so far.
pub(crate) struct Callable {
    pub graph: Arc<Graph>,
    /// By the parameters that need a gradient.
    pairs: Mutex<Vec<(Vec<bool>, Arc<Pair>)>>,
    /// The ways back, to be called in turn.
    ways: Mutex<Vec<(u64, Arc<Callable>)>>,
}

impl Callable {
    pub fn new(graph: Arc<Graph>) -> Arc<Self> {
        Arc::new(Self { graph, pairs: Mutex::default(), ways: Mutex::default() })
    }

    fn pair(&self, needs: &[bool]) -> Result<Arc<Pair>> {
        let found =
            |pairs: &Vec<(Vec<bool>, Arc<Pair>)>| pairs.iter().find(|(n, _)| n == needs).map(|(_, p)| p.clone());
        if let Some(pair) = found(&self.pairs.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(pair);
        }
        // Not under the lock: differentiating records operations, which is long.
        let pair = Arc::new(differentiate(&self.graph, needs)?);
        let mut pairs = self.pairs.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(found(&pairs).unwrap_or_else(|| {
            pairs.push((needs.to_vec(), pair.clone()));
            pair
        }))
    }
}

/// Inputs and outputs: the graph's parameters and results.
#[derive(Clone)]
pub(crate) struct Call(pub Arc<Callable>);

impl Op for Call {
    fn name(&self) -> &'static str {
        "call"
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("graph", Attr::Int(self.0.graph.id as i64));
    }

    fn keep(&self) -> OpRef {
        OpRef::Shared(Arc::new(self.clone()))
    }

    fn as_dyn(&self) -> &dyn Op {
        self
    }

    fn kind(&self) -> Kind {
        Kind::Host
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        for ty in self.0.graph.result_types() {
            super::cond::output_seen(cx, ty)?;
        }
        Ok(())
    }

    fn bodies(&self) -> smallvec::SmallVec<[&Arc<Graph>; 2]> {
        smallvec::smallvec![&self.0.graph]
    }

    fn flow(&self) -> Option<Flow> {
        Some(Flow::Call)
    }

    fn reads(&self, index: usize) -> bool {
        reads_param(&self.0.graph, index)
    }

    fn host(&self, inputs: Operands, sizes: &Sizes<'_>) -> Result<Outputs> {
        run::run(&self.0.graph, inputs, sizes).map(distinct)
    }

    fn run_for_gradient(
        &self,
        inputs: &[&Tensor],
        needs: &[bool],
        _: &'static Location<'static>,
    ) -> Result<Option<(OpRef, Outputs)>> {
        let pair = self.0.pair(needs)?;
        let _unseen = Unseen::start();
        let mut results = if crate::execute::recording() {
            replay(&pair.forward, &inputs.iter().map(|&t| t.clone()).collect::<Vec<_>>())?
        } else {
            distinct(run::run(&pair.forward, inputs.iter().map(|&t| t.clone()).collect(), &Sizes::default())?)
                .into_vec()
        };
        let saved = results.split_off(pair.results);
        let mut outputs = Outputs::new();
        outputs.push(pack(&saved)?);
        outputs.extend(results);
        let rule = CallRule { called: self.0.clone(), pair };
        Ok(Some((OpRef::Shared(Arc::new(rule)), outputs)))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

/// Gives results that others hold too, such as an operand handed through, an identity of their own: a tape tells tensors
/// apart by it.
pub(crate) fn distinct(mut results: Outputs) -> Outputs {
    for result in &mut results {
        if !result.is_unique() && result.dtype().size() > 0 {
            *result = result.alias();
        }
    }
    results
}

/// How a call is differentiated. Outputs: the bundle of saved values, then the results.
#[derive(Clone)]
struct CallRule {
    called: Arc<Callable>,
    pair: Arc<Pair>,
}

impl Op for CallRule {
    fn name(&self) -> &'static str {
        "call"
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("graph", Attr::Int(self.called.graph.id as i64));
    }

    fn keep(&self) -> OpRef {
        OpRef::Shared(Arc::new(self.clone()))
    }

    fn as_dyn(&self) -> &dyn Op {
        self
    }

    fn kind(&self) -> Kind {
        Kind::Host
    }

    fn infer(&self, _: &mut Infer<'_>) -> Result<()> {
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::outputs(&[0])
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let pair = &self.pair;
        let bundle = g.output(0)?.clone();
        let dbundle = g.dy_or_none(0).cloned();
        let mut dys = Vec::new();
        for &i in &pair.dys {
            dys.push(g.dy(1 + i)?);
        }
        let given = if crate::execute::recording() {
            pair.way_back(&dys, &bundle, dbundle.as_ref())?
        } else {
            self.run_back(dys, &bundle, dbundle.as_ref())?
        };
        for (i, dx) in given.into_iter().enumerate() {
            if let Some(dx) = dx.filter(|_| g.needs(i)) {
                g.give(i, dx);
            }
        }
        Ok(())
    }
}

impl CallRule {
    /// The way back as a call of its own graph.
    fn run_back(&self, dys: Vec<Tensor>, bundle: &Tensor, dbundle: Option<&Tensor>) -> Result<Vec<Option<Tensor>>> {
        let second = dbundle.is_some();
        let way = self.pair.way(second);
        let wanted: Vec<usize> = (0..way.given.len()).filter(|&i| way.given[i].is_some()).collect();
        let types: Vec<TensorType> = {
            let all = super::gradient::cotangent_types(&self.pair.forward);
            wanted.iter().map(|&i| all[i]).collect()
        };
        let key = way.graph.id;
        let known = {
            let ways = self.called.ways.lock().unwrap_or_else(PoisonError::into_inner);
            ways.iter().find(|(id, _)| *id == key).map(|(_, way)| way.clone())
        };
        let callable = match known {
            Some(callable) => callable,
            None => {
                let body = Callable::new(Arc::new(self.pair.body("gradient", second, &wanted, &types)?));
                self.called.ways.lock().unwrap_or_else(PoisonError::into_inner).push((key, body.clone()));
                body
            }
        };
        let mut inputs: Vec<&Tensor> = dys.iter().collect();
        inputs.push(bundle);
        inputs.extend(dbundle);
        let results = crate::execute::execute(&Call(callable), &inputs)?;
        let mut given = vec![None; way.given.len()];
        wanted.into_iter().zip(results).for_each(|(i, dx)| given[i] = Some(dx));
        Ok(given)
    }
}
