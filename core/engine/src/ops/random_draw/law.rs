//! What can be drawn: the distributions with their parameters, which dtypes they take, and how they move a generator on.
//! The drawing operations keep a [`Law`] as their attribute; the functions of `tf::random` name it.

use kernels::backend::cpu::philox::{Generator, Philox};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};

/// What is drawn. The parameters are attributes, so that a graph draws anew at each run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Law {
    /// Reals between two bounds.
    Uniform { low: f64, high: f64 },
    /// Reals around a mean.
    Normal { mean: f64, stddev: f64 },
    /// The same, without those two deviations or more away.
    Truncated { mean: f64, stddev: f64 },
    /// Integers of `low..high`.
    Integers { low: i64, high: i64 },
    /// All integers of the dtype.
    Full,
    /// The numbers `0..n` in random order; the shape is `[n]`.
    Order,
}

impl Law {
    /// The names of all.
    pub const LABELS: [&'static str; 6] =
        ["uniform", "normal", "truncated_normal", "uniform_int", "uniform_full_int", "shuffle"];

    pub fn label(self) -> &'static str {
        match self {
            Self::Uniform { .. } => "uniform",
            Self::Normal { .. } => "normal",
            Self::Truncated { .. } => "truncated_normal",
            Self::Integers { .. } => "uniform_int",
            Self::Full => "uniform_full_int",
            Self::Order => "shuffle",
        }
    }

    pub fn reals(self) -> [f64; 2] {
        match self {
            Self::Uniform { low, high } => [low, high],
            Self::Normal { mean, stddev } | Self::Truncated { mean, stddev } => [mean, stddev],
            _ => [0.0; 2],
        }
    }

    pub fn integers(self) -> [i64; 2] {
        if let Self::Integers { low, high } = self { [low, high] } else { [0; 2] }
    }

    /// The stream of a draw of so many elements from a generator's state, and the state after it.
    pub fn advance(self, state: [i64; 3], elements: usize) -> (Philox, [i64; 3]) {
        let mut generator = Generator::from_words(state);
        let stream = generator.draw(elements as u64);
        if self != Self::Order {
            return (stream, generator.words());
        }
        let (key, [low, high]) = stream.skip(self.counters(elements) as u64).key_counter();
        (stream, [low as i64, high as i64, key as i64])
    }

    /// By how many counters a draw of so many elements moves a generator on.
    pub fn counters(self, elements: usize) -> u128 {
        match self {
            // One word per exchange, in whole groups: TensorFlow's rule for its shuffle.
            Self::Order => elements.saturating_sub(1).div_ceil(4) as u128,
            _ => elements as u128 * Generator::PER_ELEMENT,
        }
    }

    /// An error unless the parameters make sense for the dtype.
    pub fn check(self, dtype: DType) -> Result<()> {
        let refuse = |what: &str| Err(Error::invalid_argument(self.label(), what));
        let accepts = match self {
            Self::Integers { .. } | Self::Full => DTypes::of(&[DType::I32, DType::I64, DType::U32, DType::U64]),
            Self::Order => DTypes::of(&[DType::I64]),
            _ => DTypes::FLOATING,
        };
        if !accepts.has(dtype) {
            return refuse("numbers of this distribution do not come in this dtype")
                .map_err(|e: Error| e.got(dtype).expected(format!("one of {accepts}")));
        }
        match self {
            Self::Uniform { low, high } if !(low <= high && (high - low).is_finite()) => {
                refuse("the bounds are not in order").map_err(|e| e.got(format!("{low}..{high}")))
            }
            Self::Integers { low, high } => {
                let (least, greatest) = match dtype {
                    DType::I32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
                    DType::U32 => (0, i64::from(u32::MAX)),
                    DType::U64 => (0, i64::MAX),
                    _ => (i64::MIN, i64::MAX),
                };
                if low < high && least <= low && high <= greatest {
                    return Ok(());
                }
                refuse("the range is empty or leaves the dtype")
                    .map_err(|e| e.got(format!("{low}..{high} for {dtype}")).expected("low < high"))
            }
            _ => Ok(()),
        }
    }
}
