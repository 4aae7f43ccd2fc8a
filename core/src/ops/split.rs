//! `split`: a tensor cut into parts along an axis, views without a copy; dx puts the parts' dy back in their places.
//! TensorFlow's `tf.split`: equal parts, or parts of given sizes of which one may be -1.

use super::slice::slice_axis;
use super::{pinned_size, public};
use crate::error::{Error, Result};
use crate::shape::{Dim, Shape, resolve_axis};
use crate::tensor::Tensor;

/// How `split` cuts: into that many equal parts, or into parts of these sizes.
#[derive(Clone, Debug, PartialEq)]
pub enum Splits {
    /// So many parts of equal size.
    Parts(usize),
    /// The size of each part; one may be -1 for what the others leave.
    Sizes(Vec<isize>),
}

/// What can say how to [`split`]: a number of equal parts, or an array, slice or `Vec` of sizes.
pub trait IntoSplits {
    /// The cut as a value.
    fn into_splits(self) -> Splits;
}

impl IntoSplits for Splits {
    fn into_splits(self) -> Splits {
        self
    }
}

impl IntoSplits for usize {
    fn into_splits(self) -> Splits {
        Splits::Parts(self)
    }
}

impl<const N: usize> IntoSplits for [isize; N] {
    fn into_splits(self) -> Splits {
        Splits::Sizes(self.to_vec())
    }
}

impl IntoSplits for &[isize] {
    fn into_splits(self) -> Splits {
        Splits::Sizes(self.to_vec())
    }
}

impl IntoSplits for Vec<isize> {
    fn into_splits(self) -> Splits {
        Splits::Sizes(self)
    }
}

impl Splits {
    /// The size of each part of an axis.
    #[track_caller]
    fn sizes(&self, shape: &Shape, axis: usize) -> Result<Vec<Dim>> {
        let whole = shape.dim(axis);
        match self {
            Self::Parts(0) => Err(Error::invalid_argument("split", "nothing can be cut into no parts")
                .got("0 parts")
                .expected("at least one part")),
            Self::Parts(parts) => match whole.div_exact(Dim::known(*parts)) {
                Some(size) => Ok(vec![size; *parts]),
                // Whether a symbol can be cut so is a question about its number.
                None if !whole.is_known() => {
                    let known = shape.with(axis, pinned_size("split", shape, axis)?)?;
                    self.sizes(&known, axis)
                }
                None => Err(Error::invalid_argument("split", "the axis cannot be cut into equal parts")
                    .got(format!("size {whole} into {parts} parts"))
                    .expected(format!("a multiple of {parts}"))
                    .help("give the sizes of the parts instead")),
            },
            Self::Sizes(sizes) if sizes.contains(&-1) => given(sizes, whole),
            Self::Sizes(sizes) => given(sizes, Dim::known(pinned_size("split", shape, axis)?)),
        }
    }
}

/// Given sizes with -1 worked out, checked against the whole.
fn given(sizes: &[isize], whole: Dim) -> Result<Vec<Dim>> {
    let refuse = |what: &str| {
        Err(Error::invalid_argument("split", what)
            .got(format!("sizes {sizes:?} for an axis of size {whole}"))
            .expected("sizes of 0 or more that add up to the axis, of which one may be -1"))
    };
    if sizes.iter().any(|&s| s < -1) {
        return refuse("a part has a negative size");
    }
    let open = sizes.iter().filter(|&&s| s == -1).count();
    // Saturating: a sum that overflows fits no axis.
    let sum = sizes.iter().filter(|&&s| s >= 0).fold(0usize, |sum, &s| sum.saturating_add(s as usize));
    if open > 1 {
        return refuse("more than one part is to be worked out");
    }
    // With a symbol for the whole, the slices are checked when it has its number.
    let fits = whole.known_value().is_none_or(|whole| if open == 0 { sum == whole } else { sum <= whole });
    if !fits || sum > isize::MAX as usize {
        return refuse("the sizes do not add up to the axis");
    }
    Ok(sizes.iter().map(|&s| if s < 0 { whole - sum } else { Dim::known(s as usize) }).collect())
}

public! {
    /// The parts of `x` along `axis`: equal ones for a number, or parts of the given sizes. No element is copied.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1, 2, 3, 4, 5, 6]);
    /// assert_eq!(tf::split(&x, 3, 0)[1].to_vec::<i32>(), [3, 4]);
    /// assert_eq!(tf::split(&x, [1, -1, 2], 0)[1].to_vec::<i32>(), [2, 3, 4]);
    /// ```
    pub fn split, try_split(x, parts: impl IntoSplits, axis: isize) -> Vec<Tensor> {
        let axis = resolve_axis("split", axis, x.rank())?;
        let mut begin = Dim::ZERO;
        let mut parts_of_x = Vec::new();
        for size in parts.into_splits().sizes(x.shape(), axis)? {
            parts_of_x.push(slice_axis(x, axis, begin, size)?);
            begin = begin + size;
        }
        Ok(parts_of_x)
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn views_with_gradients() {
        check(&|x| tf::split(&x[0], 2, 0)[1].square(), &[numbers(1, &[4, 2])]);
        check(&|x| tf::split(&x[0], [1, -1, 2], -1)[1].square(), &[numbers(1, &[2, 5])]);
        let x = tf::ones([40, 20]);
        assert_eq!(tf::split(&x, 2, 0)[0].data(), x.data());
        let x = tf::ones([4, 2]);
        assert_eq!(tf::split(&x, [0, 4], 0)[0].shape(), [0, 2]);
        assert_eq!(tf::split(&tf::ones([0]), 3, 0).len(), 3);
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let x = tf::ones([4, 2]);
        for parts in [tf::Splits::Parts(3), tf::Splits::Parts(0)] {
            assert!(tf::try_split(&x, parts, 0).is_err());
        }
        for sizes in [vec![1, 2], vec![-1, -1], vec![5, -1], vec![6, -2], vec![isize::MAX, isize::MAX, -1]] {
            let error = tf::try_split(&x, sizes, 0).unwrap_err().to_string();
            assert!(error.contains("split") && error.contains("size 4"), "{error}");
        }
        assert!(tf::try_split(&x, 2, 2).is_err());
    }
}
