//! `tensordot`: sums of products over chosen axes of two tensors; its gradients are those of `matmul`.
//! TensorFlow's `tf.tensordot`: transpose, reshape to matrices, one `matmul`, reshape back.

use super::transpose::permuted;
use super::{AsTensor, matmul, reshape_to};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OrFail, Result};
use kernels::shape::{AxisSet, Dim, MAX_RANK, Shape, resolve_axis};
use crate::tensor::Tensor;
use smallvec::SmallVec;
use std::panic::Location;

/// Which axes [`tensordot`] sums over.
#[derive(Clone, Debug, PartialEq)]
pub enum Contract {
    /// The last so many of the first tensor with as many first ones of the second.
    Count(usize),
    /// These axes of the first tensor, each with its partner of the second.
    Axes(Vec<isize>, Vec<isize>),
}

/// What can say over which axes to contract: a number, or two arrays (or vectors) of axes.
pub trait IntoContract {
    /// The axes as a value.
    fn into_contract(self) -> Contract;
}

impl IntoContract for Contract {
    fn into_contract(self) -> Contract {
        self
    }
}

impl IntoContract for usize {
    fn into_contract(self) -> Contract {
        Contract::Count(self)
    }
}

impl<const N: usize> IntoContract for ([isize; N], [isize; N]) {
    fn into_contract(self) -> Contract {
        Contract::Axes(self.0.to_vec(), self.1.to_vec())
    }
}

impl IntoContract for (Vec<isize>, Vec<isize>) {
    fn into_contract(self) -> Contract {
        Contract::Axes(self.0, self.1)
    }
}

type List<T> = SmallVec<[T; MAX_RANK]>;

/// The contracted axes of both tensors as indices, checked.
fn pairs(contract: Contract, a: &Shape, b: &Shape) -> Result<(List<usize>, List<usize>)> {
    let (left, right) = match contract {
        Contract::Count(n) if n <= a.rank().min(b.rank()) => ((a.rank() - n..a.rank()).collect(), (0..n).collect()),
        Contract::Count(n) => {
            return Err(Error::invalid_argument("tensordot", "there are not so many axes to sum over")
                .got(format!("{n} axes of {a} and {b}"))
                .expected(format!("at most {}", a.rank().min(b.rank()))));
        }
        Contract::Axes(left, right) => {
            let resolve = |axes: &[isize], shape: &Shape| {
                axes.iter().map(|&axis| resolve_axis("tensordot", axis, shape.rank())).collect::<Result<List<usize>>>()
            };
            (resolve(&left, a)?, resolve(&right, b)?)
        }
    };
    let distinct = |axes: &[usize]| AxisSet::of(axes).len() == axes.len();
    let fits = |(&l, &r): (&usize, &usize)| a.dim(l).can_equal(b.dim(r));
    if left.len() != right.len() || !distinct(&left) || !distinct(&right) || !left.iter().zip(&right).all(fits) {
        return Err(Error::invalid_argument("tensordot", "the axes do not fit each other")
            .got(format!("axes {left:?} of {a} and {right:?} of {b}"))
            .expected("as many axes on both sides, each named once and as long as its partner"));
    }
    Ok((left, right))
}

/// The tensor as a matrix: `outer` axes against `inner` ones, in this order of sides if `first`.
fn as_matrix(x: &Tensor, inner: &[usize], inner_last: bool) -> Result<(Tensor, List<Dim>)> {
    let outer: List<usize> = (0..x.rank()).filter(|axis| !inner.contains(axis)).collect();
    let dims = |axes: &[usize]| axes.iter().map(|&axis| x.shape().dim(axis)).collect::<List<Dim>>();
    let count = |axes: &[usize]| Ok(Shape::from_dims(&dims(axes))?.element_count());
    let (front, back) = if inner_last { (&outer[..], inner) } else { (inner, &outer[..]) };
    let order: List<usize> = front.iter().chain(back).copied().collect();
    let matrix = reshape_to(&permuted(x, &order)?, &Shape::from_dims(&[count(front)?, count(back)?])?)?;
    Ok((matrix, dims(&outer)))
}

