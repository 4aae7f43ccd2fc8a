//! `histogram`: how often numbers fall into buckets of one width, by TensorFlow's rule.
//! Programs show weights, gradients and activations with it.

use super::encode::{metadata, numbers};
use super::options::summary_options;
use super::step::IntoStep;
use super::work::Content;
use engine::library::options::{self, options};
use engine::library::{OrFail, cast_to};
use engine::{AsTensor, Tensor, TensorType};
use formats::events::SummaryMetadata;
use formats::messages::{DataType, TensorProto};
use kernels::dtype::DType;
use kernels::error::{Error, Result};

/// Writes how a tensor's numbers are distributed, in 30 buckets; [`Histogram`] has options. Without a default writer it does nothing.
///
/// ```
/// use eagerflow as tf;
/// # let folder = std::env::temp_dir().join(format!("eagerflow-histogram-page-{}", std::process::id()));
/// let writer = tf::summary::create_file_writer(&folder);
/// let _default = writer.as_default();
/// tf::summary::histogram("weights", tf::random::normal([100, 10], 0.0, 1.0), 1);
/// # drop(_default);
/// # writer.close();
/// # std::fs::remove_dir_all(folder).unwrap();
/// ```
///
/// # Panics
/// As [`try_histogram`] fails, at the caller's line.
#[track_caller]
pub fn histogram(name: &str, data: impl AsTensor, step: impl IntoStep) {
    try_histogram(name, data, step).or_fail();
}

/// Writes how a tensor's numbers are distributed.
///
/// # Errors
/// As [`Histogram::try_write`].
#[track_caller]
pub fn try_histogram(name: &str, data: impl AsTensor, step: impl IntoStep) -> Result<()> {
    Histogram::new().try_write(name, data, step)
}

/// The options of a histogram.
///
/// ```
/// use eagerflow as tf;
/// tf::summary::Histogram::new().buckets(50).description("of the *first* layer").write("w", tf::ones([3]), 1);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Histogram {
    buckets: usize,
    description: String,
}

impl Histogram {
    /// 30 buckets, and no text.
    pub fn new() -> Self {
        Self { buckets: 30, description: String::new() }
    }
}

summary_options! { Histogram:
    /// Writes how the numbers of a tensor of any shape are distributed: buckets of one width from the least to the largest number, of
    /// which the last holds its right end too. If all are equal, all buckets are that number and the last holds all. NaN and
    /// infinities are left out, since TensorBoard cannot draw them.
    fn write;

    /// Writes how the numbers of a tensor are distributed.
    ///
    /// # Errors
    /// InvalidArgument for what has no real numbers, or a step that is not one integer; FailedPrecondition without a step, or for a writer
    /// that is closed.
    fn try_write;
}

options! { Histogram:
    /// How many buckets there are: from 1 to 100,000; 30 unless set.
    pub fn buckets, try_buckets(this, buckets: usize) {
        this.buckets = options::count("summary.histogram", "buckets", buckets)?;
        match buckets <= 100_000 {
            true => Ok(this),
            false => Err(Error::invalid_argument("summary.histogram", "`buckets` is out of range")
                .got(buckets)
                .expected("at most 100000")),
        }
    }
}

impl Content for Histogram {
    fn name(&self) -> &'static str {
        "summary.histogram"
    }

    fn metadata(&self) -> SummaryMetadata {
        metadata("histograms", Vec::new(), &self.description)
    }

    fn check(&self, inputs: &[&TensorType]) -> Result<()> {
        let dtype = inputs[0].dtype;
        match dtype.is_floating() || dtype.is_integer() || dtype == DType::Bool {
            true => Ok(()),
            false => Err(Error::invalid_argument("summary.histogram", "the data have no real numbers")
                .got(inputs[0])
                .expected("floats, integers or truth values")),
        }
    }

    fn tensor(&self, inputs: &[Tensor]) -> Result<TensorProto> {
        let values = match inputs[0].dtype() {
            DType::F32 => inputs[0].try_to_vec::<f32>()?.into_iter().map(f64::from).collect(),
            _ => cast_to(&inputs[0], DType::F64)?.try_to_vec::<f64>()?,
        };
        let rows = buckets(&values, self.buckets);
        let bytes = rows.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        Ok(numbers(DataType::Double, bytes, &[self.buckets, 3]))
    }
}

/// Left end, right end and count of each bucket.
fn buckets(values: &[f64], count: usize) -> Vec<[f64; 3]> {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let (low, high) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    let mut rows = vec![[0.0; 3]; count];
    if low > high {
        return rows;
    }
    if low == high {
        rows.iter_mut().for_each(|row| *row = [low, low, 0.0]);
        rows[count - 1][2] = finite().count() as f64;
        return rows;
    }
    // Half of each end, so that the width of all doubles is one itself.
    let width = high / count as f64 - low / count as f64;
    for (i, row) in rows.iter_mut().enumerate() {
        let edge = |i: usize| if i == count { high } else { low + width * i as f64 };
        *row = [edge(i), edge(i + 1), 0.0];
    }
    for value in finite() {
        let at = ((value - low) / width).floor();
        rows[(at as usize).min(count - 1)][2] += 1.0;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_tensorflows() {
        assert_eq!(buckets(&[0.0, 1.0, 2.0, 4.0], 2), [[0.0, 2.0, 2.0], [2.0, 4.0, 2.0]]);
        assert_eq!(buckets(&[3.0, 3.0], 2), [[3.0, 3.0, 0.0], [3.0, 3.0, 2.0]]);
        assert_eq!(buckets(&[], 2), [[0.0; 3]; 2]);
        assert_eq!(buckets(&[f64::NAN, 1.0, f64::INFINITY, 2.0], 1), [[1.0, 2.0, 2.0]]);
        let all = buckets(&[f64::MIN, f64::MAX], 4);
        assert_eq!((all[0][2], all[3][2], all[3][1]), (1.0, 1.0, f64::MAX));
    }
}
