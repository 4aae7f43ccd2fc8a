//! Tensors in memory whose first axis counts the elements of a data set: `from_tensor_slices`.
//! Batches take their rows from here at once; a row by itself is a view without a copy.

use super::stage::Rows;
use crate::device::{DeviceGuard, place_on};
use crate::execute::may_place;
use crate::op::Outputs;
use crate::ops;
use crate::tensor::{Tensor, TensorType};
use kernels::error::{Error, Result};
use kernels::shape::Dim;

/// Tensors with the same number of rows.
pub(super) struct Slices {
    tensors: Vec<Tensor>,
    rows: usize,
}

impl Slices {
    pub fn new(tensors: Vec<Tensor>) -> Result<Self> {
        const OP: &str = "from_tensor_slices";
        let mut rows = None;
        for (i, tensor) in tensors.iter().enumerate() {
            tensor.concrete(OP)?;
            let Some(&first) = tensor.shape().dims().first() else {
                return Err(Error::invalid_argument(
                    OP,
                    format!("component {i} is a scalar, which has no rows to slice"),
                )
                .expected("at least one dimension, which counts the elements"));
            };
            if *rows.get_or_insert(first) != first {
                let shapes: Vec<String> = tensors.iter().map(|t| t.shape().to_string()).collect();
                return Err(Error::invalid_argument(OP, "the components have different numbers of rows")
                    .got(shapes.join(", "))
                    .expected("the same first dimension in all"));
            }
        }
        let Some(rows) = rows else {
            return Err(Error::invalid_argument(OP, "there are no tensors").expected("at least one component"));
        };
        // Rows are copied out again and again: a strided tensor is straightened once.
        let tensors = tensors.iter().map(Tensor::to_dense).collect::<Result<_>>()?;
        Ok(Self { tensors, rows })
    }

    /// The types of rows of tensors that may be values of a graph.
    pub fn row_types(tensors: &[Tensor]) -> Result<Vec<TensorType>> {
        let row = |tensor: &Tensor| match tensor.rank() {
            0 => Err(Error::invalid_argument("from_tensor_slices", "a scalar has no rows to slice").got(tensor.ty())),
            _ => Ok(TensorType::new(tensor.dtype(), tensor.shape().remove(0))),
        };
        tensors.iter().map(row).collect()
    }
}

impl Rows for Slices {
    fn count(&self) -> usize {
        self.rows
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        Some(self.tensors.iter().map(|t| TensorType::new(t.dtype(), t.shape().remove(0))).collect())
    }

    fn row(&self, row: usize) -> Result<Outputs> {
        let one = |t: &Tensor| {
            let _there = where_it_lies(t);
            let cut = ops::slice_axis(t, 0, Dim::known(row), Dim::ONE)?;
            ops::reshape_to(&cut, &t.shape().remove(0))
        };
        self.tensors.iter().map(one).collect()
    }

    /// A view where they follow each other, else one gather per component.
    fn rows(&self, rows: &[usize]) -> Result<Outputs> {
        if let Some(&first) = rows.first()
            && rows.iter().enumerate().all(|(i, &row)| row == first + i)
        {
            let cut = |t: &Tensor| {
                let _there = where_it_lies(t);
                ops::slice_axis(t, 0, Dim::known(first), Dim::known(rows.len()))
            };
            return self.tensors.iter().map(cut).collect();
        }
        let numbers: Vec<i64> = rows.iter().map(|&row| row as i64).collect();
        let numbers = Tensor::try_from_vec(numbers, rows.len())?;
        let gathered = |t: &Tensor| {
            let _there = where_it_lies(t);
            ops::functions::try_gather(t, &numbers, 0)
        };
        self.tensors.iter().map(gathered).collect()
    }

    fn describe(&self) -> String {
        let types: Vec<String> = self.tensors.iter().map(|t| t.ty().to_string()).collect();
        format!("from_tensor_slices({})", types.join(", "))
    }
}

/// Rows are taken where the data lie, whatever device a guard around the loop asks for: else each batch would move all of the data.
fn where_it_lies(tensor: &Tensor) -> Option<DeviceGuard> {
    may_place().then(|| place_on(tensor.device_id()))
}
