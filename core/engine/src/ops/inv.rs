//! `inv`: inverses of matrices, by LU; dA = -A⁻ᴴ dX A⁻ᴴ.
//! TensorFlow's `tf.linalg.inv`; a singular matrix is an error.

use super::matrices::{OnMatrices, Rule, Sizes, Tail, adj, mm, negative, run1, together};
use super::{cast_to, public};
use crate::op::Attr;
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::Dim;
use linalg::{Field, Matrix, Refused};
use smallvec::{SmallVec, smallvec};

#[derive(Clone)]
struct Inv {
    adjoint: bool,
}

impl OnMatrices for Inv {
    const NAME: &'static str = "inv";

    fn visit(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("adjoint", Attr::Bool(self.adjoint));
    }

    fn tails(&self, x: &[[Dim; 2]], sizes: &mut Sizes<'_>) -> Result<SmallVec<[Tail; 3]>> {
        sizes.square(x[0])?;
        Ok(smallvec![smallvec![x[0][0], x[0][1]]])
    }

    unsafe fn one(&self, field: Field, x: &[Matrix], y: &[Matrix]) -> std::result::Result<(), Refused> {
        // SAFETY: the same contract.
        unsafe { linalg::inverse(field, self.adjoint, &x[0], &y[0], together) }
    }

    fn saves(&self) -> (&'static [usize], &'static [usize]) {
        (&[], &[0])
    }

    fn backward(&self, rule: &mut Rule<'_, '_>) -> Result<()> {
        let (x, dx) = (rule.y(0)?, rule.dy(0)?);
        let da = match self.adjoint {
            false => mm(&adj(&x)?, &mm(&dx, &adj(&x)?)?)?,
            true => mm(&x, &mm(&adj(&dx)?, &x)?)?,
        };
        rule.give(0, negative(&da)?)
    }
}

/// The inverse of A, or of Aᴴ.
#[track_caller]
pub(crate) fn inverse(a: &Tensor, adjoint: bool) -> Result<Tensor> {
    run1(Inv { adjoint }, &[a])
}

public! {
    /// The inverses of the matrices in the last two axes, or those of their conjugate transposes for `adjoint`.
    ///
    /// A matrix that is not invertible is an error. `float16` is computed in `float32`, and rounded once.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::linalg::inv(&tf::constant([[0.0, 2.0], [4.0, 0.0]]), false);
    /// assert_eq!(x.to_vec::<f32>(), [0.0, 0.25, 0.5, 0.0]);
    /// ```
    pub fn inv, try_inv(x, adjoint: bool) -> Tensor {
        match x.dtype() {
            DType::F16 => cast_to(&inverse(&cast_to(x, DType::F32)?, adjoint)?, DType::F16),
            _ => inverse(x, adjoint),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_both_ways() {
        for adjoint in [false, true] {
            check(&|x| tf::inv(&x[0], adjoint), &[numbers(4, &[2, 3, 3])]);
        }
        let a = numbers(1, &[30, 30]);
        let back = tf::matmul(&a, tf::inv(&a, false)) - tf::try_eye([30, 30], tf::DType::F64).unwrap();
        assert!(back.to_vec::<f64>().iter().all(|x| x.abs() < 1e-10));
        assert!(tf::try_inv(&tf::zeros([2, 2]), false).unwrap_err().to_string().contains("not invertible"));
    }
}
