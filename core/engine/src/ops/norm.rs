//! `norm` and `normalize`: norms of vectors and of matrices, made of other operations, and tensors divided by them.
//! TensorFlow's `tf.norm` and `tf.linalg.normalize`; of complex numbers the Euclidean norm is a complex number, as there.

use super::axes::{Axes, IntoAxes, keep_dims};
use super::conj::conjugate;
use super::matrices::times;
use super::transpose::permuted;
use super::{cast_to, functions, public};
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::resolve_axis;

/// Which norm: TensorFlow's `ord`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::Norm::from(2), tf::Norm::P(2.0));
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Norm {
    /// The square root of the sum of squares, of vectors and of matrices (Frobenius' norm): `"euclidean"` and `"fro"`.
    #[default]
    Euclidean,
    /// Of vectors the root of that order of the sum of that power, for a positive order. Of matrices 1, the largest sum of a column's
    /// absolute values; 2, the largest singular value; and infinity, the largest sum of a row's absolute values.
    P(f64),
}

impl From<f64> for Norm {
    fn from(p: f64) -> Self {
        Self::P(p)
    }
}

impl From<i32> for Norm {
    fn from(p: i32) -> Self {
        Self::P(f64::from(p))
    }
}

/// The norm with its axes kept, or not.
#[track_caller]
fn of(op: &str, x: &Tensor, ord: Norm, axes: &Axes) -> Result<Tensor> {
    let listed = axes.listed();
    let (set, keep) = axes.resolve(op, x.rank())?;
    let kept = |t: Vec<isize>| if keep { keep_dims(t) } else { t.into_axes() };
    let pair = match listed {
        Some([a, b]) => Some([resolve_axis(op, *a, x.rank())?, resolve_axis(op, *b, x.rank())?]),
        None | Some([_]) => None,
        Some(list) => {
            return Err(Error::invalid_argument(op, "a norm is that of vectors or of matrices")
                .got(format!("{} axes", list.len()))
                .expected("no axes for all elements, one, or two for matrices"));
        }
    };
    match (ord, pair) {
        (Norm::Euclidean, _) => {}
        (Norm::P(p), None) if p > 0.0 => {}
        (Norm::P(p), Some(_)) if p == 1.0 || p == 2.0 || p == f64::INFINITY => {}
        (Norm::P(p), None) => {
            return Err(Error::invalid_argument(op, "there is no such norm of vectors")
                .got(p)
                .expected("a positive order"));
        }
        (Norm::P(p), Some(_)) => {
            return Err(Error::invalid_argument(op, "there is no such norm of matrices")
                .got(p)
                .expected("`Norm::Euclidean`, 1, 2 or infinity"));
        }
    }
    let all = || kept(set.iter().map(|axis| axis as isize).collect());
    match (ord, pair) {
        (Norm::P(2.0), Some([rows, cols])) => {
            let others: Vec<usize> = (0..x.rank()).filter(|axis| *axis != rows && *axis != cols).collect();
            let order: Vec<usize> = others.into_iter().chain([rows, cols]).collect();
            let s = functions::try_svdvals(permuted(x, &order)?)?;
            let mut largest = functions::try_reduce_max(&s, -1)?;
            if keep {
                for axis in [rows.min(cols), rows.max(cols)] {
                    largest = functions::try_expand_dims(&largest, axis as isize)?;
                }
            }
            Ok(largest)
        }
        (Norm::Euclidean | Norm::P(2.0), _) => {
            functions::try_sqrt(&functions::try_reduce_sum(&times(x, &conjugate(x)?)?, all())?)
        }
        (Norm::P(p), pair) => {
            let size = functions::try_abs(x)?;
            match pair {
                None if p == 1.0 => functions::try_reduce_sum(&size, all()),
                None if p == f64::INFINITY => functions::try_reduce_max(&size, all()),
                None => {
                    let sum = functions::try_reduce_sum(functions::try_pow(&size, p)?, all())?;
                    functions::try_pow(&sum, 1.0 / p)
                }
                Some([rows, cols]) => {
                    let (along, across) = if p == 1.0 { (rows, cols) } else { (cols, rows) };
                    let sums = functions::try_reduce_sum(&size, keep_dims(along as isize))?;
                    let largest = functions::try_reduce_max(&sums, keep_dims(across as isize))?;
                    match keep {
                        true => Ok(largest),
                        false => functions::try_squeeze(&largest, [rows as isize, cols as isize]),
                    }
                }
            }
        }
    }
}

public! {
    /// The norm of the elements along axes: of all as one vector for `()`, of vectors along one axis, of matrices along two, of which the
    /// first is that of the rows.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[3.0, -4.0], [0.0, 0.0]]);
    /// assert_eq!(tf::norm(&x, tf::Norm::Euclidean, ()).item::<f32>(), 5.0);
    /// assert_eq!(tf::norm(&x, 1, -1).to_vec::<f32>(), [7.0, 0.0]);
    /// assert_eq!(tf::norm(&x, f64::INFINITY, [0, 1]).item::<f32>(), 7.0);
    /// ```
    pub fn norm, try_norm(x, ord: impl Into<Norm>, axes: impl IntoAxes) -> Tensor {
        of("norm", x, ord.into(), &axes.into_axes()).map_err(|e| e.named("norm"))
    }

    /// The tensor divided by its norm along axes, and that norm, with the axes as dimensions of size 1.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (x, norm) = tf::linalg::normalize(&tf::constant([[3.0, 4.0]]), tf::Norm::Euclidean, 1);
    /// assert_eq!((x.to_vec::<f32>(), norm.to_vec::<f32>()), (vec![0.6, 0.8], vec![5.0]));
    /// ```
    pub fn normalize, try_normalize(x, ord: impl Into<Norm>, axes: impl IntoAxes) -> (Tensor, Tensor) {
        let named = |e: Error| e.named("normalize");
        let norm = of("normalize", x, ord.into(), &keep_dims(axes)).map_err(named)?;
        let divisor = cast_to(&norm, x.dtype()).map_err(named)?;
        Ok((functions::try_divide(x, &divisor).map_err(named)?, norm))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_of_all_norms() {
        for ord in [tf::Norm::Euclidean, 1.into(), 2.into(), 3.into(), f64::INFINITY.into()] {
            check(&|x| tf::norm(&x[0], ord, ()), &[numbers(1, &[2, 3])]);
            check(&|x| tf::norm(&x[0], ord, 1), &[numbers(1, &[2, 3])]);
            check(&|x| tf::normalize(&x[0], ord, 1).0, &[numbers(1, &[2, 3])]);
            if ord != tf::Norm::P(3.0) {
                check(&|x| tf::norm(&x[0], ord, [0, 2]), &[numbers(1, &[2, 3, 2])]);
            }
        }
    }

    #[test]
    fn axes_and_refusals() {
        let x = tf::ones([2, 3, 4]);
        for ord in [tf::Norm::Euclidean, 1.into(), 2.into(), f64::INFINITY.into()] {
            assert_eq!(tf::norm(&x, ord, tf::keep_dims([2, 0])).shape(), [1, 3, 1]);
            assert_eq!(tf::norm(&x, ord, [2, 0]).shape(), [3]);
        }
        assert!(tf::try_norm(&x, 3, [0, 1]).is_err() && tf::try_norm(&x, -1, ()).is_err());
        assert!(tf::try_norm(&x, 1, [0, 1, 2]).is_err() && tf::try_norm(&x, 1, [0, 0]).is_err());
    }
}
