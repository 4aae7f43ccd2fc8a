//! What a gradient rule sees of the operation it differentiates, and where it puts its answers.
//! The driver makes one [`Backward`] per entry; operations' `backward` methods and custom gradients work on it.

use super::contribution::{Contribution, Part};
use super::cotangent::IndexedRows;
use super::log::Noted;
use crate::op::Op;
use crate::tensor::{Tensor, TensorType};
use kernels::error::{Error, Result};
use smallvec::SmallVec;

/// The gradient of a `#[custom_gradient]` function.
pub(crate) trait CustomRule {
    /// The function's name.
    fn name(&self) -> &str;
    /// The user's name for an input, for messages.
    fn input_name(&self, index: usize) -> String;
    /// One answer per input, from one cotangent per output.
    fn backward(&self, dys: &[Tensor]) -> Result<Vec<Option<Tensor>>>;
}

/// One step of the walk backwards.
pub(crate) struct Backward<'a> {
    op: &'a str,
    noted: Noted<'a>,
    dys: SmallVec<[Option<Tensor>; 1]>,
    needs: SmallVec<[bool; 4]>,
    given: SmallVec<[Option<Contribution>; 4]>,
}

impl<'a> Backward<'a> {
    pub fn new(op: &'a str, noted: Noted<'a>, dys: SmallVec<[Option<Tensor>; 1]>, needs: SmallVec<[bool; 4]>) -> Self {
        let given = needs.iter().map(|_| None).collect();
        Self { op, noted, dys, needs, given }
    }

    /// Number of inputs of the operation.
    pub fn len(&self) -> usize {
        self.needs.len()
    }

    /// Whether input `index` needs a cotangent.
    pub fn needs(&self, index: usize) -> bool {
        self.needs[index]
    }

    /// The type of output `index`.
    pub fn output_type(&self, index: usize) -> &TensorType {
        self.noted.output_type(index)
    }

    /// As [`Self::dy_or_none`], of one that is given up.
    pub fn take_dy_or_none(&mut self, index: usize) -> Option<Tensor> {
        self.dys[index].take()
    }

    /// The cotangent of output `index`, or `None` if nothing flows into it.
    pub fn dy_or_none(&self, index: usize) -> Option<&Tensor> {
        self.dys[index].as_ref()
    }

    /// Input `index`, which the operation said it saves.
    pub fn input(&self, index: usize) -> Result<&Tensor> {
        self.noted.saved_input(index).ok_or_else(|| {
            Error::internal(self.op, format!("the gradient rule reads input {index}, which it does not save"))
        })
    }

    /// Output `index`, which the operation said it saves.
    pub fn output(&self, index: usize) -> Result<&Tensor> {
        self.noted.saved_output(index).ok_or_else(|| {
            Error::internal(self.op, format!("the gradient rule reads output {index}, which it does not save"))
        })
    }

    /// The type of input `index`, saved or not.
    pub fn input_type(&self, index: usize) -> &TensorType {
        self.noted.input_type(index)
    }

    /// Answers the cotangent of input `index`.
    pub fn give(&mut self, index: usize, dx: Tensor) {
        self.given[index] = Some(Contribution::Dense(dx));
    }

    /// Answers the cotangent of input `index` as rows of it.
    pub fn give_rows(&mut self, index: usize, rows: IndexedRows) {
        self.given[index] = Some(Contribution::of_rows(rows));
    }

    /// Answers a part of the cotangent of input `index`: `op`, which has an [`onto`](Op::onto), gives it from `operands`, zero
    /// elsewhere. Several parts of one input add up.
    pub fn give_part(&mut self, index: usize, op: &dyn Op, operands: SmallVec<[Tensor; 2]>) {
        let part = Part { op: op.keep(), operands };
        match &mut self.given[index] {
            Some(Contribution::Parts(parts)) => parts.push(part),
            given => *given = Some(Contribution::of_part(part)),
        }
    }

    pub fn into_given(self) -> SmallVec<[Option<Contribution>; 4]> {
        self.given
    }
}
