//! Rows: the length of a tensor's first axis, and iteration over it; the rows are views that tapes follow.
//! `for row in &x` and `len(x)` in TensorFlow.

use kernels::error::{Error, OrFail, Result};
use crate::tensor::Tensor;
use std::borrow::Borrow;
use std::iter::FusedIterator;
use std::ops::Range;
use std::panic::Location;

impl Tensor {
    /// The size of the first axis: how many rows there are to iterate over. [`num_elements`](Self::num_elements) counts
    /// them all.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::zeros([3, 2]).len(), 3);
    /// ```
    ///
    /// # Panics
    /// For a scalar, which has no rows.
    #[track_caller]
    pub fn len(&self) -> usize {
        self.try_len().or_fail()
    }

    /// The size of the first axis.
    ///
    /// # Errors
    /// InvalidArgument for a scalar.
    #[track_caller]
    pub fn try_len(&self) -> Result<usize> {
        self.rows("len")
    }

    /// How many rows there are, for `op`.
    #[track_caller]
    fn rows(&self, op: &str) -> Result<usize> {
        if self.rank() == 0 {
            return Err(Error::invalid_argument(op, "a scalar has no rows")
                .got(self.ty())
                .expected("at least one dimension")
                .help("read its number with `item`")
                .at(Location::caller()));
        }
        Ok(self.shape()[0])
    }

    /// Whether there are no rows. A scalar, which is one element, is not empty.
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.rank() > 0 && self.shape()[0] == 0
    }

    /// The rows along the first axis, as views: what `for row in &x` goes through.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1, 2], [3, 4]]);
    /// let sums: Vec<i32> = x.iter().map(|row| tf::reduce_sum(&row, ()).item()).collect();
    /// assert_eq!(sums, [3, 7]);
    /// ```
    ///
    /// # Panics
    /// For a scalar.
    #[track_caller]
    pub fn iter(&self) -> Rows<&Self> {
        Rows { tensor: self, left: 0..self.rows("iter").or_fail() }
    }
}

/// The rows of a tensor; made by [`Tensor::iter`], and by `for` over a tensor.
#[derive(Clone, Debug)]
pub struct Rows<T> {
    tensor: T,
    left: Range<usize>,
}

impl<T: Borrow<Tensor>> Iterator for Rows<T> {
    type Item = Tensor;

    #[track_caller]
    fn next(&mut self) -> Option<Tensor> {
        // Not `map`: the row is made at the caller's line.
        match self.left.next() {
            Some(row) => Some(self.tensor.borrow().at(row)),
            None => None,
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }

    #[track_caller]
    fn nth(&mut self, n: usize) -> Option<Tensor> {
        match self.left.nth(n) {
            Some(row) => Some(self.tensor.borrow().at(row)),
            None => None,
        }
    }
}

impl<T: Borrow<Tensor>> DoubleEndedIterator for Rows<T> {
    #[track_caller]
    fn next_back(&mut self) -> Option<Tensor> {
        match self.left.next_back() {
            Some(row) => Some(self.tensor.borrow().at(row)),
            None => None,
        }
    }
}

impl<T: Borrow<Tensor>> ExactSizeIterator for Rows<T> {}
impl<T: Borrow<Tensor>> FusedIterator for Rows<T> {}

impl<'a> IntoIterator for &'a Tensor {
    type Item = Tensor;
    type IntoIter = Rows<&'a Tensor>;

    #[track_caller]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Tensor {
    type Item = Tensor;
    type IntoIter = Rows<Tensor>;

    #[track_caller]
    fn into_iter(self) -> Self::IntoIter {
        let left = 0..self.rows("iter").or_fail();
        Rows { tensor: self, left }
    }
}

#[cfg(test)]
mod tests {
    use crate::{self as tf, GradientTape};

    #[test]
    fn rows_are_views_in_order() {
        let x = tf::constant([[1, 2], [3, 4], [5, 6]]);
        let (mut rows, zero) = (x.iter(), 0);
        assert_eq!((rows.len(), x.len(), x.is_empty()), (3, 3, false));
        assert_eq!(rows.next().unwrap().to_vec::<i32>(), [1, 2]);
        assert_eq!(rows.next_back().unwrap().to_vec::<i32>(), [5, 6]);
        assert_eq!(rows.len(), 1);
        assert_eq!(rows.nth(zero).unwrap().shape(), [2]);
        assert!(rows.next().is_none() && rows.next_back().is_none() && rows.nth(zero).is_none());
        let numbers: Vec<i32> = (&tf::constant([7, 8])).into_iter().map(|n| n.item()).collect();
        assert_eq!(numbers, [7, 8]);
        let doubled: Vec<i32> = tf::range(0, 3, 1).into_iter().map(|n| n.item::<i32>() * 2).collect();
        assert_eq!(doubled, [0, 2, 4]);
        let mut seen = 0;
        for matrix in &tf::zeros([2, 3, 4]) {
            assert_eq!(matrix.shape(), [3, 4]);
            seen += 1;
        }
        assert_eq!(seen, 2);
    }

    #[test]
    fn large_rows_share_their_memory() {
        let x = tf::ones([4, 1000]);
        let first = x.data();
        for (i, row) in x.iter().enumerate() {
            assert_eq!(row.data(), first.wrapping_add(4000 * i));
        }
    }

    #[test]
    fn tensors_without_rows() {
        assert_eq!(tf::zeros([0, 3]).iter().count(), 0);
        assert!(tf::zeros([0, 3]).is_empty());
        let hollow = tf::zeros([2, 0]);
        assert!(!hollow.is_empty() && hollow.iter().all(|row| row.is_empty()));
        let scalar = tf::constant(1.0);
        assert!(!scalar.is_empty());
        let text = scalar.try_len().unwrap_err().to_string();
        assert!(text.contains("float32[]") && text.contains("rows.rs") && text.contains("item"), "{text}");
        let panic = std::panic::catch_unwind(|| scalar.iter().count()).unwrap_err();
        assert!(panic.downcast_ref::<String>().unwrap().contains("a scalar has no rows"));
    }

    #[test]
    fn a_tape_follows_the_rows() {
        let x = tf::constant([[1.0, 2.0], [3.0, 4.0]]);
        let mut tape = GradientTape::new();
        tape.watch(&x);
        let mut total = tf::constant(0.0);
        for (i, row) in x.iter().enumerate() {
            total += tf::reduce_sum(&row * (i + 1) as f32, ());
        }
        assert_eq!(tape.gradient(&total, &x).to_vec::<f32>(), [1.0, 1.0, 2.0, 2.0]);
    }
}
