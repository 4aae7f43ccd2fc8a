//! `call`: runs a graph, as eager code does when it calls a traced function. Its gradient runs the graph in the form that
//! saves intermediate values, and then the graph backwards; both are made once.

use super::gradient::pack;
use crate::graph::differentiate::replay;
use crate::graph::run::reads_param;
use crate::ir::Graph;
use crate::ir::sizes::{Known, Sizes};
use crate::op::{Attr, ControlOp, Flow, Gradient, Infer, Kind, Op, OpRef, Operands, Outputs, identity};
use crate::tape::Unseen;
use crate::tensor::Tensor;
use kernels::error::Result;
use std::panic::Location;
use std::sync::Arc;

mod callable;
mod rule;

pub(crate) use callable::Callable;
use rule::CallRule;

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

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn as_control(&self) -> Option<&dyn ControlOp> {
        Some(self)
    }
}

impl ControlOp for Call {
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

    fn reads(&self, index: usize) -> bool {
        reads_param(&self.callable.graph, index)
    }

    fn flow(&self) -> Option<Flow> {
        Some(Flow::Call)
    }

    fn bodies(&self) -> smallvec::SmallVec<[&Arc<Graph>; 2]> {
        smallvec::smallvec![&self.callable.graph]
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
