//! `case`: the first of several closures whose condition holds, made of `cond`s one inside the other.
//! Users call it.

use super::branches::{Branch, Cases};
use super::cond::branch;
use super::parts::or_fail;
use crate::autograph::dispatch::CondValue;
use crate::autograph::rt::Cond;
use crate::debugging::try_assert_less;
use crate::structure::Nest;
use kernels::dtype::DType;
use kernels::error::Result;

/// What the first closure gives whose condition holds, or `default` where none does: TensorFlow's `tf.case`.
///
/// `pred_fn_pairs` is a tuple of pairs (up to eight), an array or a `Vec`; a condition is a `bool`, or a tensor or variable of one truth
/// value. With `exclusive` it is an error if several conditions hold. Outside of traced functions one closure runs; in one, those of
/// conditions that are values of the graph are recorded, and each call of the graph runs one. They give the same structure of tensors,
/// with the same dtypes and numbers of axes.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant(3.0);
/// let y = tf::case(
///     ((tf::less(&x, 0.0), || -&x), (tf::less(&x, 4.0), || &x * 2.0)),
///     || x.square(),
///     false,
/// );
/// assert_eq!(y.item::<f32>(), 6.0);
/// ```
///
/// # Panics
/// If a condition is not one truth value; if several hold, with `exclusive`; if the closures give different structures, dtypes or
/// numbers of axes.
#[track_caller]
pub fn case<'f, R: Nest>(pred_fn_pairs: impl Cases<'f, R>, default: impl FnOnce() -> R + 'f, exclusive: bool) -> R {
    let cases = pred_fn_pairs.list();
    if exclusive {
        or_fail(check_exclusive(&cases));
    }
    first_that_holds(cases.into_iter(), Box::new(default))
}

#[track_caller]
fn first_that_holds<'f, R: Nest>(mut cases: std::vec::IntoIter<(Cond, Branch<'f, R>)>, default: Branch<'f, R>) -> R {
    match cases.next() {
        None => default(),
        Some((pred, f)) => branch(pred, f, move || first_that_holds(cases, default)),
    }
}

/// An error, also in a graph when it runs, unless at most one condition holds.
#[track_caller]
fn check_exclusive<R>(cases: &[(Cond, Branch<'_, R>)]) -> Result<()> {
    let mut count = crate::constant(0i32);
    for (pred, _) in cases {
        count = count
            + match &pred.value {
                CondValue::Host(holds) => crate::constant(i32::from(*holds)),
                CondValue::Tensor(holds) => crate::ops::cast_to(holds, DType::I32)?,
            };
    }
    try_assert_less(&count, 2, "case: several conditions hold, which `exclusive` rules out")
}
