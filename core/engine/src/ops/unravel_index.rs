//! `unravel_index`: flat indices as indices along each axis; integers, so no gradient.
//! TensorFlow's `tf.unravel_index`, made of a running product, divisions and remainders.

use super::cumulative::Cumulative;
use super::require::require;
use super::{GreaterEqual, Less, functions, public, reshape_to};
use crate::tensor::Tensor;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, Shape};

#[track_caller]
fn unravelled(indices: &Tensor, dims: &Tensor) -> Result<Tensor> {
    let taken = DTypes::of(&[DType::I32, DType::I64]);
    if !taken.has(indices.dtype()) || indices.dtype() != dims.dtype() || indices.rank() > 1 || dims.rank() != 1 {
        return Err(Error::invalid_argument("unravel_index", "indices and sizes must be integers of one dtype")
            .got(format!("indices {}, sizes {}", indices.ty(), dims.ty()))
            .expected("a number or a vector of int32 or int64, and a vector of sizes of the same dtype"));
    }
    let all = functions::try_reduce_prod(dims, ())?;
    require("unravel_index", "x >= 0", &GreaterEqual, indices, 0, "an index is negative")?;
    require("unravel_index", "x < y", &Less, indices, &all, "an index lies outside of the sizes")?;
    let behind = Cumulative { exclusive: true, reverse: true };
    let strides = functions::try_cumprod_with(dims, 0, behind)?;
    let (strides, dims) = match indices.rank() {
        0 => (strides, dims.clone()),
        _ => {
            let column = Shape::from_dims(&[dims.shape().dim(0), Dim::ONE])?;
            (reshape_to(&strides, &column)?, reshape_to(dims, &column)?)
        }
    };
    functions::try_floormod(&functions::try_floordiv(indices, &strides)?, &dims)
}

public! {
    /// The indices along each axis of a tensor of sizes `dims` that flat indices stand for: a vector for a number, and a column for each
    /// element of a vector.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let at = tf::unravel_index(&tf::constant([2, 5, 7]), &tf::constant([3, 3]));
    /// assert_eq!(at.to_vec::<i32>(), [0, 1, 2, 2, 2, 1]);
    /// ```
    pub fn unravel_index, try_unravel_index(indices, dims: &Tensor) -> Tensor {
        unravelled(indices, dims).map_err(|e| e.named("unravel_index"))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;

    #[test]
    fn edges_and_refusals() {
        let sizes = tf::constant([7, 6]);
        assert_eq!(tf::unravel_index(&tf::constant(22), &sizes).to_vec::<i32>(), [3, 4]);
        assert_eq!(tf::unravel_index(&tf::zeros([0]).cast(tf::DType::I32), &sizes).shape(), [2, 0]);
        for at in [tf::constant([42]), tf::constant([-1]), tf::constant([[0]]), tf::constant([0.0])] {
            let error = tf::try_unravel_index(&at, &sizes).unwrap_err().to_string();
            assert!(error.contains("unravel_index"), "{error}");
        }
        assert!(tf::try_unravel_index(&tf::constant(0), &tf::constant([7, 0])).is_err());
        assert!(tf::try_unravel_index(&tf::constant(0), &tf::constant(7)).is_err());
    }
}
