//! A cluster of operations as one operation, whose body is a graph of what it computes.
//! Fusion makes it; plans run it as a single pass over memory, devices as a single kernel.

use crate::graph::{on_device, run};
use crate::ir::Graph;
use crate::ir::sizes::Sizes;
use crate::op::{Attr, ControlOp, Gradient, Infer, Kind, Op, Operands, Outputs, identity};
use kernels::error::Result;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// A cluster as an operation.
#[derive(Clone)]
pub(crate) struct Fused {
    pub body: Arc<Graph>,
}

impl Op for Fused {
    identity!("fused", kept);

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("body", Attr::Int(self.body.id as i64));
    }

    fn kind(&self) -> Kind {
        Kind::Host
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        self.body.result_types().for_each(|ty| cx.output(ty.dtype, ty.shape));
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Missing
    }

    fn as_control(&self) -> Option<&dyn ControlOp> {
        Some(self)
    }
}

impl ControlOp for Fused {
    fn host(&self, inputs: Operands, sizes: &Sizes<'_>) -> Result<Outputs> {
        if let Some(outputs) = on_device::run_cluster(&self.body, &inputs, sizes)? {
            return Ok(outputs);
        }
        run::run(&self.body, inputs, sizes)
    }

    fn bodies(&self) -> SmallVec<[&Arc<Graph>; 2]> {
        smallvec![&self.body]
    }
}
