//! `call`: runs a graph, as eager code does when it calls a traced function. Its gradient runs the graph in the form that
//! saves intermediate values, and then the graph backwards; both are made once.

use super::gradient::pack;
use super::report;
use crate::backend::cuda;
use crate::error::Result;
use crate::graph::Graph;
use crate::graph::captured::Placed;
use crate::graph::differentiate::{Pair, differentiate, replay};
use crate::graph::misfit;
use crate::graph::on_device;
use crate::graph::passes::{optimise, outline::outline};
use crate::graph::plan::Plan;
use crate::graph::run::{self, reads_param};
use crate::graph::sizes::{Known, Sizes};
use crate::op::{Attr, Flow, Gradient, Infer, Kind, Op, OpRef, Operands, Outputs, Saves, identity};
use crate::tape::{Backward, Unseen};
use crate::tensor::{Tensor, TensorType};
use std::panic::Location;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A graph with the plans and gradients made of it so far.
pub(crate) struct Callable {
    pub graph: Arc<Graph>,
    /// The plan where all sizes are known.
    only: OnceLock<Option<Arc<Plan>>>,
    /// Plans by the types of the operands, the one used last first.
    plans: Mutex<Vec<Planned>>,
    /// As the plans, for calls that belong on a GPU.
    placed: Mutex<Vec<Arc<Placed>>>,
    symbolic: bool,
    /// Whether a guard in the traced function asks for a GPU: plans are the CPU's.
    asks: bool,
    /// What runs node by node where there is no plan, made when it is first needed.
    segmented: OnceLock<Arc<Graph>>,
    /// By the parameters that need a gradient.
    pairs: Mutex<Vec<(Vec<bool>, Arc<Pair>)>>,
    /// The ways back, to be called in turn.
    ways: Mutex<Vec<(u64, Arc<Callable>)>>,
}

impl Callable {
    pub fn new(graph: Arc<Graph>) -> Arc<Self> {
        let symbolic = graph.is_open();
        let asks = graph.devices().iter().any(|device| device.gpu_index().is_some());
        Arc::new(Self {
            graph,
            only: OnceLock::new(),
            plans: Mutex::default(),
            placed: Mutex::default(),
            symbolic,
            asks,
            segmented: OnceLock::new(),
            pairs: Mutex::default(),
            ways: Mutex::default(),
        })
    }

    /// A part of a graph in segments, which is not divided further.
    pub fn part_of_one(graph: Arc<Graph>) -> Arc<Self> {
        let this = Self::new(graph);
        let _ = this.segmented.set(this.graph.clone());
        this
    }

    /// Runs the graph: by its plan for operands of these types, or operation by operation where sizes depend on values.
    pub fn run(&self, inputs: Operands, known: &Known) -> Result<Outputs> {
        if cuda::capturing() {
            let placed = cuda::aside(|| self.on_device(&inputs, known))?;
            return run::run(placed.within_a_capture()?, inputs, &Sizes::of(known));
        }
        if self.asks || on_device::placed(&inputs) {
            let outputs = self.on_device(&inputs, known)?.run(inputs)?;
            // Whoever reads a result on the host does not wait for the device, where an assertion may have failed.
            if outputs.iter().any(|output| !output.is_away()) {
                cuda::await_assertions()?;
            }
            return Ok(outputs);
        }
        let own;
        let plan = match self.symbolic {
            _ if !crate::__testing::plans() => &None,
            // Not a handle of its own: counting handles is a tenth of the shortest calls.
            false => self.only.get_or_init(|| plan(&self.graph, &[], known).unwrap_or(None)),
            true => {
                own = self.plan_for(&inputs, known)?;
                &own
            }
        };
        match plan {
            Some(plan) => plan.run(inputs),
            None => run::run(self.segmented(), inputs, &Sizes::of(known)),
        }
    }

    /// The graph as it runs operation by operation on a GPU, with as few kernels as possible.
    fn on_device(&self, inputs: &Operands, known: &Known) -> Result<Arc<Placed>> {
        let suits =
            |p: &Arc<Placed>| p.known == *known && p.types.iter().zip(inputs).all(|(ty, input)| ty == input.ty());
        let mut placed = self.placed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = placed.iter().position(suits) {
            placed[..=at].rotate_right(1);
            return Ok(placed[0].clone());
        }
        drop(placed);
        let sizes = Sizes::of(known);
        for (ty, actual) in self.graph.param_types().zip(inputs) {
            sizes.learn(ty, actual.shape());
        }
        let types = on_device::types_of(inputs);
        misfit::check(&self.graph, &sizes, &|| types.clone())?;
        let graph = match on_device::ready(&self.graph, &types, inputs, &sizes)? {
            Some(graph) => Arc::new(graph),
            None => Arc::new(self.segmented().clone()),
        };
        placed = self.placed.lock().unwrap_or_else(PoisonError::into_inner);
        placed.truncate(MOST_PLANS - 1);
        let made = Arc::new(Placed::new(types, known.clone(), graph));
        placed.insert(0, made.clone());
        Ok(made)
    }

    /// The plan that serves all calls, once it is made.
    #[inline]
    pub fn only_plan(&self) -> Option<&Plan> {
        match self.only.get() {
            Some(Some(plan)) if crate::__testing::plans() => Some(plan),
            _ => None,
        }
    }

    /// What the last call ran, as text: its plan, or those of its segments and what runs operation by operation between them;
    /// how it runs on a GPU, if it did.
    pub fn report(&self) -> Option<String> {
        let placed = self.placed.lock().unwrap_or_else(PoisonError::into_inner).first().cloned();
        if let Some(placed) = placed {
            return Some(placed.report());
        }
        match self.planned() {
            Some(plan) => Some(plan.report()),
            None => Some(report::segments(self.segmented.get()?)),
        }
    }

