//! What convolutions and poolings are told beside their tensors: sizes for each spatial axis, and how windows slide.
//! All functions of both families take one [`Sliding`]; `window` checks it, in one place, and reckons with it.

use super::functions::DataFormat;
use super::window::{Padding, Pair};
use kernels::error::{Error, Result};
use smallvec::SmallVec;

/// A number for each spatial axis of a window.
pub type Steps = SmallVec<[i64; 3]>;

/// Sizes or steps along the spatial axes, from the outermost; one number stands for all of them.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::ones([1, 4, 6, 1]);
/// assert_eq!(tf::avg_pool(&x, [2, 3], tf::Sliding::new([2, 3], tf::Padding::Valid)).shape(), [1, 2, 2, 1]);
/// assert_eq!(tf::PerAxis::from(2), tf::PerAxis::from([2]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PerAxis {
    sizes: [i64; 3],
    count: u8,
}

macro_rules! per_axis {
    ($($t:ty)*) => {$(
        impl From<$t> for PerAxis {
            fn from(all: $t) -> Self {
                Self::from([all])
            }
        }
        per_axis!(@ $t, 1 2 3);
        impl From<($t, $t)> for PerAxis {
            fn from((rows, columns): ($t, $t)) -> Self {
                Self::from([rows, columns])
            }
        }
        impl From<($t, $t, $t)> for PerAxis {
            fn from((planes, rows, columns): ($t, $t, $t)) -> Self {
                Self::from([planes, rows, columns])
            }
        }
    )*};
    (@ $t:ty, $($n:literal)*) => {$(
        impl From<[$t; $n]> for PerAxis {
            fn from(each: [$t; $n]) -> Self {
                let mut sizes = [0; 3];
                // What does not fit is no size either way; the check names it.
                sizes.iter_mut().zip(each).for_each(|(to, n)| *to = i64::try_from(n).unwrap_or(i64::MAX));
                Self { sizes, count: $n }
            }
        }
    )*};
}

per_axis!(i32 i64 usize);

impl From<Pair> for PerAxis {
    fn from(pair: Pair) -> Self {
        Self::from(pair.numbers())
    }
}

impl PerAxis {
    /// The numbers for so many axes, each at least 1.
    pub(crate) fn resolve(self, op: &str, what: &str, axes: usize) -> Result<Steps> {
        self.along(op, what, axes, 1).map(|each| each.numbers().into())
    }

    /// The same with a number of its own for each of so many axes, all at least `least`.
    pub(crate) fn along(self, op: &str, what: &str, axes: usize, least: i64) -> Result<Self> {
        let given = self.numbers();
        let expected = || match axes {
            1 => format!("a number of at least {least}"),
            2 => format!("two numbers of at least {least}, or one for both"),
            _ => format!("{axes} numbers of at least {least}, or one for all"),
        };
        if !given.iter().all(|n| (least..=i64::from(i32::MAX)).contains(n)) {
            let rule = if least > 0 { "must be positive" } else { "must not be negative" };
            let error = Error::invalid_argument(op, format!("{what} {rule}"));
            return Err(error.got(format!("{given:?}")).expected(expected()));
        }
        match given {
            &[all] => {
                let mut sizes = [0; 3];
                sizes[..axes].fill(all);
                Ok(Self { sizes, count: axes as u8 })
            }
            each if each.len() == axes => Ok(self),
            _ => Err(Error::invalid_argument(op, format!("{what} are not for {axes} spatial axes"))
                .got(format!("{given:?}"))
                .expected(expected())),
        }
    }

    /// The numbers that were given.
    pub(crate) fn numbers(&self) -> &[i64] {
        &self.sizes[..usize::from(self.count)]
    }
}

/// How windows slide over a batch: TensorFlow's `strides`, `padding`, `data_format` and `dilations`, with its defaults for the
/// last two.
///
/// ```
/// use eagerflow as tf;
/// let how = tf::Sliding::new(2, tf::Padding::Same).data_format(tf::DataFormat::ChannelsFirst);
/// let y = tf::conv2d_with(tf::ones([1, 3, 8, 8]), tf::ones([3, 3, 3, 16]), how);
/// assert_eq!(y.shape(), [1, 16, 4, 4]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sliding {
    pub(crate) strides: PerAxis,
    pub(crate) padding: Padding,
    pub(crate) data_format: DataFormat,
    pub(crate) dilations: PerAxis,
}

impl Sliding {
    /// Windows from each to the next of which are so many steps, with what lies around the input.
    pub fn new(strides: impl Into<PerAxis>, padding: Padding) -> Self {
        let strides = strides.into();
        Self { strides, padding, data_format: DataFormat::ChannelsLast, dilations: PerAxis::from(1) }
    }

    /// Where the channels lie, in input and output: TensorFlow's `"NHWC"` or `"NCHW"`, and their kin of one and three spatial axes.
    pub fn data_format(self, data_format: DataFormat) -> Self {
        Self { data_format, ..self }
    }

    /// Steps from one cell of a window to the next.
    pub fn dilations(self, dilations: impl Into<PerAxis>) -> Self {
        Self { dilations: dilations.into(), ..self }
    }
}
