//! Windows that slide over images: strides, dilations and padding, and the sizes that follow from them.
//! Convolutions and poolings keep one [`Windows`] as their attributes and ask it in `infer` and in their kernels.

use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};

/// What lies around an image where a window leaves it.
///
/// ```
/// use eagerflow as tf;
/// let (x, w) = (tf::ones([1, 5, 5, 1]), tf::ones([3, 3, 1, 1]));
/// assert_eq!(tf::conv2d(&x, &w, 1, tf::Padding::Valid).shape(), [1, 3, 3, 1]);
/// assert_eq!(tf::conv2d(&x, &w, 2, tf::Padding::Same).shape(), [1, 3, 3, 1]);
/// assert_eq!(tf::conv2d(&x, &w, 1, tf::Padding::Explicit([[1, 0], [2, 2]])).shape(), [1, 4, 7, 1]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Padding {
    /// Nothing: only windows that lie wholly inside the image count. TensorFlow's `"VALID"`.
    #[default]
    Valid,
    /// As much as makes the output as large as the input divided by the stride, rounded up; an odd rest goes to the
    /// bottom and to the right. TensorFlow's `"SAME"`.
    Same,
    /// These many rows above and below, and columns left and right: `[[top, bottom], [left, right]]`.
    Explicit([[usize; 2]; 2]),
}

/// Two sizes, for rows and columns; one number stands for both.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::Pair::from(2), tf::Pair::from([2, 2]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pair([i64; 2]);

macro_rules! pairs {
    ($($t:ty)*) => {$(
        impl From<$t> for Pair {
            fn from(both: $t) -> Self {
                Self::from([both; 2])
            }
        }
        impl From<[$t; 2]> for Pair {
            fn from(pair: [$t; 2]) -> Self {
                // What does not fit is no size either way; the check below names it.
                Self(pair.map(|n| i64::try_from(n).unwrap_or(i64::MAX)))
            }
        }
        impl From<($t, $t)> for Pair {
            fn from((rows, columns): ($t, $t)) -> Self {
                Self::from([rows, columns])
            }
        }
    )*};
}

pairs!(i32 i64 usize);

impl Pair {
    /// The numbers as sizes of at least 1.
    pub(crate) fn sizes(self, op: &str, what: &str) -> Result<[i64; 2]> {
        match self.0.iter().all(|n| (1..=i64::from(i32::MAX)).contains(n)) {
            true => Ok(self.0),
            false => Err(Error::invalid_argument(op, format!("{what} must be positive"))
                .got(format!("{:?}", self.0))
                .expected("two numbers of at least 1, or one for both")),
        }
    }
}

/// How windows slide over an image; the size of a window itself comes from elsewhere.
#[derive(Clone, PartialEq, Debug)]
pub struct Windows {
    /// Rows and columns from one window to the next.
    pub strides: [i64; 2],
    /// Rows and columns from one cell of a window to the next.
    pub dilations: [i64; 2],
    /// Top, bottom, left, right; zeros where `same` decides.
    pub padding: [i64; 4],
    /// Whether the image is padded so that its size divided by the steps comes out.
    pub same: bool,
}

impl Windows {
    /// Checks how windows are to slide for an operation.
    ///
    /// # Errors
    /// InvalidArgument for steps that are not positive, and paddings that are too large.
    pub fn new(op: &str, strides: Pair, dilations: Pair, padding: Padding) -> Result<Self> {
        let (same, around) = match padding {
            Padding::Valid => (false, [0; 4]),
            Padding::Same => (true, [0; 4]),
            Padding::Explicit([[top, bottom], [left, right]]) => (false, [top, bottom, left, right]),
        };
        if around.iter().any(|&n| n > i32::MAX as usize) {
            return Err(Error::invalid_argument(op, "the padding is too large")
                .got(format!("{padding:?}"))
                .expected("fewer rows and columns than 2^31"));
        }
        Ok(Self {
            strides: strides.sizes(op, "strides")?,
            dilations: dilations.sizes(op, "dilations")?,
            padding: around.map(|n| n as i64),
            same,
        })
    }

