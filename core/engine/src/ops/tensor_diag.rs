//! `tensor_diag` and `tensor_diag_part`: a tensor on the diagonal of one of twice as many axes, and the diagonal taken again.
//! TensorFlow's `tf.linalg.tensor_diag` and `tensor_diag_part`: diagonals of a square matrix between two reshapes.

use super::diag::{try_diag, try_diag_part};
use super::{public, reshape_to};
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, MAX_RANK, Shape};
use smallvec::SmallVec;

public! {
    /// The tensor with the elements of `x` where the first half of the indices equals the second, and zeros elsewhere: of shape `[a, b]`
    /// it makes `[a, b, a, b]`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::tensor_diag(&tf::constant([1, 2])).to_vec::<i32>(), [1, 0, 0, 2]);
    /// ```
    pub fn tensor_diag, try_tensor_diag(x) -> Tensor {
        if x.rank() == 0 || 2 * x.rank() > MAX_RANK {
            return Err(Error::invalid_argument("tensor_diag", "the tensor has no axis, or too many to have each twice")
                .got(x.ty())
                .expected(format!("1 to {} axes", MAX_RANK / 2)));
        }
        let twice: SmallVec<[Dim; MAX_RANK]> = x.shape().iter().chain(x.shape().iter()).collect();
        let flat = reshape_to(x, &Shape::from_dims(&[x.shape().element_count()])?)?;
        let whole = try_diag(&flat).and_then(|matrix| reshape_to(&matrix, &Shape::from_dims(&twice)?));
        whole.map_err(|e| e.named("tensor_diag"))
    }

    /// The elements where the first half of the indices equals the second: of shape `[a, b, a, b]` it makes `[a, b]`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::tensor_diag_part(&tf::constant([[1, 2], [3, 4]])).to_vec::<i32>(), [1, 4]);
    /// ```
    pub fn tensor_diag_part, try_tensor_diag_part(x) -> Tensor {
        let half = x.rank() / 2;
        let (first, second) = x.shape().sizes().split_at(half);
        let fits = x.rank() == 2 * half && half > 0 && first.iter().zip(second).all(|(a, &b)| a.can_equal(b));
        if !fits {
            return Err(Error::invalid_argument("tensor_diag_part", "the axes are not twice the same")
                .got(x.ty())
                .expected("an even number of axes, of which the second half has the sizes of the first"));
        }
        let part = Shape::from_dims(first)?;
        let matrix = || -> Result<Tensor> {
            // Sizes without numbers must turn out equal.
            let square: SmallVec<[Dim; MAX_RANK]> = first.iter().chain(first).copied().collect();
            let x = super::ensure_shape::try_ensure_shape(x, Shape::from_dims(&square)?)?;
            let count = part.element_count();
            reshape_to(&try_diag_part(&reshape_to(&x, &Shape::from_dims(&[count, count])?)?)?, &part)
        };
        matrix().map_err(|e| e.named("tensor_diag_part"))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_and_refusals() {
        check(&|x| tf::tensor_diag(&x[0]).square(), &[numbers(1, &[2, 3])]);
        check(&|x| tf::tensor_diag_part(&x[0]).square(), &[numbers(1, &[2, 3, 2, 3])]);
        assert_eq!(tf::tensor_diag(&tf::zeros([0])).shape(), [0, 0]);
        assert!(tf::try_tensor_diag(&tf::constant(1)).is_err() && tf::try_tensor_diag(&tf::ones([1; 5])).is_err());
        for shape in [&[2, 3][..], &[2, 2, 2], &[]] {
            assert!(tf::try_tensor_diag_part(&tf::ones(shape)).is_err());
        }
    }
}
