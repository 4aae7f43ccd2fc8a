//! Images read at places between their pixels: affine maps with ways to fill what lies outside.
//! The layers that turn, move and zoom images call it; it is TensorFlow's `ImageProjectiveTransformV3` without perspective.

use engine::Tensor;
use engine::library::{cast_to, reshape_to};
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::{Dim, Shape};

/// What is read outside of an image of pixels `a b c d`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum FillMode {
    /// The image mirrored at its edge: `d c b a | a b c d | d c b a`.
    #[default]
    Reflect,
    /// The image again: `a b c d | a b c d | a b c d`.
    Wrap,
    /// One value.
    Constant,
    /// The nearest pixel: `a a a a | a b c d | d d d d`.
    Nearest,
}

/// What is read between pixels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ImageSampling {
    /// The nearest pixel.
    Nearest,
    /// The four around, by how near they are.
    #[default]
    Bilinear,
}

/// How images are read.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Sampling {
    pub fill_mode: FillMode,
    pub interpolation: ImageSampling,
    pub fill_value: f64,
}

impl Sampling {
    pub const fn new() -> Self {
        Self { fill_mode: FillMode::Reflect, interpolation: ImageSampling::Bilinear, fill_value: 0.0 }
    }

    pub fn word(self) -> (FillMode, ImageSampling, u64) {
        (self.fill_mode, self.interpolation, self.fill_value.to_bits())
    }

    /// Places along an axis brought into the image, as far as the mode does that.
    #[track_caller]
    fn inside(self, place: &Tensor, length: Dim) -> Result<Tensor> {
        let below = place.try_less(0.0)?;
        let above = place.try_greater(length - 1)?;
        let pick =
            |low: &Tensor, high: &Tensor| engine::try_where(&below, low, &engine::try_where(&above, high, place)?);
        let mapped = match self.fill_mode {
            FillMode::Constant => return Ok(place.clone()),
            FillMode::Nearest => place.clone(),
            FillMode::Reflect => {
                let period = length * 2;
                let turns = place.try_abs()?.try_divide(period)?.try_floor()?.try_multiply(period)?;
                let low = place.try_add(&turns)?;
                let far = low.try_add(length)?.try_less(0.0)?;
                let low = engine::try_where(&far, &low.try_add(period)?, &low.try_neg()?.try_subtract(1.0)?)?;
                let high = place.try_subtract(&turns)?;
                let back = high.try_greater_equal(length)?;
                let mirrored = high.try_neg()?.try_add(period)?.try_subtract(1.0)?;
                pick(&low, &engine::try_where(&back, &mirrored, &high)?)?
            }
            FillMode::Wrap => {
                let apart = (length - 1).max(Dim::ONE);
                let turns = place.try_abs()?.try_divide(apart)?.try_floor()?;
                let low = place.try_add(&turns.try_add(1.0)?.try_multiply(length)?)?;
                pick(&low, &place.try_subtract(&turns.try_multiply(length)?)?)?
            }
        };
        mapped.try_maximum(0.0)?.try_minimum(length - 1)
    }

    /// The images `[batch, height, width, channels]` read at `places` of x and y, `[batch, rows, columns]` each in the dtype of computations.
    #[track_caller]
    pub fn read(self, images: &Tensor, [x, y]: [&Tensor; 2]) -> Result<Tensor> {
        let (height, width) = (images.shape().dim(1), images.shape().dim(2));
        let (x, y) = (self.inside(x, width)?, self.inside(y, height)?);
        let pixels = Pixels::of(images, self.fill_value)?;
        if self.interpolation == ImageSampling::Nearest {
            // Half away from zero, as C rounds.
            let round = |place: &Tensor| place.try_sign()?.try_multiply(&place.try_abs()?.try_add(0.5)?.try_floor()?);
            return pixels.at(&round(&x)?, &round(&y)?);
        }
        let (left, top) = (x.try_floor()?, y.try_floor()?);
        let (right, bottom) = (left.try_add(1.0)?, top.try_add(1.0)?);
        let share = |part: Tensor| cast_to(&part.try_expand_dims(-1)?, images.dtype());
        let (to_left, to_right) = (share(right.try_subtract(&x)?)?, share(x.try_subtract(&left)?)?);
        let (to_top, to_bottom) = (share(bottom.try_subtract(&y)?)?, share(y.try_subtract(&top)?)?);
        let row = |at: &Tensor| -> Result<Tensor> {
            let (a, b) = (pixels.at(&left, at)?, pixels.at(&right, at)?);
            a.try_multiply(&to_left)?.try_add(&b.try_multiply(&to_right)?)
        };
        row(&top)?.try_multiply(&to_top)?.try_add(&row(&bottom)?.try_multiply(&to_bottom)?)
    }

    /// Images of the same size, whose pixel (x, y) is read at (a₀ x + a₁ y + a₂, b₀ x + b₁ y + b₂); each number is `[batch]`.
    #[track_caller]
    pub fn affine(self, images: &Tensor, a: [&Tensor; 3], b: [&Tensor; 3]) -> Result<Tensor> {
        let [batch, height, width, _] = images.shape().sizes() else { return Ok(images.clone()) };
        let dtype = DType::F32;
        let column = Shape::from_dims(&[Dim::ONE, *height, Dim::ONE])?;
        let xs = cast_to(&engine::try_range(0, *width, 1)?, dtype)?;
        let ys = reshape_to(&cast_to(&engine::try_range(0, *height, 1)?, dtype)?, &column)?;
        let each = Shape::from_dims(&[*batch, Dim::ONE, Dim::ONE])?;
        let whole = Shape::from_dims(&[*batch, *height, *width])?;
        let map = |k: [&Tensor; 3]| -> Result<Tensor> {
            let [of_x, of_y, moved] = k.map(|number| reshape_to(number, &each));
            let sum = xs.try_multiply(&of_x?)?.try_add(&ys.try_multiply(&of_y?)?)?.try_add(&moved?)?;
            engine::try_broadcast_to(&sum, &whole)
        };
        self.read(images, [&map(a)?, &map(b)?])
    }
}

/// The pixels of images in a row, to be read by their numbers.
struct Pixels {
    rows: Tensor,
    height: Dim,
    width: Dim,
    fill_value: f64,
}

impl Pixels {
    #[track_caller]
    fn of(images: &Tensor, fill_value: f64) -> Result<Self> {
        let dim = |axis| images.shape().dim(axis);
        let rows = reshape_to(images, &Shape::from_dims(&[dim(0), dim(1) * dim(2), dim(3)])?)?;
        Ok(Self { rows, height: dim(1), width: dim(2), fill_value })
    }

    /// The pixels at whole places, and the fill value outside.
    #[track_caller]
    fn at(&self, x: &Tensor, y: &Tensor) -> Result<Tensor> {
        let within = |place: &Tensor, length: Dim| -> Result<Tensor> {
            engine::try_logical_and(&place.try_greater_equal(0.0)?, &place.try_less(length)?)
        };
        let seen = engine::try_logical_and(&within(x, self.width)?, &within(y, self.height)?)?;
        let place = |place: &Tensor, length: Dim| -> Result<Tensor> {
            cast_to(&place.try_maximum(0.0)?.try_minimum(length - 1)?, DType::I32)
        };
        let number = place(y, self.height)?.try_multiply(self.width)?.try_add(&place(x, self.width)?)?;
        let read = engine::try_gather_batched(&self.rows, &number, 1, 1)?;
        engine::try_where(&seen.try_expand_dims(-1)?, &read, self.fill_value)
    }
}
