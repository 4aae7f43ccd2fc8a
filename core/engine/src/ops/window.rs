//! Windows that slide over images and volumes: strides, dilations and padding, and the sizes that follow from them.
//! Convolutions and poolings keep one [`Windows`] as their attributes and ask it in `infer` and in their kernels.

use super::sliding::{Sliding, Steps};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};
use smallvec::{SmallVec, smallvec};

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
    /// These many rows above and below, and columns left and right: `[[top, bottom], [left, right]]`. For images alone, as in
    /// TensorFlow; `pad` does it for sequences and volumes.
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
    pub(super) fn numbers(self) -> [i64; 2] {
        self.0
    }

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

/// How windows slide over an image or a volume; the size of a window itself comes from elsewhere.
#[derive(Clone, PartialEq, Debug)]
pub struct Windows {
    /// Planes, if there are any, rows and columns from one window to the next.
    pub strides: Steps,
    /// The same from one cell of a window to the next.
    pub dilations: Steps,
    /// Before and behind along each axis: top, bottom, left, right; zeros where `same` decides.
    pub padding: SmallVec<[i64; 6]>,
    /// Whether the image is padded so that its size divided by the steps comes out.
    pub same: bool,
}

impl Windows {
    /// Checks how windows are to slide over images for an operation.
    ///
    /// # Errors
    /// InvalidArgument for steps that are not positive, and paddings that are too large.
    pub fn new(op: &str, strides: Pair, dilations: Pair, padding: Padding) -> Result<Self> {
        Self::over(op, 2, &Sliding::new(strides, padding).dilations(dilations))
    }

    /// Checks how windows are to slide along so many spatial axes for an operation; over sequences they slide as over images of one
    /// row.
    ///
    /// # Errors
    /// InvalidArgument for steps that are not positive or not one for each axis, and paddings that are too large or not for images.
    pub fn over(op: &str, axes: usize, how: &Sliding) -> Result<Self> {
        let mut strides = how.strides.resolve(op, "strides", axes)?;
        let mut dilations = how.dilations.resolve(op, "dilations", axes)?;
        if axes == 1 {
            strides.insert(0, 1);
            dilations.insert(0, 1);
        }
        let (same, around) = match how.padding {
            Padding::Valid => (false, smallvec![0; 2 * strides.len()]),
            Padding::Same => (true, smallvec![0; 2 * strides.len()]),
            Padding::Explicit(_) if axes != 2 => {
                return Err(Error::invalid_argument(op, "explicit padding is for images")
                    .got(format!("{:?} for {axes} spatial axes", how.padding))
                    .expected("`Padding::Valid` or `Padding::Same`")
                    .help("`pad` the input first"));
            }
            Padding::Explicit([[top, bottom], [left, right]]) => {
                if [top, bottom, left, right].iter().any(|&n| n > i32::MAX as usize) {
                    return Err(Error::invalid_argument(op, "the padding is too large")
                        .got(format!("{:?}", how.padding))
                        .expected("fewer rows and columns than 2^31"));
                }
                (false, [top, bottom, left, right].iter().map(|&n| n as i64).collect())
            }
        };
        Ok(Self { strides, dilations, padding: around, same })
    }

    /// How many spatial axes there are: two or three.
    pub fn axes(&self) -> usize {
        self.strides.len()
    }

    /// Windows along a spatial axis: planes, if there are any, rows, columns.
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
        let what = ["columns", "rows", "planes"][self.axes() - 1 - axis];
        Err(Error::invalid_argument(op, format!("the window is larger than the images: they have fewer {what}"))
            .got(format!("{size} {what} with their padding, for a window of {needed}"))
            .expected(format!("at least {needed}"))
            .help("make the window smaller; `Padding::Same` pads images that are smaller than the window"))
    }

    /// Whether images of a shape that is not all known may turn out smaller than a window.
    pub fn may_not_fit(&self, images: &Shape, window: impl IntoIterator<Item = Dim>) -> bool {
        let unknown = |dim: Dim| dim.known_value().is_none();
        !self.same && (images.iter().skip(1).take(self.axes()).any(unknown) || window.into_iter().any(unknown))
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
    check_batch(op, shape, 2)
}

/// An error unless the input is a batch of images or volumes.
pub(crate) fn check_batch(op: &str, shape: &Shape, axes: usize) -> Result<()> {
    if shape.rank() == axes + 2 {
        return Ok(());
    }
    let (what, expected, help) = match axes {
        1 => ("sequences", "three dimensions: batch, steps, channels", "`reshape` it to three dimensions"),
        2 => ("images", "four dimensions: batch, rows, columns, channels", images_help(shape.rank())),
        _ => ("volumes", "five dimensions: batch, planes, rows, columns, channels", "`reshape` it to five dimensions"),
    };
    Err(Error::invalid_argument(op, format!("the input is no batch of {what}"))
        .got(shape)
        .expected(expected)
        .help(help))
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
pub(crate) fn check_window(op: &str, sizes: &[Dim]) -> Result<()> {
    if !sizes.contains(&Dim::ZERO) {
        return Ok(());
    }
    let sizes: Vec<_> = sizes.iter().map(Dim::to_string).collect();
    Err(Error::invalid_argument(op, "the window has no cells")
        .got(sizes.join(" x "))
        .expected(vec!["1"; sizes.len()].join(" x ").replacen('1', "at least 1", 1)))
}
