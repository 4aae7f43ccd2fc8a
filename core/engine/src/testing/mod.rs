//! Hidden hooks for the workspace's own tests: the list of operations, and gradient rules that can be made wrong.
//! `eagerflow-tests` proves with them that its tables have no gap and would notice a wrong sign.

mod open_sizes;

pub use open_sizes::{Naming, Open, record_open};

use crate::ops;
use crate::tape::Contribution;
use kernels::error::Result;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};

pub use kernels::moved::{Moved, moved};

/// The files of `ops/`, from the one list that names them.
pub fn operations() -> &'static [&'static str] {
    ops::FILES
}

/// The instruction set that the CPU kernels of this process use: `portable`, `avx2` or `avx512`.
pub fn cpu_path() -> &'static str {
    use kernels::backend::cpu::Isa;
    match Isa::current() {
        Isa::Portable => "portable",
        Isa::Avx2 => "avx2",
        Isa::Avx512 => "avx512",
    }
}

/// From now on, this thread runs loops over numbers operation by operation, or in registers again.
pub fn loops_in_registers(on: bool) {
    crate::graph::scalar_loop::set_off(!on);
}

/// How many loops this thread has run in registers so far.
pub fn loops_run_in_registers() -> u64 {
    crate::graph::scalar_loop::runs()
}

/// Set once a test of this process watches rules; without one, a rule costs a single load.
static IN_USE: AtomicBool = AtomicBool::new(false);

#[derive(Default)]
struct State {
    /// The operation and input whose cotangent gets the wrong sign.
    flipped: Option<(String, usize)>,
    /// The operations and inputs to which rules have given cotangents.
    seen: Vec<(String, usize)>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
    static WITHOUT_PLANS: Cell<bool> = const { Cell::new(false) };
}

/// Runs `body` with the graphs of this thread's calls run operation by operation, without passes and plans.
pub fn without_plans<R>(body: impl FnOnce() -> R) -> R {
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            WITHOUT_PLANS.set(self.0);
        }
    }
    IN_USE.store(true, Ordering::Relaxed);
    let _back = Back(WITHOUT_PLANS.replace(true));
    body()
}

/// As [`without_plans`], and loops over numbers run operation by operation too: graphs as they were recorded.
pub fn as_recorded<R>(body: impl FnOnce() -> R) -> R {
    struct Back;
    impl Drop for Back {
        fn drop(&mut self) {
            loops_in_registers(true);
        }
    }
    loops_in_registers(false);
    let _back = Back;
    without_plans(body)
}

/// Whether graphs run by their plans.
#[inline]
pub(crate) fn plans() -> bool {
    !IN_USE.load(Ordering::Relaxed) || !WITHOUT_PLANS.get()
}

/// From now on, on this thread, the rule of operation `op` gives input `index` a cotangent of the wrong sign.
pub fn flip_rule(flipped: Option<(&str, usize)>) {
    IN_USE.store(true, Ordering::Relaxed);
    STATE.with_borrow_mut(|state| state.flipped = flipped.map(|(op, index)| (op.to_string(), index)));
}

/// The operations and inputs to which rules on this thread gave cotangents since the last call.
pub fn rules_seen() -> Vec<(String, usize)> {
    IN_USE.store(true, Ordering::Relaxed);
    STATE.with_borrow_mut(|state| std::mem::take(&mut state.seen))
}

/// What a rule gave to an input, noted and perhaps falsified; the walk backwards calls it for every cotangent.
#[inline]
pub(crate) fn inspect(op: &str, index: usize, given: Contribution) -> Result<Contribution> {
    if IN_USE.load(Ordering::Relaxed) { falsify(op, index, given) } else { Ok(given) }
}

#[cold]
fn falsify(op: &str, index: usize, given: Contribution) -> Result<Contribution> {
    let flipped = STATE.with_borrow_mut(|state| {
        if !state.seen.iter().any(|(name, i)| name == op && *i == index) {
            state.seen.push((op.to_string(), index));
        }
        state.flipped.as_ref().is_some_and(|(name, i)| name == op && *i == index)
    });
    if !flipped {
        return Ok(given);
    }
    Ok(Contribution::Dense(ops::functions::try_multiply(given.into_dense()?, -1.0)?))
}

