//! `expm`, `sqrtm` and `logm`: the exponential, the principal square root and the principal logarithm of square matrices.
//! TensorFlow's `tf.linalg.expm`, `sqrtm` and `logm`. The derivative of a function of matrices along E stands above the diagonal of
//! f([[A, E], [0, A]]), so that each is its own rule; TensorFlow has none for `logm`. (Higham, Functions of Matrices, 3.2.)

use super::matrices::{OnMatrices, Rule, Sizes, Tail, adj, run1};
use super::{concat_all, public, slice_axis, zeros_of};
use crate::op::Attr;
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Dim;
use linalg::{Field, Matrix, Refused};
use smallvec::{SmallVec, smallvec};

/// Which function.
#[derive(Clone, Copy, PartialEq)]
enum Function {
    Exponential,
    Root,
    Logarithm,
}

#[derive(Clone)]
struct OfMatrix(Function);

impl OnMatrices for OfMatrix {
    const NAME: &'static str = "matrix_function";

    fn visit(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        let text = match self.0 {
            Function::Exponential => "expm",
            Function::Root => "sqrtm",
            Function::Logarithm => "logm",
        };
        visit("function", Attr::Text(text));
    }

    fn tails(&self, x: &[[Dim; 2]], sizes: &mut Sizes<'_>) -> Result<SmallVec<[Tail; 3]>> {
        sizes.square(x[0])?;
        Ok(smallvec![smallvec![x[0][0], x[0][1]]])
    }

    unsafe fn one(&self, field: Field, x: &[Matrix], y: &[Matrix]) -> std::result::Result<(), Refused> {
        // SAFETY: the same contract.
        unsafe {
            match self.0 {
                Function::Exponential => linalg::exponential(field, &x[0], &y[0]),
                Function::Root => linalg::square_root(field, &x[0], &y[0]),
                Function::Logarithm => linalg::logarithm(field, &x[0], &y[0]),
            }
        }
    }

    fn saves(&self) -> (&'static [usize], &'static [usize]) {
        (&[0], &[])
    }

    fn backward(&self, rule: &mut Rule<'_, '_>) -> Result<()> {
        let (a, dy) = (adj(&rule.x(0)?)?, rule.dy(0)?);
        let rows = a.rank() - 2;
        let n = a.shape().dim(rows);
        let above = concat_all(&[&a, &dy], rows + 1)?;
        let below = concat_all(&[&zeros_of(a.ty())?, &a], rows + 1)?;
        let whole = run1(self.clone(), &[&concat_all(&[&above, &below], rows)?])?;
        let da = slice_axis(&slice_axis(&whole, rows, Dim::ZERO, n)?, rows + 1, n, n)?;
        rule.give(0, da)
    }
}

#[track_caller]
fn of(op: &str, function: Function, x: &Tensor) -> Result<Tensor> {
    use kernels::error::OnTheWay;
    run1(OfMatrix(function), &[x]).map_err(|e| e.named(op))
}

public! {
    /// The exponentials of the square matrices in the last two axes.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::linalg::expm(&tf::constant([[0.0, 3.0], [0.0, 0.0]]));
    /// assert_eq!(y.to_vec::<f32>(), [1.0, 3.0, 0.0, 1.0]);
    /// ```
    pub fn expm, try_expm(x) -> Tensor {
        of("expm", Function::Exponential, x)
    }

    /// The principal square roots of the square matrices in the last two axes; NaN where a real matrix has none that is real.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::linalg::sqrtm(&tf::constant([[4.0, 0.0], [0.0, 9.0]]));
    /// assert_eq!(y.to_vec::<f32>(), [2.0, 0.0, 0.0, 3.0]);
    /// ```
    pub fn sqrtm, try_sqrtm(x) -> Tensor {
        of("sqrtm", Function::Root, x)
    }

    /// The principal logarithms of the square matrices in the last two axes, which must be complex, as in TensorFlow.
    ///
    /// ```
    /// use eagerflow::{self as tf, Complex};
    /// let x = tf::cast(&tf::eye(2), tf::complex64);
    /// assert_eq!(tf::linalg::logm(&x).to_vec::<Complex<f32>>(), [Complex::new(0.0, 0.0); 4]);
    /// ```
    pub fn logm, try_logm(x) -> Tensor {
        if !x.dtype().is_complex() {
            return Err(Error::invalid_argument("logm", "the matrices must be complex")
                .got(x.dtype())
                .expected("complex64 or complex128")
                .help(match x.dtype() {
                    DType::F64 => "the logarithm of a real matrix need not be real: `x.cast(tf::complex128)`",
                    _ => "the logarithm of a real matrix need not be real: `x.cast(tf::complex64)`",
                }));
        }
        of("logm", Function::Logarithm, x)
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    fn one() -> tf::Tensor {
        tf::try_eye([3, 3], tf::DType::F64).unwrap()
    }

    #[test]
    fn gradients_of_both_orders() {
        check(&|x| tf::expm(&x[0]), &[numbers(3, &[2, 3, 3])]);
        check(&|x| tf::sqrtm(&(&x[0] + &(one() * 4.0))), &[numbers(3, &[2, 3, 3])]);
        let logarithm = |x: &tf::Tensor| tf::real(tf::logm(&tf::cast(&(x + &(one() * 4.0)), tf::DType::C128)));
        check(&|x| logarithm(&x[0]), &[numbers(3, &[2, 3, 3])]);
    }

    #[test]
    fn one_undoes_the_other() {
        for n in [1, 2, 3, 20] {
            let a = numbers(1, &[n, n]) * 0.3 + tf::try_eye([n, n], tf::DType::F64).unwrap();
            let near = |x: &tf::Tensor, y: &tf::Tensor| tf::abs(&(x - y)).to_vec::<f64>().iter().all(|x| *x < 1e-10);
            let z = tf::cast(&a, tf::DType::C128);
            let root = tf::sqrtm(&z);
            assert!(near(&tf::matmul(&root, &root), &z), "{n}");
            assert!(near(&tf::expm(&tf::logm(&z)), &z), "{n}");
        }
        assert!(tf::sqrtm(&tf::constant([[1.0, 2.0], [2.0, 1.0]])).to_vec::<f32>().iter().all(|x| x.is_nan()));
        assert!(tf::expm(&tf::fill([2, 2], f32::NAN)).to_vec::<f32>().iter().all(|x| x.is_nan()));
        assert!(tf::try_logm(&tf::eye(2)).is_err());
    }
}
