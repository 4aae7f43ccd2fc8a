//! `cross`: cross products of vectors of three numbers, made of other operations; da = b × dy, db = dy × a.
//! TensorFlow's `tf.linalg.cross`, real numbers; both operands have one shape.

use super::matrices::{minus, times};
use super::{functions, public};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::error::{Error, OnTheWay};

public! {
    /// The cross products of the vectors of three numbers in the last axes.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::linalg::cross(&tf::constant([1, 0, 0]), &tf::constant([0, 1, 0]));
    /// assert_eq!(x.to_vec::<i32>(), [0, 0, 1]);
    /// ```
    pub fn cross, try_cross(x, other: &Tensor) -> Tensor {
        let fits = |t: &Tensor| t.rank() > 0 && t.shape().dim(t.rank() - 1).can_equal(3.into());
        let same = x.rank() == other.rank() && x.shape().iter().zip(other.shape().iter()).all(|(a, b)| a.can_equal(b));
        if !(fits(x) && same && x.dtype() == other.dtype() && DTypes::NUMBERS.has(x.dtype())) {
            return Err(Error::invalid_argument("cross", "the operands are no vectors of three numbers of one shape")
                .got(format!("{} and {}", x.ty(), other.ty()))
                .expected("real numbers of one dtype and shape, three along the last axis"));
        }
        let named = |e: Error| e.named("cross");
        let (x, other) = (three(x).map_err(named)?, three(other).map_err(named)?);
        let next = |t: &Tensor| functions::try_roll(t, [-1], [-1]);
        let (x1, y1) = (next(&x).map_err(named)?, next(&other).map_err(named)?);
        let (x2, y2) = (next(&x1).map_err(named)?, next(&y1).map_err(named)?);
        minus(&times(&x1, &y2).map_err(named)?, &times(&x2, &y1).map_err(named)?).map_err(named)
    }
}

/// The vectors with a size of the last axis that is known.
#[track_caller]
fn three(x: &Tensor) -> kernels::error::Result<Tensor> {
    functions::try_ensure_shape(x, x.shape().with(x.rank() - 1, 3)?)
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_and_refusals() {
        check(&|x| tf::cross(&x[0], &x[1]), &[numbers(1, &[2, 3]), numbers(2, &[2, 3])]);
        assert!(tf::try_cross(&tf::ones([2]), &tf::ones([2])).is_err());
        assert!(tf::try_cross(&tf::ones([2, 3]), &tf::ones([3])).is_err());
    }
}
