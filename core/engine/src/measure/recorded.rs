//! Graphs recorded and planned by hand, without a traced function around them, for benchmarks of the planned executor.
//! `core/benches` times them, `core/tests/warm_calls.rs` counts their allocations.

use crate::Tensor;
use kernels::error::Result;

/// A recorded function of tensors with its plan, as a traced function keeps one: for benchmarks of the planned executor.
pub struct Recorded {
    plan: crate::graph::plan::Plan,
    text: String,
    captures: Vec<Tensor>,
}

impl Recorded {
    /// Records `f` on symbols like `examples` and compiles the plan.
    pub fn new(examples: &[&Tensor], f: impl FnOnce(&[Tensor]) -> Vec<Tensor>) -> Result<Self> {
        use crate::builder::Builder;
        use crate::graph::plan::Plan;
        use crate::ir::print::print;
        use crate::ir::sizes::Sizes;
        let builder = Builder::function("recorded");
        let params: Vec<Tensor> = examples.iter().map(|t| builder.param(t.ty())).collect();
        let closed = builder.record_in(|| builder.finish(&f(&params)))?;
        let types: Vec<_> = closed.graph.param_types().copied().collect();
        let text = Plan::optimised(&closed.graph, &types)?.map_or_else(String::new, |graph| print(&graph));
        match Plan::compile(&closed.graph, &Sizes::default())? {
            Some(plan) => Ok(Self { plan, text, captures: closed.captures }),
            None => Err(crate::Error::unimplemented("recorded", "the graph has no plan")),
        }
    }

    /// Runs the plan; inputs beyond the function's own come by themselves.
    pub fn call(&self, inputs: &[&Tensor]) -> Result<smallvec::SmallVec<[Tensor; 1]>> {
        self.plan.run(inputs.iter().map(|&t| t.clone()).chain(self.captures.iter().cloned()).collect())
    }

    /// The graph after all passes.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Records a loop over `start` while `test` holds; inside [`Recorded::new`] only.
pub fn repeat_while(
    start: &[&Tensor],
    test: impl FnOnce(&[Tensor]) -> Tensor,
    body: impl FnOnce(&[Tensor]) -> Vec<Tensor>,
) -> Vec<Tensor> {
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