    /// The plan used last, if there is one.
    pub fn planned(&self) -> Option<Arc<Plan>> {
        match self.symbolic {
            false => self.only.get()?.clone(),
            true => self.plans.lock().unwrap_or_else(PoisonError::into_inner).first()?.plan.clone(),
        }
    }

    /// The graph with plans for what can have one.
    fn segmented(&self) -> &Graph {
        if !crate::__testing::plans() {
            return &self.graph;
        }
        self.segmented.get_or_init(|| {
            // Whatever a pass cannot do, the graph as it was recorded runs.
            let outlined = || outline(&optimise(&self.graph)?);
            outlined().ok().flatten().map_or_else(|| self.graph.clone(), Arc::new)
        })
    }

    fn plan_for(&self, inputs: &Operands, known: &Known) -> Result<Option<Arc<Plan>>> {
        let suits = |p: &Planned| p.known == *known && p.types.iter().zip(inputs).all(|(ty, input)| ty == input.ty());
        {
            let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = plans.iter().position(suits) {
                plans[..=at].rotate_right(1);
                return Ok(plans[0].plan.clone());
            }
            // Shapes that change with every call are not worth a plan each.
            if plans.len() >= MOST_PLANS {
                return Ok(None);
            }
        }
        let types: Vec<TensorType> = inputs.iter().map(|t| *t.ty()).collect();
        let plan = plan(&self.graph, &types, known)?;
        self.plans
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(0, Planned { types, known: known.clone(), plan: plan.clone() });
        Ok(plan)
    }

    /// A graph that belongs to this one, such as its gradient, with plans of its own.
    fn part(&self, graph: &Arc<Graph>) -> Arc<Callable> {
        let mut ways = self.ways.lock().unwrap_or_else(PoisonError::into_inner);
        match ways.iter().find(|(id, _)| *id == graph.id) {
            Some((_, part)) => part.clone(),
            None => {
                let part = Self::new(graph.clone());
                ways.push((graph.id, part.clone()));
                part
            }
        }
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

/// A plan, if there can be one, with what it is for.
struct Planned {
    types: Vec<TensorType>,
    known: Known,
    plan: Option<Arc<Plan>>,
}

/// How many shapes of one trace get plans of their own.
const MOST_PLANS: usize = 8;

/// The plan of a graph for operands of these types, if there is one.
fn plan(graph: &Graph, types: &[TensorType], known: &Known) -> Result<Option<Arc<Plan>>> {
    let sizes = Sizes::of(known);
    for (ty, actual) in graph.param_types().zip(types) {
        sizes.learn(ty, &actual.shape);
    }
    misfit::check(graph, &sizes, &|| types.to_vec())?;
    Ok(Plan::compile(graph, &sizes)?.map(Arc::new))
}

/// Inputs and outputs: the graph's parameters and results.
#[derive(Clone)]
pub(crate) struct Call {
    pub callable: Arc<Callable>,
    /// Numbers of open sizes that do not follow from the operands: a way back has those of the way forth.
    pub sizes: Known,
}

impl Call {
    pub fn new(callable: Arc<Callable>) -> Self {
        Self { callable, sizes: Known::new() }
    }

    /// The open sizes as far as they follow from operands.
    fn learned(&self, inputs: &[&Tensor]) -> Known {
        let sizes = Sizes::of(&self.sizes);
        for (ty, input) in self.callable.graph.param_types().zip(inputs) {
            sizes.learn(ty, input.shape());
        }
        sizes.into_known()
    }
}

impl Op for Call {
    identity!("call", kept);

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("graph", Attr::Int(self.callable.graph.id as i64));
        self.sizes.iter().for_each(|(_, number)| visit("size", Attr::Int(*number as i64)));
    }

    fn kind(&self) -> Kind {
        Kind::Host
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        for ty in self.callable.graph.result_types() {
            super::cond::output_seen(cx, ty)?;
        }
        Ok(())
    }

    fn bodies(&self) -> smallvec::SmallVec<[&Arc<Graph>; 2]> {
        smallvec::smallvec![&self.callable.graph]
    }

    fn flow(&self) -> Option<Flow> {
        Some(Flow::Call)
    }

    fn reads(&self, index: usize) -> bool {
        reads_param(&self.callable.graph, index)
    }

    fn host(&self, inputs: Operands, _: &Sizes<'_>) -> Result<Outputs> {
        self.callable.run(inputs, &self.sizes).map(distinct)
    }

    fn run_for_gradient(
        &self,
        inputs: &[&Tensor],
        needs: &[bool],
        _: &'static Location<'static>,
    ) -> Result<Option<(OpRef, Outputs)>> {
        let pair = self.callable.pair(needs)?;
        let sizes = self.learned(inputs);
        let _unseen = Unseen::start();
        let mut results = if crate::execute::recording() {
            replay(&pair.forward, &inputs.iter().map(|&t| t.clone()).collect::<Vec<_>>())?
        } else {
            {
                let inputs = inputs.iter().map(|&t| t.clone()).collect();
                distinct(self.callable.part(&pair.forward).run(inputs, &sizes)?).into_vec()
            }
        };
        let saved = results.split_off(pair.results);
        let mut outputs = Outputs::new();
        outputs.push(pack(&saved)?);
        outputs.extend(results);
        let rule = CallRule { called: self.callable.clone(), pair, sizes };
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
    sizes: Known,
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
        let results = crate::execute::execute(&Call { callable, sizes: self.sizes.clone() }, &inputs)?;
        let mut given = vec![None; way.given.len()];
        wanted.into_iter().zip(results).for_each(|(i, dx)| given[i] = Some(dx));
        Ok(given)
    }
}
