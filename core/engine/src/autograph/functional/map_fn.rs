//! `map_fn`: a function over each row of a tensor or structure of tensors, and its results one behind the other.
//! Users call it.

use super::parts::{Parts, or_fail, with_tensors};
use super::rows::{At, Rows, arrays, no_rows, write};
use crate::structure::{Nest, Place, place, result};
use crate::tensor_array::TensorArray;
use kernels::error::{OnTheWay as _, Result};
use std::cell::RefCell;

/// What `f` gives for each row of `elems`, stacked along a new first axis: TensorFlow's `tf.map_fn`.
///
/// `elems` is a tensor, or a structure of tensors with equally many rows (of the size of their first axes); `f` is given the same
/// structure of rows, and may give another one, of other dtypes and shapes. All rows give results of the same dtype and shape.
/// Outside of traced functions `f` is called for each row. In a traced function it is recorded as the body of a loop of the graph, which runs
/// for any number of rows; `f` is called once more to learn the types of its results, as it is for no rows. Gradients
/// flow through it, and cost per row what the gradient of `f` costs. What can be written with operations on whole tensors is faster
/// so.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0], [3.0, 4.0]]);
/// let sums = tf::map_fn(|row| tf::reduce_sum(row, ()), &x);
/// assert_eq!(sums.to_vec::<f32>(), [3.0, 7.0]);
/// let pairs = tf::map_fn(|(a, b)| (a + b, a * b), &(tf::constant([1, 2]), tf::constant([10, 20])));
/// assert_eq!(pairs.1.to_vec::<i32>(), [10, 40]);
/// ```
///
/// # Panics
/// If `elems` has no tensor, a scalar, or tensors with different numbers of rows; if `f` gives other structures, dtypes or shapes
/// for some rows.
#[track_caller]
pub fn map_fn<E: Nest, R: Nest>(f: impl Fn(&E) -> R, elems: &E) -> R {
    or_fail(mapped(&f, elems))
}

#[track_caller]
fn mapped<E: Nest, R: Nest>(f: &dyn Fn(&E) -> R, elems: &E) -> Result<R> {
    const OP: &str = "map_fn";
    fn places(arrays: &mut Vec<TensorArray>) -> Vec<Place<'_>> {
        vec![place("the results", arrays, result::<Vec<TensorArray>>())]
    }
    let rows = Rows::of(OP, elems, false)?;
    let (like, types, first) = match rows.on_host() {
        None | Some(0) => {
            let (like, types) = rows.probe(f)?;
            if rows.on_host() == Some(0) {
                return no_rows(&like, &types, OP);
            }
            (like, types, None)
        }
        Some(_) => {
            let like = f(&rows.row(&At::Host(0))?);
            let first = Parts::of(&like);
            let types = first.tensors.iter().map(|t| *t.ty()).collect();
            (like, types, Some(first))
        }
    };
    let mut all = arrays(types.iter().map(|ty| ty.dtype), &rows.count())?;
    if let Some(first) = &first {
        write(&mut all, &At::Host(0), first.tensors.clone())?;
    }
    let expected = RefCell::new(first.unwrap_or_else(|| Parts::of(&like)));
    rows.each(usize::from(rows.on_host().is_some()), &mut all, places, &|index, all| {
        let parts = Parts::of(&f(&rows.row(index)?));
        expected.borrow().agree(&parts, OP)?;
        write(all, index, parts.tensors).map_err(|e| e.named(OP))
    })?;
    let stacked = all.iter().map(TensorArray::try_stack).collect::<Result<_>>()?;
    Ok(with_tensors(&like, stacked))
}