#[track_caller]
fn contracted(a: &Tensor, b: &Tensor, contract: Contract) -> Result<Tensor> {
    let accepts = DTypes::FLOATING.and(DTypes::COMPLEX).and(DTypes::of(&[DType::I32, DType::I64]));
    if !accepts.has(a.dtype()) || a.dtype() != b.dtype() {
        return Err(Error::invalid_argument("tensordot", "the tensors have the wrong dtypes")
            .got(format!("{} and {}", a.dtype(), b.dtype()))
            .expected(format!("two of one dtype, one of {accepts}"))
            .help("convert them with `cast`"));
    }
    let (left, right) = pairs(contract, a.shape(), b.shape())?;
    let ((a, mut dims), (b, more)) = (as_matrix(a, &left, true)?, as_matrix(b, &right, false)?);
    dims.extend(more);
    reshape_to(&matmul::try_matmul(&a, &b)?, &Shape::from_dims(&dims).map_err(|e| e.in_op("tensordot"))?)
}

/// The sum of products over axes: the last `n` of `a` with the first `n` of `b`, or two lists of axes that belong
/// together. The result has the other axes of `a`, then those of `b`.
///
/// ```
/// use eagerflow as tf;
/// let (a, b) = (tf::ones([2, 3, 4]), tf::ones([3, 4, 5]));
/// assert_eq!(tf::tensordot(&a, &b, 2).shape(), [2, 5]);
/// assert_eq!(tf::tensordot(&a, &b, ([1], [0])).shape(), [2, 4, 4, 5]);
/// ```
///
/// # Panics
/// As [`try_tensordot`] fails.
#[track_caller]
pub fn tensordot(a: impl AsTensor, b: impl AsTensor, axes: impl IntoContract) -> Tensor {
    try_tensordot(a, b, axes).or_fail()
}

/// The sum of products over axes.
///
/// # Errors
/// InvalidArgument for axes that do not exist, are named twice or differ in size, dtypes that differ or are not taken,
/// and results of more than 8 dimensions.
#[track_caller]
pub fn try_tensordot(a: impl AsTensor, b: impl AsTensor, axes: impl IntoContract) -> Result<Tensor> {
    let here = Location::caller();
    contracted(&a.as_tensor(), &b.as_tensor(), axes.into_contract()).map_err(|e| e.at(here))
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};
    use tf::Contract;

    #[test]
    fn gradients_and_edges() {
        let (a, b) = (numbers(1, &[2, 3, 2]), numbers(2, &[3, 2, 2]));
        check(&|x| tf::tensordot(&x[0], &x[1], 2), &[a.clone(), b.clone()]);
        check(&|x| tf::tensordot(&x[0], &x[1], ([-1, 1], [1, 0])), &[a.clone(), b.clone()]);
        check(&|x| tf::tensordot(&x[0], &x[1], 0), &[numbers(3, &[2]), numbers(4, &[3])]);
        let (x, y) = (tf::constant([[1, 2], [3, 4]]), tf::constant([[5, 6], [7, 8]]));
        assert_eq!(tf::tensordot(&x, &y, ([0, 1], [1, 0])).item::<i32>(), 5 + 2 * 7 + 3 * 6 + 4 * 8);
        assert_eq!(tf::tensordot(&tf::zeros([2, 0]), &tf::zeros([0, 3]), 1).to_vec::<f32>(), [0.0; 6]);
        for wrong in [
            Contract::Count(4),
            Contract::Axes(vec![0], vec![0]),
            Contract::Axes(vec![1, 1], vec![0, 0]),
            Contract::Axes(vec![1], vec![]),
            Contract::Axes(vec![3], vec![0]),
        ] {
            let error = tf::try_tensordot(&a, &b, wrong).unwrap_err().to_string();
            assert!(error.contains("tensordot"), "{error}");
        }
        assert!(tf::try_tensordot(&x, &tf::ones([2, 2]), 1).is_err());
        assert!(tf::try_tensordot(&tf::ones([1; 8]), &tf::ones([1; 8]), 0).is_err());
    }
}
