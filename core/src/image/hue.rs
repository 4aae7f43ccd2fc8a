//! Hue and saturation: RGB as hue, saturation and value and back, and images whose hue or saturation is changed.
//! Users call them under `tf::image`, and so do the functions that draw how far.

use super::convert::{as_floats, converted};
use super::operand::{floats, image_fn, in_dtype, three_channels};
use engine::library::{cast_to, is_recorded};
use engine::{AsTensor, Operand, Tensor, ToOperand};
use kernels::dtype::DType;
use kernels::error::{Error, Result};

/// The greatest of the three channels, and how far the least lies below it.
#[track_caller]
fn extent([r, g, b]: &[Tensor; 3]) -> Result<(Tensor, Tensor)> {
    let most = r.try_maximum(g)?.try_maximum(b)?;
    let least = r.try_minimum(g)?.try_minimum(b)?;
    let range = most.try_subtract(&least)?;
    Ok((most, range))
}

/// The hue from 0 to 1, and 0 where there is none.
#[track_caller]
fn hue([r, g, b]: &[Tensor; 3], most: &Tensor, range: &Tensor) -> Result<Tensor> {
    let has_one = range.try_greater(0.0)?;
    // Nothing is divided by 0, not even where the quotient is not taken: its derivative would be nan.
    let sixth = engine::try_where(&has_one, range, 1.0)?.try_reciprocal()?.try_multiply(1.0 / 6.0)?;
    let third = |a: &Tensor, b: &Tensor, from: f64| a.try_subtract(b)?.try_multiply(&sixth)?.try_add(from);
    let behind_red = engine::try_where(&g.try_equal(most)?, &third(b, r, 2.0 / 6.0)?, &third(r, g, 4.0 / 6.0)?)?;
    let hue = engine::try_where(&r.try_equal(most)?, &third(g, b, 0.0)?, &behind_red)?;
    let hue = engine::try_where(&has_one, &hue, 0.0)?;
    engine::try_where(&hue.try_less(0.0)?, &hue.try_add(1.0)?, &hue)
}

#[track_caller]
fn to_hsv(x: &Tensor) -> Result<[Tensor; 3]> {
    let rgb = three_channels(x)?;
    let (most, range) = extent(&rgb)?;
    let has_light = most.try_greater(0.0)?;
    let saturation = range.try_divide(&engine::try_where(&has_light, &most, 1.0)?)?;
    let saturation = engine::try_where(&has_light, &saturation, 0.0)?;
    Ok([hue(&rgb, &most, &range)?, saturation, most])
}

#[track_caller]
fn to_rgb([h, s, v]: &[Tensor; 3]) -> Result<Tensor> {
    let sixths = h.try_multiply(6.0)?;
    let distance = |from: f64| sixths.try_subtract(from)?.try_abs();
    let shares = [
        distance(3.0)?.try_subtract(1.0)?,
        distance(2.0)?.try_neg()?.try_add(2.0)?,
        distance(4.0)?.try_neg()?.try_add(2.0)?,
    ];
    let share = engine::try_clip_by_value(&engine::try_concat(&shares, -1)?, 0.0, 1.0)?;
    s.try_neg()?.try_add(1.0)?.try_add(&s.try_multiply(&share)?)?.try_multiply(v)
}

#[track_caller]
pub(super) fn turned(image: &Tensor, delta: &Tensor) -> Result<Tensor> {
    let x = as_floats(image)?;
    let rgb = three_channels(&x)?;
    let (most, range) = extent(&rgb)?;
    let turn = hue(&rgb, &most, &range)?.try_add(&cast_to(delta, x.dtype())?)?.try_multiply(6.0)?;
    // Each channel goes down from the greatest by a trapezium of the hue, which begins elsewhere for each.
    let starts = cast_to(&Tensor::from([5.0_f32, 3.0, 1.0]), x.dtype())?;
    let place = turn.try_add(&starts)?.try_floormod(6.0)?;
    let down = place.try_minimum(&place.try_neg()?.try_add(4.0)?)?;
    let down = engine::try_clip_by_value(&down, 0.0, 1.0)?.try_multiply(&range)?;
    converted(&most.try_subtract(&down)?, image.dtype(), false)
}

#[track_caller]
pub(super) fn saturated(image: &Tensor, factor: &Tensor) -> Result<Tensor> {
    let x = as_floats(image)?;
    let [h, s, v] = to_hsv(&x)?;
    let s = engine::try_clip_by_value(&s.try_multiply(&cast_to(factor, x.dtype())?)?, 0.0, 1.0)?;
    converted(&to_rgb(&[h, s, v])?, image.dtype(), false)
}

/// An error for a turn beyond -1 to 1, where its number is known.
fn check_turn(delta: Operand<'_>) -> Result<Tensor> {
    let delta = in_dtype(delta, DType::F32)?;
    if !is_recorded(&delta) && !delta.try_to_vec::<f32>()?.iter().all(|delta| (-1.0..=1.0).contains(delta)) {
        return Err(Error::invalid_argument("", "`delta` is out of range")
            .got(format!("{delta:?}"))
            .expected("from -1 to 1"));
    }
    Ok(delta)
}

image_fn! {
    /// RGB images `[.., 3]` of floats from 0 to 1 as hue, saturation and value, each from 0 to 1. TensorFlow's `tf.image.rgb_to_hsv`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[[0.0, 0.5, 0.0]]]);
    /// assert_eq!(tf::image::rgb_to_hsv(&x).to_vec::<f32>(), [1.0 / 3.0, 1.0, 0.5]);
    /// ```
    pub fn rgb_to_hsv, try_rgb_to_hsv(images: impl AsTensor) -> Tensor {
        let images = images.as_tensor();
        floats(&images)?;
        engine::try_concat(&to_hsv(&images)?, -1)
    }

    /// Images `[.., 3]` of hue, saturation and value as RGB. TensorFlow's `tf.image.hsv_to_rgb`; here a gradient flows, there it does not.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[[0.5, 1.0, 0.5]]]);
    /// assert_eq!(tf::image::hsv_to_rgb(&x).to_vec::<f32>(), [0.0, 0.5, 0.5]);
    /// ```
    pub fn hsv_to_rgb, try_hsv_to_rgb(images: impl AsTensor) -> Tensor {
        let images = images.as_tensor();
        floats(&images)?;
        to_rgb(&three_channels(&images)?)
    }

    /// RGB images whose hue is turned by `delta`, from -1 to 1, of which either is a whole turn. TensorFlow's `tf.image.adjust_hue`; here a
    /// gradient flows.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let red = tf::constant_of([[[255, 0, 0]]], tf::uint8);
    /// assert_eq!(tf::image::adjust_hue(&red, 0.5).to_vec::<u8>(), [0, 255, 255]);
    /// ```
    pub fn adjust_hue, try_adjust_hue(image: impl AsTensor, delta: impl ToOperand) -> Tensor {
        turned(&image.as_tensor(), &check_turn(delta.to_operand())?)
    }

    /// RGB images whose saturation is `saturation_factor` times as great. TensorFlow's `tf.image.adjust_saturation`; here a gradient flows.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[[1.0, 0.5, 0.5]]]);
    /// assert_eq!(tf::image::adjust_saturation(&x, 0.0).to_vec::<f32>(), [1.0, 1.0, 1.0]);
    /// ```
    pub fn adjust_saturation, try_adjust_saturation(image: impl AsTensor, saturation_factor: impl ToOperand) -> Tensor {
        saturated(&image.as_tensor(), &in_dtype(saturation_factor.to_operand(), DType::F32)?)
    }
}
