//! The gradient of a normalisation's gradient, made of other operations: of rows, of groups of channels and of batches alike.
//! The operations of `rows.rs` and `channels.rs` say which axes have which part in it.

use crate::ops::functions::{try_add, try_cast, try_multiply, try_rsqrt, try_square, try_subtract};
use crate::ops::reduce_mean::mean_axes;
use crate::ops::{reshape_to, sum_axes, sum_to};
use crate::tape::Backward;
use crate::tensor::Tensor;
use kernels::error::Result;
use kernels::shape::{AxisSet, Shape};

/// What was normalised, and along which axes.
pub(super) struct Sides {
    pub epsilon: f64,
    pub centred: bool,
    pub scaled: bool,
    pub shifted: bool,
    /// The shape in which the axes are these.
    pub working: Shape,
    /// The axes whose elements have one mean and variance.
    pub statistics: AxisSet,
    /// The axes along which a scale is one number.
    pub summed: AxisSet,
    /// The shape of a scale, which broadcasts to `working`.
    pub columns: Shape,
}

/// Gives the cotangents of x (input 0), dy (input 3) and the scale (input 4).
///
/// With h = (x - mean) r what is normalised, g = dy scale and J g = r (g - mean(g) - h mean(g h)), which is symmetric, it gave J g, the sum of
/// dy h and that of dy, of which u, us and uo are the cotangents here.
pub(super) fn cotangents(g: &mut Backward<'_>, sides: &Sides) -> Result<()> {
    let dtype = g.input_type(0).dtype.compute();
    let wide = |x: &Tensor, shape: &Shape| reshape_to(&try_cast(x, dtype)?, shape);
    let (x, dy) = (wide(g.input(0)?, &sides.working)?, wide(g.input(3)?, &sides.working)?);
    let scale = if sides.scaled { Some(wide(g.input(4)?, &sides.columns)?) } else { None };
    let mean = |x: &Tensor| mean_axes(x, sides.statistics, true);
    let far = if sides.centred { try_subtract(&x, &mean(&x)?)? } else { x.clone() };
    let root = try_rsqrt(&try_add(&mean(&try_square(&far)?)?, sides.epsilon)?)?;
    let h = try_multiply(&far, &root)?;
    let scaled = |x: &Tensor| scale.as_ref().map_or_else(|| Ok(x.clone()), |scale| try_multiply(x, scale));
    let centre = |x: &Tensor| if sides.centred { try_subtract(x, &mean(x)?) } else { Ok(x.clone()) };
    let along = |x: &Tensor| mean(&try_multiply(x, &h)?);
    let through = |x: &Tensor| try_multiply(&try_subtract(&centre(x)?, &try_multiply(&h, &along(x)?)?)?, &root);
    let cotangent = |i: usize| g.dy_or_none(i).map(|u| wide(u, &sides.columns)).transpose();
    let u = wide(&g.dy(0)?, &sides.working)?;
    let us = if sides.scaled { cotangent(1)? } else { None };
    let uo = if sides.shifted { cotangent(1 + usize::from(sides.scaled))? } else { None };
    let ju = through(&u)?;
    if g.needs(3) {
        let mut ddy = scaled(&ju)?;
        if let Some(us) = &us {
            ddy = try_add(&ddy, &try_multiply(&h, us)?)?;
        }
        if let Some(uo) = &uo {
            ddy = try_add(&ddy, uo)?;
        }
        let ddy = reshape_to(&try_cast(&ddy, g.input_type(3).dtype)?, &g.input_type(3).shape)?;
        g.give(3, ddy);
    }
    if sides.scaled && g.needs(4) {
        let dscale = sum_axes(&try_multiply(&dy, &ju)?, sides.summed, false)?;
        let dscale = reshape_to(&try_cast(&dscale, g.input_type(4).dtype)?, &g.input_type(4).shape)?;
        g.give(4, dscale);
    }
    if g.needs(0) {
        let owed = scaled(&dy)?;
        let (mu, mg) = (along(&u)?, along(&owed)?);
        let mixed = try_add(&try_multiply(&u, &mg)?, &try_multiply(&owed, &mu)?)?;
        let mut inner = try_multiply(&mixed, &try_multiply(&root, -1.0)?)?;
        if let Some(us) = &us {
            inner = try_add(&inner, &try_multiply(&dy, us)?)?;
        }
        let both = mean(&try_multiply(&centre(&u)?, &centre(&owed)?)?)?;
        let slope = try_subtract(&both, &try_multiply(&mu, &mg)?)?;
        let tail = try_multiply(&try_multiply(&h, &try_square(&root)?)?, &slope)?;
        let dx = try_cast(&try_subtract(&through(&inner)?, &tail)?, g.input_type(0).dtype)?;
        let dx = if sides.working == g.input_type(0).shape { dx } else { reshape_to(&dx, &g.input_type(0).shape)? };
        let dx = sum_to(dx, g.input_type(0))?;
        g.give(0, dx);
    }
    Ok(())
}
