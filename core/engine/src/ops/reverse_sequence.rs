//! `reverse_sequence`: the first elements along one axis in reverse, as many as another axis's lengths say; dx is dy reversed alike.
//! TensorFlow's `tf.reverse_sequence`; a `gather` in batches.

use super::band_part::places;
use super::transpose::permuted;
use super::reshape::expand_last;
use super::{functions, public};
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::resolve_axis;

#[track_caller]
fn reversed(x: &Tensor, lengths: &Tensor, along: isize, batch: isize) -> Result<Tensor> {
    let refuse = |what: &str| Err(Error::invalid_argument("reverse_sequence", what).got(format!("{} and lengths {}", x.ty(), lengths.ty())));
    let (along, batch) = (resolve_axis("reverse_sequence", along, x.rank())?, resolve_axis("reverse_sequence", batch, x.rank())?);
    if along == batch {
        return refuse("the sequences go along the axis of the batch");
    }
    if lengths.rank() != 1 || !lengths.dtype().is_integer() {
        return refuse("the lengths must be a vector of integers");
    }
    if !lengths.shape().dim(0).can_equal(x.shape().dim(batch)) {
        return refuse("there are not as many lengths as sequences");
    }
    // [batch, time, ..], so that each row of places is about one sequence.
    let mut order: Vec<usize> = vec![batch, along];
    order.extend((0..x.rank()).filter(|axis| ![batch, along].contains(axis)));
    let turned = permuted(x, &order)?;
    let lengths = functions::try_cast(&super::ensure_shape::try_ensure_shape(lengths, [x.shape().dim(batch)])?, kernels::dtype::DType::I32)?;
    let (places, lengths) = (places(x.shape(), along)?, expand_last(&lengths)?);
    let inside = functions::try_less(&places, &lengths)?;
    let back = functions::try_subtract(&functions::try_subtract(&lengths, 1)?, &places)?;
    let from = super::select::try_select(&inside, &back, &places)?;
    let picked = functions::try_gather_batched(&turned, &from, 1, 1)?;
    let mut back = vec![0; x.rank()];
    order.iter().enumerate().for_each(|(at, &axis)| back[axis] = at);
    permuted(&picked, &back)
}

public! {
    /// The first `lengths[i]` elements along `seq_axis` of entry `i` of `batch_axis` in reverse; the rest stays.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1, 2, 3], [4, 5, 6]]);
    /// let y = tf::reverse_sequence(&x, &tf::constant([3, 2]), 1, 0);
    /// assert_eq!(y.to_vec::<i32>(), [3, 2, 1, 5, 4, 6]);
    /// ```
    pub fn reverse_sequence, try_reverse_sequence(x, lengths: &Tensor, seq_axis: isize, batch_axis: isize) -> Tensor {
        reversed(x, lengths, seq_axis, batch_axis).map_err(|e| e.named("reverse_sequence"))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_and_refusals() {
        let lengths = tf::constant([2, 0, 3]);
        check(&|x| tf::reverse_sequence(&x[0], &lengths, 0, 2).square(), &[numbers(1, &[4, 2, 3])]);
        let x = tf::ones([2, 3]);
        for (lengths, seq, batch) in [(tf::constant([1, 2]), 1, 1), (tf::constant([1]), 1, 0), (tf::ones([2]), 1, 0)] {
            let error = tf::try_reverse_sequence(&x, &lengths, seq, batch).unwrap_err().to_string();
            assert!(error.contains("reverse_sequence: "), "{error}");
        }
        assert!(tf::try_reverse_sequence(&x, &tf::constant([4, 1]), 1, 0).is_err());
    }
}