/// Runs `body` and gives what it printed on this thread: `println!` and its kin in traced functions, and `tf::print`.
pub fn captured<R>(body: impl FnOnce() -> R) -> (R, String) {
    ops::capture(body)
}

static ONE_BY_ONE: AtomicBool = AtomicBool::new(false);

/// From now on, kernels of traced functions are compiled one by one as they are needed, or together before again.
pub fn kernels_one_by_one(on: bool) {
    ONE_BY_ONE.store(on, Ordering::Relaxed);
}

/// Whether kernels of traced functions are compiled together.
pub(crate) fn kernels_together() -> bool {
    !ONE_BY_ONE.load(Ordering::Relaxed)
}

/// Compiles the kernels of the operations that `work` calls on a GPU, together; nothing is computed, and elements cannot be read.
/// Tensors that it makes must not outlive it.
pub fn compile_kernels_of(work: impl FnOnce()) -> Result<()> {
    kernels::backend::cuda::collect(work)
}

/// A recorded function of tensors with its plan, as a traced function keeps one: for benchmarks of the planned executor.
pub struct Recorded {
    plan: crate::graph::plan::Plan,
    text: String,
    captures: Vec<crate::Tensor>,
}

impl Recorded {
    /// Records `f` on symbols like `examples` and compiles the plan.
    pub fn new(examples: &[&crate::Tensor], f: impl FnOnce(&[crate::Tensor]) -> Vec<crate::Tensor>) -> Result<Self> {
        use crate::builder::Builder;
        use crate::graph::plan::Plan;
        use crate::ir::print::print;
        use crate::ir::sizes::Sizes;
        let builder = Builder::function("recorded");
        let params: Vec<crate::Tensor> = examples.iter().map(|t| builder.param(t.ty())).collect();
        let closed = builder.record_in(|| builder.finish(&f(&params)))?;
        let types: Vec<_> = closed.graph.param_types().copied().collect();
        let text = Plan::optimised(&closed.graph, &types)?.map_or_else(String::new, |graph| print(&graph));
        match Plan::compile(&closed.graph, &Sizes::default())? {
            Some(plan) => Ok(Self { plan, text, captures: closed.captures }),
            None => Err(crate::Error::unimplemented("recorded", "the graph has no plan")),
        }
    }

    /// Runs the plan; inputs beyond the function's own come by themselves.
    pub fn call(&self, inputs: &[&crate::Tensor]) -> Result<smallvec::SmallVec<[crate::Tensor; 1]>> {
        self.plan.run(inputs.iter().map(|&t| t.clone()).chain(self.captures.iter().cloned()).collect())
    }

    /// The graph after all passes.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Records a loop over `start` while `test` holds; inside [`Recorded::new`] only.
pub fn repeat_while(
    start: &[&crate::Tensor],
    test: impl FnOnce(&[crate::Tensor]) -> crate::Tensor,
    body: impl FnOnce(&[crate::Tensor]) -> Vec<crate::Tensor>,
) -> Vec<crate::Tensor> {
    use crate::builder;
    use crate::graph::control::While;
    let outer = builder::current().expect("a graph is being recorded");
    let [tests, rounds] = ["test", "body"].map(|name| outer.inside(name));
    let params = [&tests, &rounds].map(|b| start.iter().map(|t| b.param(t.ty())).collect::<Vec<_>>());
    let tests = tests.record_in(|| tests.finish(&[test(&params[0])])).expect("a legal test");
    let rounds = rounds.record_in(|| rounds.finish(&body(&params[1]))).expect("a legal body");
    assert!(tests.captures.is_empty() && rounds.captures.is_empty(), "values of the outside are to be carried");
    let carried = start.len();
    let op = While::new(tests.graph.into(), rounds.graph.into(), carried);
    crate::execute::execute(&op, start).expect("a legal loop").into_vec()
}
