//! `unsorted_segment_join` puts the strings together that name the same segment, row by row of what the ids stand for.
//! TensorFlow's `tf.strings.unsorted_segment_join`: ids in any order, each of them a segment's number.

use super::string_fn;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, Outputs, identity};
use crate::ops::{AsTensor, cast_to};
use crate::tensor::Tensor;
use crate::tensor::strings::{Builder, Strings};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, IntoDim, MAX_RANK, Shape};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Inputs: strings, and ids whose shape begins that of the strings.
#[derive(Clone)]
struct SegmentJoin {
    separator: Arc<str>,
    /// How many segments, as a shape of one dimension so that it may be a symbol.
    size: Shape,
}

const NAME: &str = "unsorted_segment_join";

impl Op for SegmentJoin {
    identity!("unsorted_segment_join", {
        "separator": Text = |this| &this.separator,
        "num_segments": Shape = |this| &this.size,
    });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { separator: self.separator.clone(), size: self.size.bind(lookup)? })))
    }

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::STRING)?;
        cx.check_dtype(1, DTypes::of(&[DType::I32, DType::I64]))?;
        let (data, ids) = (*cx.shape(0), *cx.shape(1));
        let begins = ids.rank() <= data.rank() && ids.iter().zip(data.iter()).all(|(a, b)| a.can_equal(b));
        if ids.rank() == 0 || !begins {
            return Err(Error::invalid_argument(NAME, "the ids do not fit the strings")
                .got(format!("{ids} for {data}"))
                .expected("a shape of at least one axis that begins the shape of the strings"));
        }
        for (a, b) in ids.iter().zip(data.iter()).filter(|(a, b)| a != b) {
            cx.constraints.push(a, b);
        }
        let rest = data.iter().skip(ids.rank());
        let sizes: SmallVec<[Dim; MAX_RANK]> = self.size.iter().chain(rest).collect();
        cx.output(DType::String, Shape::from_dims(&sizes)?);
        Ok(())
    }

    fn runs_on_host(&self) -> bool {
        true
    }

    fn strings(&self, inputs: &[&Tensor]) -> Option<Result<Outputs>> {
        Some(self.join(inputs[0], inputs[1]))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("strings carry no gradient")
    }
}

impl SegmentJoin {
    fn join(&self, data: &Tensor, ids: &Tensor) -> Result<Outputs> {
        let rest = &data.shape().dims()[ids.rank()..];
        // What follows is part of the run, whatever records.
        let _run = crate::execute::Outside::enter();
        let rows = Strings::of(data, NAME)?.rows()?;
        let size = self.size[0];
        // The numbers of the rows, ordered by segment.
        let mut ends = vec![0; size + 1];
        let ids = cast_to(ids, DType::I64)?.try_to_vec::<i64>()?;
        for (at, &id) in ids.iter().enumerate() {
            match usize::try_from(id).ok().filter(|&id| id < size) {
                Some(id) => ends[id] += 1,
                None => {
                    return Err(Error::invalid_argument(NAME, format!("id number {at} names no segment"))
                        .got(id)
                        .expected(format!("0..{size}")));
                }
            }
        }
        let mut begin = 0;
        for end in &mut ends {
            (*end, begin) = (begin, begin + *end);
        }
        let mut order = vec![0; ids.len()];
        for (row, &id) in ids.iter().enumerate() {
            order[ends[id as usize]] = row;
            ends[id as usize] += 1;
        }
        let shape = Shape::new(&[&[size], rest].concat())?;
        let each: usize = rest.iter().product();
        let mut out = Builder::with_capacity(shape.num_elements(), 0);
        let mut begin = 0;
        for &end in &ends[..size] {
            for column in 0..each {
                out.push_with(|bytes| {
                    let start = bytes.len();
                    for &row in &order[begin..end] {
                        // As in TensorFlow: no separator where nothing stands yet, though empty strings came before.
                        if bytes.len() > start {
                            bytes.extend_from_slice(self.separator.as_bytes());
                        }
                        bytes.extend_from_slice(rows[row * each + column]);
                    }
                    Ok(())
                })?;
            }
            begin = end;
        }
        Ok(smallvec![out.finish(&shape)?])
    }
}

string_fn! {
    /// The strings of each of `num_segments` segments put together in row-major order, with a separator between them.
    ///
    /// `segment_ids` are `int32` or `int64`, in any order; their shape begins that of the strings, whose other axes stay. A segment that no
    /// id names is an empty string. As in TensorFlow, empty strings at the beginning of a segment have no separator behind them.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant(["this", "a", "test", "is"]);
    /// let joined = tf::strings::unsorted_segment_join(&x, &tf::constant([0, 1, 1, 0]), 2, " ");
    /// assert_eq!(joined.to_strings(), ["this is", "a test"]);
    /// ```
    pub fn unsorted_segment_join, try_unsorted_segment_join(
        x,
        segment_ids: impl AsTensor,
        num_segments: impl IntoDim,
        separator: &str,
    ) -> Tensor {
        let size = num_segments.into_dim().map_err(|e| e.in_op(NAME))?;
        if size.valid().is_err() {
            return Err(Error::invalid_argument(NAME, "segments cannot be less than none").got(size).expected("0 or more"));
        }
        let op = SegmentJoin { separator: separator.into(), size: Shape::from_dims(&[size])? };
        execute1(&op, &[x, &segment_ids.as_tensor()])
    }
}