    /// Windows along axis 0 (rows) or 1 (columns) of an image.
    pub fn output(&self, axis: usize, input: Dim, window: Dim) -> Dim {
        let stride = self.strides[axis] as usize;
        if self.same {
            return input.ceil_div(stride);
        }
        let reach = self.reach(axis, window);
        let padded = input + (self.padding[2 * axis] + self.padding[2 * axis + 1]) as usize;
        // A size that is not known yet may be too small for a window: then the quotient is below 1, and a run refuses it.
        ((padded + stride).max(reach) - reach).floor_div(stride)
    }

    /// An error where an image is smaller than a window: the result would be empty, which nobody can have meant. TensorFlow's
    /// graphs refuse it ("Negative dimension size"), and its eager calls where more than a stride is missing.
    pub fn check_fits(&self, op: &str, axis: usize, input: Dim, window: Dim) -> Result<()> {
        let padded = input + (self.padding[2 * axis] + self.padding[2 * axis + 1]) as usize;
        let reach = self.reach(axis, window);
        let (Some(size), Some(needed)) = (padded.known_value(), reach.known_value()) else { return Ok(()) };
        if self.same || needed <= size {
            return Ok(());
        }
        let what = if axis == 0 { "rows" } else { "columns" };
        Err(Error::invalid_argument(op, format!("the window is larger than the images: they have fewer {what}"))
            .got(format!("{size} {what} with their padding, for a window of {needed}"))
            .expected(format!("at least {needed}"))
            .help("make the window smaller; `Padding::Same` pads images that are smaller than the window"))
    }

    /// Whether images of a shape that is not all known may turn out smaller than a window.
    pub fn may_not_fit(&self, images: &Shape, window: [Dim; 2]) -> bool {
        let unknown = |dim: Dim| dim.known_value().is_none();
        !self.same && (images.iter().skip(1).take(2).any(unknown) || window.into_iter().any(unknown))
    }

    /// Rows or columns from the first to behind the last cell of a window.
    fn reach(&self, axis: usize, window: Dim) -> Dim {
        let dilation = self.dilations[axis] as usize;
        window * dilation + 1 - dilation
    }

    /// Rows above the image, or columns left of it.
    pub fn before(&self, axis: usize, input: usize, window: usize, output: usize) -> usize {
        if !self.same {
            return self.padding[2 * axis] as usize;
        }
        let reach = window.saturating_sub(1) * self.dilations[axis] as usize + 1;
        (output.saturating_sub(1) * self.strides[axis] as usize + reach).saturating_sub(input) / 2
    }
}

/// An error unless the input is a batch of images: batch, rows, columns, channels.
pub(crate) fn check_images(op: &str, shape: &Shape) -> Result<()> {
    if shape.rank() == 4 {
        return Ok(());
    }
    Err(Error::invalid_argument(op, "the input is no batch of images")
        .got(shape)
        .expected("four dimensions: batch, rows, columns, channels")
        .help(images_help(shape.rank())))
}

/// How a tensor with this many dimensions becomes a batch of images.
pub fn images_help(rank: usize) -> &'static str {
    match rank {
        2 => "`x.expand_dims(0).expand_dims(-1)` makes a batch of one grey image",
        3 => {
            "`x.expand_dims(0)` makes a batch of one image; `x.expand_dims(-1)` adds the channel to a batch of grey images"
        }
        _ => "`reshape` it to four dimensions",
    }
}

/// An error where a window has no cells.
pub(crate) fn check_window(op: &str, sizes: [Dim; 2]) -> Result<()> {
    match sizes.contains(&Dim::ZERO) {
        true => Err(Error::invalid_argument(op, "the window has no cells")
            .got(format!("{} x {}", sizes[0], sizes[1]))
            .expected("at least 1 x 1")),
        false => Ok(()),
    }
}
