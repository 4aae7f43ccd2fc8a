//! `foldl`, `foldr` and `scan`: one value made of all rows of a tensor, the rows taken one after the other.
//! Users call them; a loop of the graph carries the value where a function is traced.

use super::parts::{Parts, or_fail, with_tensors};
use super::rows::{At, Rows, arrays, write};
use crate::structure::{Nest, Place, place, result};
use crate::tensor_array::TensorArray;
use kernels::error::{OnTheWay as _, Result};

/// In place of a value to begin with: the first row, or the last one where rows are taken from the end. TensorFlow's
/// `initializer=None`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FirstRow;

/// What a fold begins with: a structure of tensors, or [`FirstRow`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no value to begin with",
    label = "neither a structure of tensors nor `FirstRow`",
    note = "give a tensor, as `tf::constant(0.0)`, a structure of tensors, or `tf::FirstRow`"
)]
pub trait Initializer<E> {
    /// The value that goes from row to row.
    type Accumulated: Nest;

    /// The value, and how many rows it takes.
    ///
    /// # Errors
    /// Of `first`, which gives the first row.
    #[doc(hidden)]
    fn begin(self, first: &mut dyn FnMut() -> Result<E>) -> Result<(Self::Accumulated, usize)>;
}

impl<E, A: Nest> Initializer<E> for A {
    type Accumulated = A;

    fn begin(self, _: &mut dyn FnMut() -> Result<E>) -> Result<(A, usize)> {
        Ok((self, 0))
    }
}

impl<E: Nest> Initializer<E> for FirstRow {
    type Accumulated = E;

    fn begin(self, first: &mut dyn FnMut() -> Result<E>) -> Result<(E, usize)> {
        Ok((first()?, 1))
    }
}

/// `f(.. f(f(initializer, row 0), row 1) .., last row)`: TensorFlow's `tf.foldl`.
///
/// `elems` is a tensor, or a structure of tensors with equally many rows; `initializer` is the value to begin with, of any structure, or
/// [`FirstRow`]. `f` gives the value anew, with the same structure, dtypes and numbers of axes. Outside of traced functions `f` is
/// called for each row; in one, it is the body of a loop of the graph. Gradients flow through it.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([1.0, 2.0, 3.0]);
/// let horner = tf::foldl(|sum, row| sum * 10.0 + row, &x, tf::constant(0.0));
/// assert_eq!(horner.item::<f32>(), 123.0);
/// assert_eq!(tf::foldl(|sum, row| sum + row, &x, tf::FirstRow).item::<f32>(), 6.0);
/// ```
///
/// # Panics
/// If `elems` has no tensor, a scalar, or tensors with different numbers of rows; if there is no row and `initializer` is
/// [`FirstRow`]; if `f` gives a value of another structure, dtype or number of axes.
#[track_caller]
pub fn foldl<E: Nest, I: Initializer<E>>(
    f: impl Fn(&I::Accumulated, &E) -> I::Accumulated,
    elems: &E,
    initializer: I,
) -> I::Accumulated {
    or_fail(folded("foldl", &f, elems, initializer, false))
}

/// As [`foldl`], from the last row to the first: TensorFlow's `tf.foldr`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([1.0, 2.0, 3.0]);
/// let horner = tf::foldr(|sum, row| sum * 10.0 + row, &x, tf::constant(0.0));
/// assert_eq!(horner.item::<f32>(), 321.0);
/// ```
///
/// # Panics
/// As [`foldl`].
#[track_caller]
pub fn foldr<E: Nest, I: Initializer<E>>(
    f: impl Fn(&I::Accumulated, &E) -> I::Accumulated,
    elems: &E,
    initializer: I,
) -> I::Accumulated {
    or_fail(folded("foldr", &f, elems, initializer, true))
}

