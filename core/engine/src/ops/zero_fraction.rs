//! `zero_fraction`: the share of elements that are zero, as a `float32` scalar; no gradient flows.
//! TensorFlow's `tf.nn.zero_fraction` and `tf.math.zero_fraction`.

use super::functions::{try_cast, try_equal, try_logical_not};
use super::public;
use super::reduce_mean::mean_axes;
use crate::tensor::Tensor;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay};
use kernels::shape::AxisSet;

public! {
    /// The share of the elements that are zero, as a `float32` scalar; not a number for a tensor without elements. Sparse activations are told by it.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::zero_fraction(tf::constant([0.0, 1.0, 0.0, 2.0])).item::<f32>(), 0.5);
    /// ```
    pub fn zero_fraction, try_zero_fraction(x) -> Tensor {
        let accepts = DTypes::NUMBERS.and(DTypes::COMPLEX).and(DTypes::of(&[DType::Bool]));
        if !accepts.has(x.dtype()) {
            return Err(Error::invalid_argument("zero_fraction", "no element of this dtype is zero")
                .got(x.dtype())
                .expected(accepts));
        }
        // Counted in f64, as TensorFlow counts in integers: an f32 would lose count.
        let zeros = if x.dtype().is_complex() { try_equal(x, 0.0)? } else { try_logical_not(&try_cast(x, DType::Bool)?)? };
        let zeros = try_cast(&zeros, DType::F64)?;
        let share = mean_axes(&zeros, AxisSet::all(x.rank()), false)?;
        try_cast(&share, DType::F32).map_err(|e| e.named("zero_fraction"))
    }
}
