//! Sizes that keep the ratio of width and height: those of `resize` with `preserve_aspect_ratio`, and `resize_with_pad`.
//! Where a size is a symbol, the new one is a number that the graph works out and a run binds.

use super::super::crops::framed;
use super::super::operand::{image_axes, image_fn, scalar, size as checked_size};
use super::{Resizing, resized};
use engine::library::cast_to;
use engine::{AsTensor, Tensor};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, IntoDim};

/// The largest sizes of the images' ratio that are at most `most`, rounded.
#[track_caller]
pub(super) fn within(most: [Dim; 2], own: [Dim; 2]) -> Result<[Dim; 2]> {
    let numbers = |sizes: [Dim; 2]| Some([sizes[0].known_value()? as f32, sizes[1].known_value()? as f32]);
    let fitting = match (numbers(most), numbers(own)) {
        (Some(most), Some(own)) => {
            let factor = (most[0] / own[0]).min(most[1] / own[1]);
            own.map(|own| Dim::known((factor * own).round_ties_even() as usize))
        }
        _ => {
            let [own_height, own_width] = [scalar(own[0], DType::F32)?, scalar(own[1], DType::F32)?];
            let [height, width] = [scalar(most[0], DType::F32)?, scalar(most[1], DType::F32)?];
            let factor = height.try_divide(&own_height)?.try_minimum(&width.try_divide(&own_width)?)?;
            let fitting = |own: &Tensor| cast_to(&factor.try_multiply(own)?.try_rint()?, DType::I32)?.into_dim();
            [fitting(&own_height)?, fitting(&own_width)?]
        }
    };
    Ok([checked_size("height", fitting[0], 1)?, checked_size("width", fitting[1], 1)?])
}

/// The sizes of images within a frame, and the margins above and on the left.
#[track_caller]
fn centred(frame: [Dim; 2], own: [Dim; 2]) -> Result<([Dim; 2], [Dim; 2])> {
    let numbers = |sizes: [Dim; 2]| Some([sizes[0].known_value()? as f32, sizes[1].known_value()? as f32]);
    if let (Some(frame), Some(own)) = (numbers(frame), numbers(own)) {
        let ratio = (own[1] / frame[1]).max(own[0] / frame[0]);
        let fitting = own.map(|own| own / ratio);
        let margins = [0, 1].map(|i| Dim::known(((frame[i] - fitting[i]) / 2.0).floor().max(0.0) as usize));
        return Ok((fitting.map(|size| Dim::known(size.floor() as usize)), margins));
    }
    let number = |size: Dim| scalar(size, DType::F32);
    let (own, frame) = ([number(own[0])?, number(own[1])?], [number(frame[0])?, number(frame[1])?]);
    let ratio = own[1].try_divide(&frame[1])?.try_maximum(&own[0].try_divide(&frame[0])?)?;
    let whole = |x: &Tensor| cast_to(&x.try_floor()?, DType::I32)?.into_dim();
    let sizes = |i: usize| -> Result<(Dim, Dim)> {
        let fitting = own[i].try_divide(&ratio)?;
        let margin = frame[i].try_subtract(&fitting)?.try_divide(2.0)?.try_maximum(0.0)?;
        Ok((whole(&fitting)?, whole(&margin)?))
    };
    let ((height, top), (width, left)) = (sizes(0)?, sizes(1)?);
    Ok(([height, width], [top, left]))
}

image_fn! {
    /// Images brought to another size without another ratio of width and height, with zeros around. TensorFlow's
    /// `tf.image.resize_with_pad`; the method is one of [`resize`](fn@super::resize), without `preserve_aspect_ratio`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::image::ResizeMethod;
    /// let y = tf::image::resize_with_pad(tf::ones([2, 2, 1]), 1, 3, ResizeMethod::Bilinear);
    /// assert_eq!(y.to_vec::<f32>(), [0.0, 1.0, 0.0]);
    /// ```
    pub fn resize_with_pad, try_resize_with_pad(
        image: impl AsTensor,
        target_height: impl IntoDim,
        target_width: impl IntoDim,
        method: impl Into<Resizing>,
    ) -> Tensor {
        let (image, how) = (image.as_tensor(), method.into());
        if how.preserve_aspect_ratio {
            return Err(Error::invalid_argument("", "`preserve_aspect_ratio` is an option of `resize`")
                .got("preserve_aspect_ratio = true")
                .help("leave it out: the ratio is kept anyway"));
        }
        let target = [checked_size("target_height", target_height.into_dim()?, 1)?, checked_size("target_width", target_width.into_dim()?, 1)?];
        let (rows, columns) = image_axes(&image)?;
        let (inner, margins) = centred(target, [image.shape().dim(rows), image.shape().dim(columns)])?;
        let inner = [checked_size("height", inner[0], 1)?, checked_size("width", inner[1], 1)?];
        framed(&resized(&image, inner, how)?, margins, target)
    }
}
