//! Sums of what flows into a value: parts are added where the first of them lies, so that a further part costs the part alone.
//! The backward pass adds contributions up; gradients of loops and branches carry the sums on.

use crate::execute::{execute1, execute1_reusing};
use crate::lists::whole::AddLists;
use crate::ops;
use crate::tape::{Contribution, Cotangent, IndexedRows, Part};
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use smallvec::SmallVec;

impl Part {
    /// The part with zeros around it.
    #[track_caller]
    fn laid(&self) -> Result<Tensor> {
        let operands: SmallVec<[&Tensor; 4]> = self.operands.iter().collect();
        execute1(&*self.op, &operands)
    }

    /// The sum and the part, in the sum's memory where nobody else holds it.
    #[track_caller]
    fn added_to(&self, sum: Tensor) -> Result<Tensor> {
        let Some(op) = self.op.onto() else { return ops::add_owned(sum, &self.laid()?) };
        let operands: SmallVec<[&Tensor; 4]> = std::iter::once(&sum).chain(&self.operands).collect();
        execute1_reusing(&*op, &operands, 1)
    }
}

impl Contribution {
    #[track_caller]
    pub fn into_dense(self) -> Result<Tensor> {
        match self {
            Self::Dense(tensor) => Ok(tensor),
            Self::Parts(parts) => {
                let mut parts = parts.iter();
                let first = parts.next().ok_or_else(|| Error::internal("gradient", "a contribution without parts"))?;
                let mut sum = first.laid()?;
                for part in parts {
                    sum = part.added_to(sum)?;
                }
                Ok(sum)
            }
            Self::Rows(rows) => joined(*rows)?.try_to_dense(),
        }
    }

    /// The sum of two contributions to one value; rows stay rows, and parts are added where the sum lies.
    #[track_caller]
    pub fn plus(self, other: Self) -> Result<Self> {
        match (self, other) {
            (Self::Rows(mut a), Self::Rows(b)) => {
                a.extend(*b);
                Ok(Self::Rows(a))
            }
            (Self::Dense(a), Self::Dense(b)) if a.dtype() == DType::Variant => {
                execute1(&AddLists, &[&a, &b]).map(Self::Dense)
            }
            (whole, Self::Parts(parts)) | (Self::Parts(parts), whole @ Self::Dense(_)) => {
                let mut sum = whole.into_dense()?;
                for part in parts.iter() {
                    sum = part.added_to(sum)?;
                }
                Ok(Self::Dense(sum))
            }
            (Self::Dense(sum), Self::Rows(rows)) | (Self::Rows(rows), Self::Dense(sum)) => {
                let IndexedRows { indices, values, .. } = joined(*rows)?;
                ops::add_rows(sum, &indices, &values).map(Self::Dense)
            }
            (a, b) => Ok(Self::Dense(ops::add_owned(a.into_dense()?, &b.into_dense()?)?)),
        }
    }

    /// What has flowed into a source, as its answer.
    #[track_caller]
    pub fn into_answer(self) -> Result<Cotangent> {
        match self {
            Self::Rows(rows) => Ok(Cotangent::Rows(Box::new(joined(*rows)?))),
            other => other.into_dense().map(Cotangent::Dense),
        }
    }
}

/// Rows of several lookups as those of one.
#[track_caller]
fn joined(mut rows: SmallVec<[IndexedRows; 1]>) -> Result<IndexedRows> {
    if rows.len() > 1 {
        let indices: SmallVec<[&Tensor; 4]> = rows.iter().map(|rows| &rows.indices).collect();
        let values: SmallVec<[&Tensor; 4]> = rows.iter().map(|rows| &rows.values).collect();
        let (indices, values) = (ops::concat_all(&indices, 0)?, ops::concat_all(&values, 0)?);
        return Ok(IndexedRows { indices, values, shape: rows[0].shape });
    }
    rows.pop().ok_or_else(|| Error::internal("gradient", "a contribution without rows"))
}
