//! `sequence_mask`: for each length as many truths, then falsehoods; no gradient. TensorFlow's `tf.sequence_mask`.

use super::band_part::places;
use super::reshape::expand_last;
use super::{functions, public};
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, IntoDim, Shape};

#[track_caller]
fn mask(lengths: &Tensor, most: Option<Dim>) -> Result<Tensor> {
    if !lengths.dtype().is_integer() {
        return Err(Error::invalid_argument("sequence_mask", "lengths must be integers").got(lengths.ty()));
    }
    let most = match most {
        Some(most) => most,
        // Without lengths, or where all are negative, nothing is masked.
        None if lengths.shape().element_count() == Dim::ZERO => Dim::ZERO,
        None => super::size_from::size_from(&functions::try_maximum(&functions::try_reduce_max(lengths, ())?, 0)?)?,
    };
    let places = functions::try_cast(&places(&Shape::from_dims(&[most])?, 0)?, lengths.dtype())?;
    functions::try_less(&places, &expand_last(lengths)?)
}

public! {
    /// For each length a row of `maxlen` truth values, of which as many as the length says are true; -1 stands for the greatest length.
    /// `cast` makes numbers of them, as TensorFlow's `dtype` does.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let mask = tf::sequence_mask(&tf::constant([1, 3]), -1);
    /// assert_eq!(mask.cast(tf::int32).to_vec::<i32>(), [1, 0, 0, 1, 1, 1]);
    /// ```
    pub fn sequence_mask, try_sequence_mask(x, maxlen: impl IntoDim) -> Tensor {
        mask(x, maxlen.into_size()?).map_err(|e| e.named("sequence_mask"))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;

    #[test]
    fn lengths_of_any_shape() {
        let lengths = tf::constant([[2, 0], [-3, 9]]);
        assert_eq!(tf::sequence_mask(&lengths, 3).shape(), [2, 2, 3]);
        assert_eq!(tf::sequence_mask(&lengths, -1).shape(), [2, 2, 9]);
        assert_eq!(tf::sequence_mask(&tf::constant(2), 3).to_vec::<bool>(), [true, true, false]);
        assert_eq!(tf::sequence_mask(&tf::constant([-1]), -1).shape(), [1, 0]);
        assert_eq!(tf::sequence_mask(&tf::zeros([0]).cast(tf::DType::I64), -1).shape(), [0, 0]);
        assert!(tf::try_sequence_mask(&tf::ones([2]), 3).is_err());
        assert!(tf::try_sequence_mask(&lengths, -2).is_err());
    }
}
