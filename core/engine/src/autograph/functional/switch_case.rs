//! `switch_case`: one of several closures, chosen by a number; a graph finds it in as many comparisons as the number has bits.
//! Users call it.

use super::branches::{Branch, Branches};
use super::cond::branch;
use super::parts::or_fail;
use crate::autograph::rt::condition;
use crate::ops::AsTensor;
use crate::ops::functions::{greater_equal, less, logical_and};
use crate::structure::Nest;
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};

/// What closure number `branch_index` gives, or the last one where there is no such number: TensorFlow's `tf.switch_case`.
///
/// `branch_index` is an integer scalar. Outside of traced functions one closure runs; in one where the index is a value of the graph
/// all are recorded, and each call of the graph runs one. They give the same structure of tensors, with the same dtypes and numbers of
/// axes. The closures are a tuple (up to eight), an array or a `Vec`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant(3.0);
/// let y = tf::switch_case(tf::constant(1), (|| &x + 1.0, || &x * 2.0, || x.square()));
/// assert_eq!(y.item::<f32>(), 6.0);
/// ```
///
/// # Panics
/// If there is no closure, if `branch_index` is not an integer scalar, or if the closures give different structures, dtypes or numbers
/// of axes.
#[track_caller]
pub fn switch_case<'f, R: Nest>(branch_index: impl AsTensor, branch_fns: impl Branches<'f, R>) -> R {
    or_fail(chosen(&branch_index.as_tensor(), branch_fns.list(), None))
}

/// As [`switch_case`], with a closure for all other numbers.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant(3.0);
/// let y = tf::switch_case_with_default(tf::constant(7), (|| &x + 1.0, || &x * 2.0), || -&x);
/// assert_eq!(y.item::<f32>(), -3.0);
/// ```
///
/// # Panics
/// As [`switch_case`].
#[track_caller]
pub fn switch_case_with_default<'f, R: Nest>(
    branch_index: impl AsTensor,
    branch_fns: impl Branches<'f, R>,
    default: impl FnOnce() -> R + 'f,
) -> R {
    or_fail(chosen(&branch_index.as_tensor(), branch_fns.list(), Some(Box::new(default))))
}

#[track_caller]
fn chosen<'f, R: Nest>(index: &Tensor, mut branches: Vec<Branch<'f, R>>, default: Option<Branch<'f, R>>) -> Result<R> {
    const OP: &str = "switch_case";
    if branches.is_empty() {
        return Err(Error::invalid_argument(OP, "there is no branch to choose").expected("one closure or more"));
    }
    if !DTypes::INTEGERS.has(index.dtype()) || index.rank() != 0 {
        return Err(Error::invalid_argument(OP, "`branch_index` is not one integer")
            .got(index.ty())
            .expected("an integer without axes"));
    }
    // A number that is none leads to the last closure, as any other way out of the list does.
    let default = default.or_else(|| branches.pop());
    let Some(default) = default else { return Err(Error::internal(OP, "no branch")) };
    let count = branches.len();
    if count == 0 {
        return Ok(default());
    }
    let known = logical_and(greater_equal(index, 0), less(index, limit(count)));
    Ok(branch(condition(&known), || halved(index, 0, branches), default))
}

/// The closure with the number, where it is one of those from `first` on.
#[track_caller]
fn halved<'f, R: Nest>(index: &Tensor, first: usize, mut branches: Vec<Branch<'f, R>>) -> R {
    if branches.len() == 1
        && let Some(only) = branches.pop()
    {
        return only();
    }
    let middle = branches.len() / 2;
    let upper = branches.split_off(middle);
    let lower = condition(&less(index, limit(first + middle)));
    branch(lower, || halved(index, first, branches), || halved(index, first + middle, upper))
}

/// A number of closures as one that tensors are compared with.
fn limit(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
