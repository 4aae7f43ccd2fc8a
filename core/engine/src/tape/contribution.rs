//! What flows into a value on the walk backwards: a dense tensor, parts of one, or rows of an embedding.
//! Gradient rules give contributions; `autodiff` adds them up where the first of them lies, so that a further part costs the part.

use super::cotangent::IndexedRows;
use crate::op::OpRef;
use crate::tensor::Tensor;
use smallvec::SmallVec;

/// What flows into a value.
#[derive(Clone)]
pub(crate) enum Contribution {
    Dense(Tensor),
    /// Parts, zero elsewhere, of a tensor that nobody has made yet; never none.
    Parts(Box<SmallVec<[Part; 1]>>),
    /// The rows of one lookup after the other; never none.
    Rows(Box<SmallVec<[IndexedRows; 1]>>),
}

/// What `op`, which has an [`onto`](crate::op::Op::onto), gives from its operands.
#[derive(Clone)]
pub(crate) struct Part {
    pub op: OpRef,
    pub operands: SmallVec<[Tensor; 2]>,
}

impl Contribution {
    pub fn of_rows(rows: IndexedRows) -> Self {
        Self::Rows(Box::new(SmallVec::from_elem(rows, 1)))
    }

    pub fn of_part(part: Part) -> Self {
        Self::Parts(Box::new(SmallVec::from_elem(part, 1)))
    }
}