/// All values that [`foldl`] comes by, stacked along a new first axis: TensorFlow's `tf.scan`.
///
/// There are as many as rows; where the first row is the value to begin with, it is the first of them. With `reverse` rows are taken from the
/// last to the first, and the results lie at the places of their rows. All values have one shape.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([1.0, 2.0, 3.0]);
/// let sums = tf::scan(|sum, row| sum + row, &x, tf::FirstRow, false);
/// assert_eq!(sums.to_vec::<f32>(), [1.0, 3.0, 6.0]);
/// let back = tf::scan(|sum, row| sum + row, &x, tf::constant(0.0), true);
/// assert_eq!(back.to_vec::<f32>(), [6.0, 5.0, 3.0]);
/// ```
///
/// # Panics
/// As [`foldl`], and if `f` gives values of different shapes.
#[track_caller]
pub fn scan<E: Nest, I: Initializer<E>>(
    f: impl Fn(&I::Accumulated, &E) -> I::Accumulated,
    elems: &E,
    initializer: I,
    reverse: bool,
) -> I::Accumulated {
    or_fail(scanned(&f, elems, initializer, reverse))
}

/// The value of before and a row, to the value.
type Step<'f, A, E> = &'f dyn Fn(&A, &E) -> A;

#[track_caller]
fn folded<E: Nest, I: Initializer<E>>(
    op: &'static str,
    f: Step<'_, I::Accumulated, E>,
    elems: &E,
    initializer: I,
    reverse: bool,
) -> Result<I::Accumulated> {
    fn places<A: Nest>(value: &mut A) -> Vec<Place<'_>> {
        vec![place("the accumulated value", value, result::<A>())]
    }
    let rows = Rows::of(op, elems, reverse)?;
    let (mut value, first) = begin(&rows, initializer)?;
    rows.each(first, &mut value, places::<I::Accumulated>, &|index, value| {
        let next = f(value, &rows.row(index)?);
        Parts::of(value).agree(&Parts::of(&next), op)?;
        *value = next;
        Ok(())
    })?;
    Ok(value)
}

#[track_caller]
fn begin<E: Nest, I: Initializer<E>>(rows: &Rows<'_, E>, initializer: I) -> Result<(I::Accumulated, usize)> {
    initializer.begin(&mut || {
        rows.not_empty()?;
        match rows.on_host() {
            Some(_) => rows.row(&At::Host(0)),
            None => rows.row(&At::Graph(crate::constant(0))),
        }
    })
}

/// The value that goes from row to row, and all of them so far.
struct Scanned<A> {
    value: A,
    all: Vec<TensorArray>,
}

#[track_caller]
fn scanned<E: Nest, I: Initializer<E>>(
    f: Step<'_, I::Accumulated, E>,
    elems: &E,
    initializer: I,
    reverse: bool,
) -> Result<I::Accumulated> {
    const OP: &str = "scan";
    fn places<A: Nest>(state: &mut Scanned<A>) -> Vec<Place<'_>> {
        let value = place("the accumulated value", &mut state.value, result::<A>());
        vec![value, place("the results", &mut state.all, result::<Vec<TensorArray>>())]
    }
    let rows = Rows::of(OP, elems, reverse)?;
    let (value, first) = begin(&rows, initializer)?;
    let begun = Parts::of(&value);
    let count = rows.count();
    let last = &count - 1;
    // Where a row's result lies, whichever way the rows are taken.
    let place_of = |index: &At| match (index, rows.on_host()) {
        (At::Host(index), Some(count)) if reverse => At::Host(count - 1 - index),
        (At::Graph(index), _) if reverse => At::Graph(&last - index),
        (index, _) => index.clone(),
    };
    let mut all = arrays(begun.tensors.iter().map(|t| t.dtype()), &count)?;
    if first > 0 {
        let at = if rows.on_host().is_some() { At::Host(0) } else { At::Graph(crate::constant(0)) };
        write(&mut all, &place_of(&at), begun.tensors.clone()).map_err(|e| e.named(OP))?;
    } else {
        for (array, tensor) in all.iter_mut().zip(&begun.tensors) {
            *array = array.clone().element_shape(*tensor.shape());
        }
    }
    let mut state = Scanned { value, all };
    rows.each(first, &mut state, places::<I::Accumulated>, &|index, state| {
        let next = f(&state.value, &rows.row(index)?);
        let parts = Parts::of(&next);
        Parts::of(&state.value).agree(&parts, OP)?;
        state.value = next;
        write(&mut state.all, &place_of(index), parts.tensors).map_err(|e| e.named(OP))
    })?;
    let stacked = state.all.iter().map(TensorArray::try_stack).collect::<Result<_>>()?;
    Ok(with_tensors(&state.value, stacked))
}
