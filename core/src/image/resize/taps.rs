//! Of which old pixels, and how much of each, the pixels of an axis of another length are made; and images made of them.
//! `resize` calls it for each axis. Lengths may be symbols, so all is reckoned with operations, in the `float32` of TensorFlow's kernels.

use super::super::operand::scalar;
use super::filter::Filter;
use engine::Tensor;
use engine::library::{cast_to, reshape_to};
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::{Dim, Shape};

/// Where the pixels of a new size lie along an axis of the old one: the two neighbours and the share of the second.
pub(crate) fn places(to: usize, from: usize) -> Vec<(usize, usize, f32)> {
    let scale = from as f32 / to as f32;
    let place = |i: usize| {
        let at = (i as f32 + 0.5) * scale - 0.5;
        let low = at.floor();
        let high = (at.ceil().max(0.0) as usize).min(from - 1);
        ((low.max(0.0) as usize).min(from - 1), high, at - low)
    };
    (0..to).map(place).collect()
}

/// The pixels that each new one is made of.
pub(super) enum Taps {
    /// Two, and the share of the second.
    Two { low: Tensor, high: Tensor, share: Tensor },
    /// So many, `[to, taps]`, and the weight of each.
    Many { index: Tensor, weight: Tensor },
}

/// 0, 1, 2 and so on as floats.
#[track_caller]
fn count(to: Dim) -> Result<Tensor> {
    cast_to(&engine::try_range(0, to, 1)?, DType::F32)
}

/// How many old pixels a new one spans.
#[track_caller]
fn step(to: Dim, from: Dim) -> Result<Tensor> {
    scalar(from, DType::F32)?.try_divide(&scalar(to, DType::F32)?)
}

/// Places as numbers of pixels that are there.
#[track_caller]
fn within(place: &Tensor, from: Dim) -> Result<Tensor> {
    cast_to(&place.try_maximum(0.0)?.try_minimum(from - 1)?, DType::I32)
}

/// The pixel in which the centre of each new one lies.
#[track_caller]
pub(super) fn nearest(to: Dim, from: Dim) -> Result<Tensor> {
    within(&count(to)?.try_add(0.5)?.try_multiply(&step(to, from)?)?.try_floor()?, from)
}

/// The quotient rounded up.
fn ceil_div(a: Dim, b: Dim) -> Dim {
    (a + b - 1).floor_div_dim(b)
}

/// Weights of which each row adds up to 1; rows of nothing stay.
#[track_caller]
fn normalised(weight: &Tensor) -> Result<Tensor> {
    let sum = weight.try_reduce_sum(engine::keep_dims(-1))?;
    let is_something = sum.try_abs()?.try_greater_equal(1000.0 * f64::from(f32::MIN_POSITIVE))?;
    let factor = engine::try_where(&is_something, &sum, 1.0)?.try_reciprocal()?;
    weight.try_multiply(&engine::try_where(&is_something, &factor, 0.0)?)
}

impl Taps {
    /// The two around.
    #[track_caller]
    pub fn bilinear(to: Dim, from: Dim) -> Result<Self> {
        let at = count(to)?.try_add(0.5)?.try_multiply(&step(to, from)?)?.try_subtract(0.5)?;
        let low = at.try_floor()?;
        Ok(Self::Two { low: within(&low, from)?, high: within(&at.try_ceil()?, from)?, share: at.try_subtract(&low)? })
    }

