//! What the operations on strings share: rows of bytes that broadcast, results of the same shape, options as TensorFlow has them.
//! The files `string_*.rs`, `as_string.rs` and `parse_tensor.rs` of `ops` call these.

use crate::tensor::Tensor;
use crate::tensor::strings::{Builder, Strings};
use crate::op::Outputs;
use kernels::error::Result;
use kernels::shape::{Constraints, Shape};
use smallvec::smallvec;

/// The rows of several tensors of strings, broadcast together, and their shape.
pub(super) fn broadcast<'a>(op: &str, inputs: &[&'a Tensor]) -> Result<(Shape, Vec<Vec<&'a [u8]>>)> {
    let mut shape = Shape::SCALAR;
    for input in inputs {
        shape = kernels::shape::broadcast(&shape, input.shape(), &mut Constraints::default()).map_err(|e| e.in_op(op))?;
    }
    let rows = inputs.iter().map(|input| Strings::of(input, op)?.broadcast(&shape)).collect::<Result<_>>()?;
    Ok((shape, rows))
}

/// A tensor of strings of an input's shape, each written after a look at the input's.
pub(super) fn map(
    op: &str,
    input: &Tensor,
    mut write: impl FnMut(&[u8], &mut Vec<u8>) -> Result<()>,
) -> Result<Outputs> {
    let strings = Strings::of(input, op)?;
    let mut out = Builder::with_capacity(input.num_elements(), 0);
    strings.each(|row| out.push_with(|bytes| write(row, bytes)))?;
    Ok(smallvec![out.finish(input.shape())?])
}

#[cfg(test)]
mod tests;
