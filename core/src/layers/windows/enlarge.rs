//! How inputs become a whole number of times as large: by repetition, or by a filter that slides over them.
//! The `UpSampling` layers call it; sizes may be unknown.
//!
//! Enlarged `n` times, an axis has `n` kinds of output cells, which lie equally between cells of the input. Each kind is a weighted sum of the
//! cells around it: one convolution with `n` filters makes all of them. At the border the cells outside are left out, and the weights
//! of the others are divided by their sum, as TensorFlow does.

use crate::shared::unknown;
use engine::library::{cast_to, fill_with, reshape_to};
use engine::{Padding, Sliding, Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::{Dim, Shape};
use std::f64::consts::PI;

/// How values between pixels come about: those of Keras's `UpSampling2D`.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Interpolation, UpSampling2D};
/// let layer = UpSampling2D::new(2).interpolation(Interpolation::Bicubic);
/// assert_eq!(layer.call(tf::ones([1, 3, 3, 1])).shape(), [1, 6, 6, 1]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Interpolation {
    /// The value of the nearest pixel: each is repeated.
    #[default]
    Nearest,
    /// Weights that fall linearly with the distance, over two pixels along each axis.
    Bilinear,
    /// Keys's cubic polynomial, over four pixels along each axis.
    Bicubic,
    /// Lanczos's windowed sine, over six pixels along each axis.
    Lanczos3,
    /// Lanczos's windowed sine, over ten pixels along each axis.
    Lanczos5,
}

/// What the option `interpolation` takes: an [`Interpolation`], or Keras's name, such as `"bilinear"`.
pub trait IntoInterpolation {
    /// The interpolation.
    ///
    /// # Errors
    /// InvalidArgument for a name that is none.
    fn into_interpolation(self) -> Result<Interpolation>;
}

impl IntoInterpolation for Interpolation {
    fn into_interpolation(self) -> Result<Interpolation> {
        Ok(self)
    }
}

impl IntoInterpolation for &str {
    fn into_interpolation(self) -> Result<Interpolation> {
        match self.to_lowercase().as_str() {
            "nearest" => Ok(Interpolation::Nearest),
            "bilinear" => Ok(Interpolation::Bilinear),
            "bicubic" => Ok(Interpolation::Bicubic),
            "lanczos3" => Ok(Interpolation::Lanczos3),
            "lanczos5" => Ok(Interpolation::Lanczos5),
            _ => {
                let names = "`nearest`, `bilinear`, `bicubic`, `lanczos3` and `lanczos5`";
                let known = ["nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"];
                Err(unknown("interpolation", self, &known).help(format!("there are {names}")))
            }
        }
    }
}

impl Interpolation {
    /// How many cells on each side of the nearest one may count.
    fn radius(self) -> usize {
        match self {
            Self::Nearest => 0,
            Self::Bilinear => 1,
            Self::Bicubic => 2,
            Self::Lanczos3 => 3,
            Self::Lanczos5 => 5,
        }
    }

    /// The weight of the cell `offset` behind the nearest one, for a value that lies `at` behind that.
    fn weight(self, offset: f64, at: f64) -> f64 {
        let distance = (offset - at).abs();
        match self {
            Self::Nearest => f64::from(u8::from(offset == 0.0)),
            Self::Bilinear => (1.0 - distance).max(0.0),
            Self::Bicubic => {
                // TensorFlow takes the weights from a table of 1024 steps between two cells.
                let steps = ((at - at.floor()) * 1024.0).round_ties_even() / 1024.0;
                keys((offset - at.floor() - steps).abs())
            }
            Self::Lanczos3 => lanczos(distance, 3.0),
            Self::Lanczos5 => lanczos(distance, 5.0),
        }
    }
}

/// Keys's polynomial with the parameter -1/2.
fn keys(x: f64) -> f64 {
    match x {
        _ if x <= 1.0 => (1.5 * x - 2.5) * x * x + 1.0,
        _ if x < 2.0 => ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0,
        _ => 0.0,
    }
}

/// Lanczos's kernel of a radius.
fn lanczos(x: f64, radius: f64) -> f64 {
    match x {
        _ if x > radius => 0.0,
        _ if x <= 1e-3 => 1.0,
        _ => radius * (PI * x).sin() * (PI * x / radius).sin() / (PI * PI * x * x),
    }
}

/// The input with each cell repeated so many times along each axis, from `first` on.
#[track_caller]
pub(super) fn repeated(x: &Tensor, first: usize, times: &[usize]) -> Result<Tensor> {
    if times.iter().all(|&n| n == 1) {
        return Ok(x.clone());
    }
    // A dimension behind each that grows, which shows the same cells again and again.
    let (mut apart, mut shown, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    for (axis, &own) in x.shape().sizes().iter().enumerate() {
        let n = axis.checked_sub(first).and_then(|at| times.get(at)).copied().unwrap_or(1);
        apart.push(own);
        shown.push(own);
        if n > 1 {
            apart.push(Dim::ONE);
            shown.push(Dim::known(n));
        }
        whole.push(own * n);
    }
    let x = reshape_to(x, &Shape::from_dims(&apart)?)?;
    reshape_to(&engine::try_broadcast_to(&x, Shape::from_dims(&shown)?)?, &Shape::from_dims(&whole)?)
}

/// The input with values between its cells, so many times as large along each axis, from `first` on.
#[track_caller]
pub(super) fn interpolated(
    x: &Tensor,
    first: usize,
    times: &[usize],
    how: Interpolation,
    dtype: DType,
) -> Result<Tensor> {
    let result = if x.dtype().is_floating() { x.dtype() } else { dtype };
    let mut y = cast_to(x, result.compute())?;
    for (at, &n) in times.iter().enumerate() {
        y = along(&y, first + at, n, how)?;
    }
    cast_to(&y, result)
}

/// The same along one axis.
#[track_caller]
fn along(x: &Tensor, axis: usize, n: usize, how: Interpolation) -> Result<Tensor> {
    if n == 1 {
        return Ok(x.clone());
    }
    let (shape, radius) = (*x.shape(), how.radius());
    let all = |dims: &[Dim]| dims.iter().fold(Dim::ONE, |all, &dim| all * dim);
    let (outer, own, inner) = (all(&shape.sizes()[..axis]), shape.dim(axis), all(&shape.sizes()[axis + 1..]));
    let filters = weights(n, how, x.dtype())?;
    let sliding = Sliding::new(1, Padding::Explicit([[radius, radius], [0, 0]]));
    let sums = |x: &Tensor| engine::library::conv_in_groups(2, x, &filters, &sliding, 1);
    let sum = sums(&reshape_to(x, &Shape::from_dims(&[outer, own, inner, Dim::ONE])?)?)?;
    let ones = fill_with(&TensorType::new(x.dtype(), Shape::from_dims(&[Dim::ONE, own, Dim::ONE, Dim::ONE])?), 1.0)?;
    let y = sum.try_divide(&sums(&ones)?)?;
    reshape_to(&engine::try_transpose(&y, [0, 1, 3, 2])?, &shape.with(axis, own * n)?)
}

/// The weights of all kinds of output cells, as filters of one column.
#[track_caller]
fn weights(n: usize, how: Interpolation, dtype: DType) -> Result<Tensor> {
    let radius = how.radius() as isize;
    let mut all = Vec::new();
    for offset in -radius..=radius {
        all.extend((0..n).map(|kind| how.weight(offset as f64, (kind as f64 + 0.5) / n as f64 - 0.5)));
    }
    let filters = Tensor::try_from_vec(all, [2 * radius as usize + 1, 1, 1, n])?;
    cast_to(&filters, dtype)
}
