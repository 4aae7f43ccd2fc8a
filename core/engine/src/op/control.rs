//! What operations with graphs inside, and operations on tensor handles, have beside the rest: bodies, flow, and ways to run.
//! Executors, passes and tapes ask these questions of any operation; those that are not of this sort answer with nothing.

use super::{Flow, Op, OpRef, Operands, Outputs};
use crate::ir::Graph;
use crate::ir::sizes::Sizes;
use crate::tensor::Tensor;
use kernels::error::{Error, Result};
use smallvec::SmallVec;
use std::any::Any;
use std::panic::Location;
use std::sync::Arc;

/// The part of an operation of kind [`Kind::Control`](super::Kind::Control) or [`Kind::Host`](super::Kind::Host) that others lack.
/// An operation shows it by [`Op::as_control`]; readers ask `dyn Op`, which answers for all operations.
pub(crate) trait ControlOp {
    /// Runs an operation of kind [`Kind::Control`](super::Kind::Control): what it calls goes through `execute` again.
    fn control(&self, inputs: &[&Tensor]) -> Result<Outputs> {
        let _ = inputs;
        Err(Error::internal("control", "not a control operation"))
    }

    /// Runs an operation of kind [`Kind::Host`](super::Kind::Host), which may keep or change the operands it is given.
    fn host(&self, inputs: Operands, sizes: &Sizes<'_>) -> Result<Outputs> {
        let _ = (inputs, sizes);
        Err(Error::internal("control", "not an operation on handles"))
    }

    /// Runs or records an operation of kind [`Kind::Host`](super::Kind::Host) so that it can be differentiated by the inputs in
    /// `needs`: gives the operation that has the gradient rule, and the outputs behind one more, what that rule reads.
    fn run_for_gradient(
        &self,
        inputs: &[&Tensor],
        needs: &[bool],
        location: &'static Location<'static>,
    ) -> Result<Option<(OpRef, Outputs)>> {
        let _ = (inputs, needs, location);
        Ok(None)
    }

    /// The input whose value output `output` always is.
    fn same_as(&self, output: usize) -> Option<usize> {
        let _ = output;
        None
    }

    /// Whether it reads the resource that is its input `index`.
    fn reads(&self, index: usize) -> bool {
        let _ = index;
        false
    }

    /// How the graphs inside it run, for executors that run them themselves.
    fn flow(&self) -> Option<Flow> {
        None
    }

    /// The same operation with other graphs inside.
    fn with_bodies(&self, bodies: &[Arc<Graph>]) -> Option<OpRef> {
        let _ = bodies;
        None
    }

    /// The graphs inside the operation.
    fn bodies(&self) -> SmallVec<[&Arc<Graph>; 2]> {
        SmallVec::new()
    }
}

/// The questions of [`ControlOp`], which any operation answers.
impl dyn Op {
    pub(crate) fn control(&self, inputs: &[&Tensor]) -> Result<Outputs> {
        match self.as_control() {
            Some(op) => op.control(inputs),
            None => Err(Error::internal(self.name(), "not a control operation")),
        }
    }

    pub(crate) fn host(&self, inputs: Operands, sizes: &Sizes<'_>) -> Result<Outputs> {
        match self.as_control() {
            Some(op) => op.host(inputs, sizes),
            None => Err(Error::internal(self.name(), "not an operation on handles")),
        }
    }

    pub(crate) fn run_for_gradient(
        &self,
        inputs: &[&Tensor],
        needs: &[bool],
        location: &'static Location<'static>,
    ) -> Result<Option<(OpRef, Outputs)>> {
        self.as_control().map_or(Ok(None), |op| op.run_for_gradient(inputs, needs, location))
    }

    pub(crate) fn same_as(&self, output: usize) -> Option<usize> {
        self.as_control()?.same_as(output)
    }

    pub(crate) fn reads(&self, index: usize) -> bool {
        self.as_control().is_some_and(|op| op.reads(index))
    }

    pub(crate) fn flow(&self) -> Option<Flow> {
        self.as_control()?.flow()
    }

    pub(crate) fn with_bodies(&self, bodies: &[Arc<Graph>]) -> Option<OpRef> {
        self.as_control()?.with_bodies(bodies)
    }

    pub(crate) fn bodies(&self) -> SmallVec<[&Arc<Graph>; 2]> {
        self.as_control().map_or_else(SmallVec::new, ControlOp::bodies)
    }

    /// Whether it is the operation `T`.
    pub(crate) fn is<T: Op>(&self) -> bool {
        (self as &dyn Any).is::<T>()
    }

    /// The operation as a `T`, if it is one.
    pub(crate) fn downcast<T: Op>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }
}
