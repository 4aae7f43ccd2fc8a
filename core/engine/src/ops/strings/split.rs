//! `split`: a string cut at a separator or at white space. A scalar becomes a vector; of more strings, which have different
//! numbers of parts, come all parts with the places where each string's begin, which is TensorFlow's `RaggedTensor` in parts.

use super::bytes::is_space;
use super::{string_fn, string_op};
use crate::execute::execute;
use crate::op::Outputs;
use crate::ops::support::pinned_size;
use crate::tensor::Tensor;
use crate::tensor::strings::{Builder, Strings};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};
use std::sync::Arc;

/// Input: strings. Outputs: all parts, and where those of each string begin, with the end of the last.
#[derive(Clone)]
struct StringSplit {
    /// Empty for white space.
    separator: Arc<str>,
    /// How often each string is cut at most; 0 for as often as can be.
    most: usize,
}

string_op!(StringSplit, "string_split",
    { "separator": Text = |this| &this.separator, "most": Int = |this| this.most as i64 }, may_fail: false,
    infer: |_this, cx| {
        cx.check_dtype(0, DTypes::STRING)?;
        let parts = cx.unknown_dim();
        cx.output(DType::String, Shape::from_dims(&[parts])?);
        let ends = cx.shape(0).element_count() + Dim::ONE;
        cx.output(DType::I64, Shape::from_dims(&[ends])?);
        Ok(())
    },
    run: |this, inputs| this.split(inputs[0])
);

impl StringSplit {
    fn split(&self, input: &Tensor) -> Result<Outputs> {
        let mut out = Builder::with_capacity(input.num_elements(), 0);
        let (mut count, mut starts) = (0_i64, vec![0_i64]);
        Strings::of(input, "string_split")?.each(|row| {
            let mut give = |part: &[u8]| {
                count += 1;
                out.push(part)
            };
            match self.separator.is_empty() {
                true => words(row, self.most, &mut give)?,
                false => parts(row, self.separator.as_bytes(), self.most, &mut give)?,
            }
            starts.push(count);
            Ok(())
        })?;
        let parts = out.finish(&Shape::new(&[count as usize])?)?;
        let ends = starts.len();
        Ok(smallvec::smallvec![parts, Tensor::try_from_vec(starts, ends)?])
    }
}

/// The words between white space. After `most` of them comes what is left, as it stands and even if that is nothing, as in TensorFlow.
fn words(row: &[u8], most: usize, give: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut rest = row;
    for cuts in 0.. {
        let start = rest.iter().position(|&byte| !is_space(byte)).unwrap_or(rest.len());
        rest = &rest[start..];
        if most > 0 && cuts == most {
            return give(rest);
        }
        if rest.is_empty() {
            break;
        }
        let end = rest.iter().position(|&byte| is_space(byte)).unwrap_or(rest.len());
        give(&rest[..end])?;
        rest = &rest[end..];
    }
    Ok(())
}

/// The parts between separators, empty ones too.
fn parts(row: &[u8], separator: &[u8], most: usize, give: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut rest = row;
    for cuts in 0.. {
        let at = rest.windows(separator.len()).position(|window| window == separator);
        let Some(at) = at.filter(|_| most == 0 || cuts < most) else { break };
        give(&rest[..at])?;
        rest = &rest[at + separator.len()..];
    }
    give(rest)
}

#[track_caller]
fn run(x: &Tensor, separator: &str, most: usize) -> Result<(Tensor, Tensor)> {
    let mut outputs = execute(&StringSplit { separator: separator.into(), most }, &[x])?;
    match (outputs.pop(), outputs.pop()) {
        (Some(starts), Some(parts)) => Ok((parts, starts)),
        _ => Err(Error::internal("string_split", "two results were expected")),
    }
}

#[track_caller]
fn scalar(x: &Tensor, separator: &str, most: usize) -> Result<Tensor> {
    if x.rank() != 0 {
        return Err(Error::invalid_argument("split", "only a scalar becomes one vector of parts")
            .got(x.ty())
            .expected("shape []")
            .help("`split_rows` gives a vector for each string, `split_ragged` all parts in one and where each string's begin"));
    }
    Ok(run(x, separator, most)?.0)
}

string_fn! {
    /// The parts of one string as a vector: between separators, or the words between white space for an empty separator.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::strings::split("a,b,,c", ",").to_strings(), ["a", "b", "", "c"]);
    /// assert_eq!(tf::strings::split(" two  words ", "").to_strings(), ["two", "words"]);
    /// ```
    pub fn split, try_split(x, separator: &str) -> Tensor {
        scalar(x, separator, 0)
    }

    /// As [`split`], cut at most so often: what is left is the last part. 0 cuts as often as can be, as TensorFlow's -1.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::strings::split_with("a,b,c", ",", 1).to_strings(), ["a", "b,c"]);
    /// ```
    pub fn split_with, try_split_with(x, separator: &str, most: usize) -> Tensor {
        scalar(x, separator, most)
    }

    /// All parts of all strings in row-major order, and where those of each string begin, with the end of the last: `values` and
    /// `row_splits` of TensorFlow's ragged tensor.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (parts, starts) = tf::strings::split_ragged(&tf::constant(["a b", "", "c"]), "");
    /// assert_eq!(parts.to_strings(), ["a", "b", "c"]);
    /// assert_eq!(starts.to_vec::<i64>(), [0, 2, 2, 3]);
    /// ```
    pub fn split_ragged, try_split_ragged(x, separator: &str) -> (Tensor, Tensor) {
        run(x, separator, 0)
    }

    /// The parts of each string of a vector, whose length must be known.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let rows = tf::strings::split_rows(&tf::constant(["a b", "c"]), "");
    /// assert_eq!(rows[0].to_strings(), ["a", "b"]);
    /// assert_eq!(rows[1].to_strings(), ["c"]);
    /// ```
    pub fn split_rows, try_split_rows(x, separator: &str) -> Vec<Tensor> {
        if x.rank() != 1 {
            return Err(Error::invalid_argument("split_rows", "the strings must be a vector").got(x.ty()));
        }
        let rows = pinned_size("split_rows", x.shape(), 0)?;
        (0..rows).map(|row| Ok(run(&x.try_at(row)?, separator, 0)?.0)).collect()
    }
}
