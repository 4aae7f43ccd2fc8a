//! `cond`: one of two closures, chosen by a truth value. The protocol is that of `if` in a traced function.
//! Users call it, and `case` and `switch_case`, which are made of it.

use crate::autograph::rt::{Cond, Condition, End, If, condition, never};
use crate::structure::{Nest, Slot, StateVtable, result};

/// What `true_fn` gives where `pred` holds, else what `false_fn` gives: TensorFlow's `tf.cond`.
///
/// `pred` is a `bool`, or a tensor or variable of one truth value. Outside of traced functions one closure runs. In a traced function
/// where `pred` is a value of the graph both are recorded, and each call of the graph runs one of them; only what happens inside
/// of a closure is part of its branch. Both give the same structure of tensors, with the same dtypes and numbers of axes.
/// In a body under `#[tf_function]`, `if` does the same.
///
/// ```
/// use eagerflow as tf;
/// let (x, y) = (tf::constant(2.0), tf::constant(5.0));
/// let r = tf::cond(tf::less(&x, &y), || &x + &y, || y.square());
/// assert_eq!(r.item::<f32>(), 7.0);
/// ```
///
/// # Panics
/// If `pred` is not one truth value, or if the closures give different structures, dtypes or numbers of axes.
#[track_caller]
pub fn cond<R: Nest>(pred: impl Condition, true_fn: impl FnOnce() -> R, false_fn: impl FnOnce() -> R) -> R {
    branch(condition(&pred), true_fn, false_fn)
}

/// The same on a condition that has been looked at.
#[track_caller]
pub(super) fn branch<R: Nest>(pred: Cond, true_fn: impl FnOnce() -> R, false_fn: impl FnOnce() -> R) -> R {
    let table: &'static StateVtable = result::<R>();
    let mut protocol = If::new(Slot::<R>::new(), pred, &[], &[]);
    if protocol.then()
        && let End::Done(value) = protocol.end_then(true_fn(), table, &mut [])
    {
        return value;
    }
    protocol.otherwise();
    match protocol.end_else(false_fn(), table, &mut []) {
        End::Done(value) | End::Back(Some(value)) => value,
        End::Back(None) => never(),
    }
}
