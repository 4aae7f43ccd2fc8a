//! `zero_fraction`: which part of the elements is zero, `float32`; no gradient flows. TensorFlow's `tf.math.zero_fraction`.

use super::reduce_mean::size_of;
use super::{cast_to, functions, public};
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{OnTheWay, Result};
use kernels::shape::Shape;

#[track_caller]
fn fraction(x: &Tensor) -> Result<Tensor> {
    let size = cast_to(&size_of(&Shape::from_dims(&[x.shape().element_count()])?, 0)?, DType::I64)?;
    let zeros = functions::try_subtract(&size, &functions::try_count_nonzero(x, ())?)?;
    functions::try_divide(&cast_to(&zeros, DType::F32)?, &cast_to(&size, DType::F32)?)
}

public! {
    /// Which part of the elements is zero, `float32`: NaN of no elements.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::zero_fraction(&tf::constant([0, 3, 0, 0])).item::<f32>(), 0.75);
    /// ```
    pub fn zero_fraction, try_zero_fraction(x) -> Tensor {
        fraction(x).map_err(|e| e.named("zero_fraction"))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;

    #[test]
    fn of_nothing() {
        assert!(tf::zero_fraction(&tf::zeros([0, 3])).item::<f32>().is_nan());
        assert_eq!(tf::zero_fraction(&tf::constant([0.0, f32::NAN, -0.0, 1.0])).item::<f32>(), 0.5);
    }
}
