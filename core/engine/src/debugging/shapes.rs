//! Assertions on ranks, dtypes and shapes: they hold or fail at once, also where a function is being traced.
//! Users call them as `tf::debugging::assert_shapes` and the like.

use crate::ops::AsTensor;
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use kernels::shape::Dim;
use std::panic::Location;

twins! {
    /// Fails unless the tensor has this number of dimensions.
    ///
    /// ```
    /// use eagerflow as tf;
    /// tf::debugging::assert_rank(&tf::ones([2, 3]), 2, "");
    /// ```
    pub fn assert_rank, try_assert_rank(x: impl AsTensor, rank: usize, message: &str) {
        let x = x.as_tensor();
        agree(x.rank() == rank, "assert_rank", message, x.ty(), format!("rank {rank}"))
    }

    /// Fails unless the tensor has at least this number of dimensions.
    ///
    /// ```
    /// use eagerflow as tf;
    /// tf::debugging::assert_rank_at_least(&tf::ones([2, 3]), 1, "");
    /// ```
    pub fn assert_rank_at_least, try_assert_rank_at_least(x: impl AsTensor, rank: usize, message: &str) {
        let x = x.as_tensor();
        agree(x.rank() >= rank, "assert_rank_at_least", message, x.ty(), format!("rank {rank} or more"))
    }

    /// Fails unless the tensor is a scalar.
    ///
    /// ```
    /// use eagerflow as tf;
    /// tf::debugging::assert_scalar(&tf::constant(2.0), "");
    /// ```
    pub fn assert_scalar, try_assert_scalar(x: impl AsTensor, message: &str) {
        let x = x.as_tensor();
        agree(x.rank() == 0, "assert_scalar", message, x.ty(), "shape []".into())
    }

    /// Fails unless the tensor has this dtype.
    ///
    /// ```
    /// use eagerflow as tf;
    /// tf::debugging::assert_type(&tf::constant(2.0), tf::DType::F32, "");
    /// ```
    pub fn assert_type, try_assert_type(x: impl AsTensor, dtype: DType, message: &str) {
        let x = x.as_tensor();
        agree(x.dtype() == dtype, "assert_type", message, x.ty(), dtype.to_string())
    }

    /// Fails unless each tensor has the shape that its text describes, and equal names stand for equal sizes.
    ///
    /// A text names one size per dimension, parted by spaces: a number, a name, or `_` for any size. `...` at its
    /// beginning or end stands for any number of dimensions.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (images, labels) = (tf::ones([8, 28, 28]), tf::ones([8]));
    /// tf::debugging::assert_shapes(&[(&images, "batch 28 _"), (&labels, "batch"), (&images, "... 28")], "");
    /// assert!(tf::debugging::try_assert_shapes(&[(&images, "n n n")], "a cube").is_err());
    /// ```
    pub fn assert_shapes, try_assert_shapes(shapes: &[(&Tensor, &str)], message: &str) {
        let mut names = Vec::new();
        shapes.iter().try_for_each(|(x, text)| described(x, text, &mut names, message))
    }
}

/// An assertion about a type, which holds or fails at once.
fn agree(holds: bool, name: &str, message: &str, got: impl std::fmt::Display, expected: String) -> Result<()> {
    if holds {
        return Ok(());
    }
    let what = if message.is_empty() { "the assertion does not hold" } else { message };
    Err(Error::invalid_argument(name, what).got(got).expected(expected))
}

/// Whether a tensor has the shape that a text describes, given the sizes that names stand for so far.
fn described<'a>(x: &Tensor, text: &'a str, names: &mut Vec<(&'a str, Dim)>, message: &str) -> Result<()> {
    let words: Vec<&str> = text.split([' ', ',']).filter(|w| !w.is_empty()).collect();
    let sizes = x.shape().sizes();
    let (words, sizes) = match &words[..] {
        ["...", rest @ ..] if rest.len() <= sizes.len() => (rest, &sizes[sizes.len() - rest.len()..]),
        [rest @ .., "..."] if rest.len() <= sizes.len() => (rest, &sizes[..rest.len()]),
        all => (all, sizes),
    };
    let known: Vec<String> = names.iter().map(|(name, size)| format!("{name} = {size}")).collect();
    let mut fits = words.len() == sizes.len();
    for (&word, &size) in words.iter().zip(sizes) {
        fits &= match word.parse::<usize>() {
            Ok(number) => size.can_equal(Dim::known(number)),
            Err(_) if word == "_" => true,
            Err(_) => match names.iter().find(|(name, _)| *name == word) {
                Some((_, other)) => size.can_equal(*other),
                None => {
                    names.push((word, size));
                    true
                }
            },
        };
    }
    let with = if known.is_empty() { String::new() } else { format!(" with {}", known.join(", ")) };
    agree(fits, "assert_shapes", message, x.shape(), format!("[{text}]{with}"))
}
