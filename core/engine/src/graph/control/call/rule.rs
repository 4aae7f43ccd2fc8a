//! How a call is differentiated: the way forth that saves values, and the way back over them.
//! Tapes meet it in place of the call that they follow.

use super::{Call, Callable};
use crate::graph::differentiate::Pair;
use crate::ir::sizes::Known;
use crate::op::{Attr, Gradient, Infer, Kind, Op, Saves, identity};
use crate::tape::Backward;
use crate::tensor::{Tensor, TensorType};
use kernels::error::Result;
use std::sync::{Arc, PoisonError};

/// How a call is differentiated. Outputs: the bundle of saved values, then the results.
#[derive(Clone)]
pub(super) struct CallRule {
    pub called: Arc<Callable>,
    pub pair: Arc<Pair>,
    pub sizes: Known,
}

impl Op for CallRule {
    identity!("call", kept);

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("graph", Attr::Int(self.called.graph.id as i64));
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
        let given = if crate::execute::recording() && !self.sizes.is_empty() {
            // The graph being recorded may have sizes of the same names.
            pair.numbered(&self.sizes)?.way_back(&dys, &bundle, dbundle.as_ref())?
        } else if crate::execute::recording() {
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
            let all = crate::graph::control::gradient::cotangent_types(&self.pair.forward);
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
                // Calls are inlined before sums are looked for, so they need none handed in.
                let summed = vec![false; wanted.len()];
                let body = Callable::new(Arc::new(self.pair.body("gradient", second, &wanted, &types, &summed)?));
                self.called.ways.lock().unwrap_or_else(PoisonError::into_inner).push((key, body.clone()));
                body
            }
        };
        let mut inputs: Vec<&Tensor> = dys.iter().collect();
        inputs.push(bundle);
        inputs.extend(dbundle);
        let results = crate::execute::execute(&Call { callable, sizes: self.sizes.clone() }, &inputs)?;
        let mut given = vec![None; way.given.len()];
        wanted.into_iter().zip(results).for_each(|(i, dx)| given[i] = Some(dx));
        Ok(given)
    }
}
