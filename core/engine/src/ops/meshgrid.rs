//! `meshgrid`: the coordinates of all points of a grid, one tensor for each axis; dx is dy summed over the other axes.
//! TensorFlow's `tf.meshgrid`; views, since each is one vector repeated.

use super::{AsTensors, Tensors, broadcast_to_shape, no_tensors, reshape_to};
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::{Dim, MAX_RANK, Shape};
use smallvec::SmallVec;
use std::panic::Location;

/// Which axis of a grid the first vector of [`meshgrid`] goes along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Indexing {
    /// The second, and the second vector along the first, as in pictures: TensorFlow's `"xy"`, its default.
    #[default]
    Xy,
    /// The first, as in matrices: TensorFlow's `"ij"`.
    Ij,
}

#[track_caller]
fn grid(vectors: &[&Tensor], indexing: Indexing) -> Result<Vec<Tensor>> {
    if vectors.is_empty() {
        return Err(no_tensors("meshgrid"));
    }
    let place = |i: usize| match (indexing, i) {
        (Indexing::Xy, 0) if vectors.len() > 1 => 1,
        (Indexing::Xy, 1) => 0,
        _ => i,
    };
    let mut sizes: SmallVec<[Dim; MAX_RANK]> = SmallVec::from_elem(Dim::ONE, vectors.len());
    for (i, vector) in vectors.iter().enumerate() {
        if vector.rank() > 1 {
            return Err(Error::invalid_argument("meshgrid", "the coordinates of an axis must be a vector")
                .got(vector.ty())
                .expected("at most one axis"));
        }
        sizes[place(i)] = vector.shape().element_count();
    }
    let whole = Shape::from_dims(&sizes)?;
    let mut grids = Vec::with_capacity(vectors.len());
    for (i, vector) in vectors.iter().enumerate() {
        let mut own: SmallVec<[Dim; MAX_RANK]> = SmallVec::from_elem(Dim::ONE, vectors.len());
        own[place(i)] = vector.shape().element_count();
        grids.push(broadcast_to_shape(&reshape_to(vector, &Shape::from_dims(&own)?)?, &whole)?);
    }
    Ok(grids)
}

/// For each vector its coordinates at all points of the grid that the vectors span.
///
/// ```
/// use eagerflow as tf;
/// let (x, y) = (tf::constant([1, 2, 3]), tf::constant([10, 20]));
/// let grid = tf::meshgrid(&[&x, &y], tf::Indexing::Xy);
/// assert_eq!(grid[0].to_vec::<i32>(), [1, 2, 3, 1, 2, 3]);
/// assert_eq!(grid[1].to_vec::<i32>(), [10, 10, 10, 20, 20, 20]);
/// assert_eq!(tf::meshgrid(&[&x, &y], tf::Indexing::Ij)[0].shape(), [3, 2]);
/// ```
///
/// # Panics
/// As [`try_meshgrid`] fails.
#[track_caller]
pub fn meshgrid<L: AsTensors + ?Sized>(vectors: &L, indexing: Indexing) -> Vec<Tensor> {
    try_meshgrid(vectors, indexing).or_fail()
}

/// For each vector its coordinates at all points of the grid that the vectors span.
///
/// # Errors
/// InvalidArgument for no vectors, more than 8 of them, or tensors with several axes.
#[track_caller]
pub fn try_meshgrid<L: AsTensors + ?Sized>(vectors: &L, indexing: Indexing) -> Result<Vec<Tensor>> {
    let here = Location::caller();
    let grids = match vectors.as_tensors() {
        Ok(Tensors::Each(held)) => grid(&held.iter().map(|t| &**t).collect::<Vec<_>>(), indexing),
        Ok(Tensors::List(..)) => Err(Error::invalid_argument("meshgrid", "a list of the graph as vectors")
            .help("give the vectors one by one: `&[&x, &y]`")),
        Err(error) => Err(error),
    };
    grids.map_err(|e| e.named("meshgrid").at(here))
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_and_refusals() {
        for indexing in [tf::Indexing::Xy, tf::Indexing::Ij] {
            let f = |x: &[tf::Tensor]| {
                let grid = tf::meshgrid(x, indexing);
                &grid[0] * &grid[1].square() * &grid[2]
            };
            check(&f, &[numbers(1, &[2]), numbers(2, &[3]), numbers(3, &[2])]);
        }
        assert!(tf::try_meshgrid(&[] as &[tf::Tensor], tf::Indexing::Xy).is_err());
        assert!(tf::try_meshgrid(&[tf::ones([2, 2])], tf::Indexing::Xy).is_err());
        assert_eq!(tf::meshgrid(&[tf::constant(3)], tf::Indexing::Xy)[0].shape(), [1]);
    }
}
