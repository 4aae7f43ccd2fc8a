//! A graph that can be called: it keeps the plans, by the types of the operands, and the gradients that were made of it.
//! Calls of traced functions, ways back and parts of graphs run through one.

use crate::execute::checks_numerics;
use crate::graph::captured::Placed;
use crate::graph::control::report;
use crate::graph::differentiate::{Pair, differentiate};
use crate::graph::on_device;
use crate::graph::passes::{optimise, outline::outline};
use crate::graph::plan::Plan;
use crate::graph::run;
use crate::graph::size_mismatch;
use crate::graph::switches::plans;
use crate::ir::Graph;
use crate::ir::sizes::{Known, Sizes};
use crate::op::{Operands, Outputs};
use crate::tensor::TensorType;
use kernels::backend::cuda;
use kernels::error::Result;
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
    pub(super) ways: Mutex<Vec<(u64, Arc<Callable>)>>,
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
            // Its constants are used by the recording, also when other types have long taken its place here.
            cuda::hold(placed.clone())?;
            return run::run(placed.within_a_capture()?, inputs, &Sizes::of(known));
        }
        if checks_numerics() {
            // As it was recorded, so that no fused loop hides which operation it was.
            return run::run(&self.graph, inputs, &Sizes::of(known));
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
            _ if !plans() => &None,
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
        size_mismatch::check(&self.graph, &sizes, &|| types.clone())?;
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
            Some(Some(plan)) if plans() => Some(plan),
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

    /// The graph after the passes that need no sizes; as it was recorded where one of them fails.
    pub fn optimised(&self) -> Arc<Graph> {
        optimise(&self.graph).map_or_else(|_| self.graph.clone(), Arc::new)
    }

    /// The graph with plans for what can have one.
    fn segmented(&self) -> &Graph {
        if !plans() {
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
    pub(super) fn part(&self, graph: &Arc<Graph>) -> Arc<Callable> {
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

    pub(super) fn pair(&self, needs: &[bool]) -> Result<Arc<Pair>> {
        let found =
            |pairs: &Vec<(Vec<bool>, Arc<Pair>)>| pairs.iter().find(|(n, _)| n == needs).map(|(_, p)| p.clone());
        if let Some(pair) = found(&self.pairs.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(pair);
        }
        // Not under the lock: differentiating records operations, which is long.
        let pair = Arc::new(differentiate(&self.graph, needs, usize::MAX)?);
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
    size_mismatch::check(graph, &sizes, &|| types.to_vec())?;
    Ok(Plan::compile(graph, &sizes)?.map(Arc::new))
}