    /// The four around, by a cubic whose argument is rounded to 1/1024, as in TensorFlow's table.
    #[track_caller]
    pub fn bicubic(to: Dim, from: Dim) -> Result<Self> {
        let at = count(to)?.try_add(0.5)?.try_multiply(&step(to, from)?)?.try_subtract(0.5)?.try_expand_dims(-1)?;
        let low = at.try_floor()?;
        let share = at.try_subtract(&low)?.try_multiply(1024.0)?.try_rint()?.try_divide(1024.0)?;
        let around = Tensor::from([-1.0_f32, 0.0, 1.0, 2.0]);
        let place = low.try_add(&around)?;
        let weight = Filter::Keys.weights(&share.try_neg()?.try_add(&around)?.try_abs()?)?;
        let is_there = engine::try_logical_and(&place.try_greater_equal(0.0)?, &place.try_less(from)?)?;
        let weight = normalised(&engine::try_where(&is_there, &weight, 0.0)?)?;
        Ok(Self::Many { index: within(&place, from)?, weight })
    }

    /// All that the new pixel covers, by how much.
    #[track_caller]
    pub fn area(to: Dim, from: Dim) -> Result<Self> {
        let step = step(to, from)?;
        let whole = count(to)?.try_expand_dims(-1)?;
        let (begin, end) = (whole.try_multiply(&step)?, whole.try_add(1.0)?.try_multiply(&step)?);
        let place = begin.try_floor()?.try_add(&count(ceil_div(from, to) + 1)?)?;
        let covered = place.try_add(1.0)?.try_minimum(&end)?.try_subtract(&place.try_maximum(&begin)?)?;
        let weight = covered.try_maximum(0.0)?.try_divide(&step)?;
        Ok(Self::Many { index: within(&place, from)?, weight })
    }

    /// All within the reach of a filter, which is as much wider as images become smaller if `antialias` says so.
    #[track_caller]
    pub fn filtered(filter: Filter, antialias: bool, to: Dim, from: Dim) -> Result<Self> {
        let scale = scalar(to, DType::F32)?.try_divide(&scalar(from, DType::F32)?)?;
        let step = scale.try_reciprocal()?;
        let width = filter.width();
        let (mut wider, mut half) = (scalar(1.0, DType::F32)?, Dim::known(width.div_ceil(2)));
        if antialias {
            wider = step.try_maximum(1.0)?;
            half = half.max(ceil_div(from * width, to * 2));
        }
        let reach = wider.try_multiply(width as f64 / 2.0)?;
        let centre = count(to)?.try_add(0.5)?.try_multiply(&step)?.try_expand_dims(-1)?;
        let inside = |place: Tensor| place.try_maximum(0.0)?.try_minimum(from - 1);
        let first = inside(centre.try_subtract(&reach)?.try_subtract(0.5)?.try_ceil()?)?;
        let last = inside(centre.try_add(&reach)?.try_subtract(0.5)?.try_floor()?)?;
        let place = first.try_add(&count((half * 2 + 1).min(from))?)?;
        let distance = place.try_add(0.5)?.try_subtract(&centre)?.try_multiply(&wider.try_reciprocal()?)?.try_abs()?;
        let weight = filter.weights(&distance)?;
        let weight = normalised(&engine::try_where(&place.try_less_equal(&last)?, &weight, 0.0)?)?;
        Ok(Self::Many { index: within(&place, from)?, weight })
    }

    /// Images whose pixels along an axis are these.
    #[track_caller]
    pub fn along(&self, images: &Tensor, axis: usize) -> Result<Tensor> {
        // Shares and weights stand beside all axes behind theirs.
        let behind = images.rank() - axis - 1;
        let beside = |x: &Tensor| {
            let ones = std::iter::repeat_n(Dim::ONE, behind);
            reshape_to(x, &Shape::from_dims(&x.shape().iter().chain(ones).collect::<Vec<_>>())?)
        };
        match self {
            Self::Two { low, high, share } => {
                let near = engine::try_gather(images, low, axis as isize)?;
                let far = engine::try_gather(images, high, axis as isize)?;
                near.try_add(&far.try_subtract(&near)?.try_multiply(&beside(share)?)?)
            }
            Self::Many { index, weight } => {
                let pixels = engine::try_gather(images, index, axis as isize)?;
                pixels.try_multiply(&beside(weight)?)?.try_reduce_sum(axis as isize + 1)
            }
        }
    }
}
