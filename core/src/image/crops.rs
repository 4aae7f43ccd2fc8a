//! `central_crop`, `crop_to_bounding_box`, `pad_to_bounding_box` and `resize_with_crop_or_pad`: images cut, and set into black.
//! Users call them under `tf::image`; `resize_with_pad` does too. All numbers may be sizes that only a run tells.

use super::operand::{image_axes, image_fn, misfit, scalar, size};
use engine::library::cast_to;
use engine::{AsTensor, PadMode, Tensor};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, IntoDim, Shape};

/// The window of so many rows and columns from a place on.
#[track_caller]
fn window(x: &Tensor, [top, left]: [Dim; 2], [height, width]: [Dim; 2]) -> Result<Tensor> {
    let (rows, columns) = image_axes(x)?;
    let mut begin = vec![Dim::ZERO; x.rank()];
    let mut sizes: Vec<Dim> = x.shape().iter().collect();
    for (axis, from, count, name) in [(rows, top, height, "height"), (columns, left, width, "width")] {
        if (sizes[axis] - from - count).valid().is_err() {
            return Err(misfit(format!("the window leaves the image's {name}"), x, "a window within the image")
                .help(format!("{count} from {from} on are wanted")));
        }
        (begin[axis], sizes[axis]) = (from, count);
    }
    engine::try_slice(x, Shape::from_dims(&begin)?, Shape::from_dims(&sizes)?)
}

/// Images with zeros around, so many above and on the left, up to a size.
#[track_caller]
pub(super) fn framed(x: &Tensor, [top, left]: [Dim; 2], [height, width]: [Dim; 2]) -> Result<Tensor> {
    let (rows, columns) = image_axes(x)?;
    let mut margins = vec![[Dim::ZERO; 2]; x.rank()];
    for (axis, before, target, name) in [(rows, top, height, "height"), (columns, left, width, "width")] {
        let behind = target - before - x.shape().dim(axis);
        if behind.valid().is_err() {
            return Err(misfit(
                format!("the image's {name} does not fit into the target"),
                x,
                &format!("at most {target} from {before} on"),
            ));
        }
        margins[axis] = [before, behind];
    }
    engine::try_pad(x, margins, PadMode::Constant)
}

/// Where the middle part of an axis begins.
#[track_caller]
fn central(size: Dim, fraction: f64) -> Result<Dim> {
    match size.known_value() {
        Some(size) => Ok(Dim::known(((size as f64 - size as f64 * fraction) / 2.0) as usize)),
        None => {
            let size = scalar(size, DType::F64)?;
            let begin = size.try_subtract(&size.try_multiply(fraction)?)?.try_divide(2.0)?;
            cast_to(&begin, DType::I32)?.into_dim()
        }
    }
}

image_fn! {
    /// The middle of images, a share of their height and width. TensorFlow's `tf.image.central_crop`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::reshape(&tf::range(0, 16, 1), [4, 4, 1]);
    /// assert_eq!(tf::image::central_crop(&x, 0.5).to_vec::<i32>(), [5, 6, 9, 10]);
    /// ```
    pub fn central_crop, try_central_crop(image: impl AsTensor, central_fraction: f64) -> Tensor {
        let image = image.as_tensor();
        if !(central_fraction > 0.0 && central_fraction <= 1.0) {
            return Err(Error::invalid_argument("", "`central_fraction` is out of range").got(central_fraction).expected("above 0, at most 1"));
        }
        if central_fraction == 1.0 {
            return Ok(image.clone());
        }
        let (rows, columns) = image_axes(&image)?;
        let (height, width) = (image.shape().dim(rows), image.shape().dim(columns));
        let (top, left) = (central(height, central_fraction)?, central(width, central_fraction)?);
        window(&image, [top, left], [height - top * 2, width - left * 2])
    }

    /// The window of `target_height` rows and `target_width` columns that begins at a place. TensorFlow's `tf.image.crop_to_bounding_box`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::reshape(&tf::range(0, 9, 1), [3, 3, 1]);
    /// assert_eq!(tf::image::crop_to_bounding_box(&x, 1, 0, 2, 2).to_vec::<i32>(), [3, 4, 6, 7]);
    /// ```
    pub fn crop_to_bounding_box, try_crop_to_bounding_box(
        image: impl AsTensor,
        offset_height: impl IntoDim,
        offset_width: impl IntoDim,
        target_height: impl IntoDim,
        target_width: impl IntoDim,
    ) -> Tensor {
        let from = [size("offset_height", offset_height.into_dim()?, 0)?, size("offset_width", offset_width.into_dim()?, 0)?];
        let to = [size("target_height", target_height.into_dim()?, 1)?, size("target_width", target_width.into_dim()?, 1)?];
        window(&image.as_tensor(), from, to)
    }

    /// Images set into zeros of `target_height` by `target_width`, from a place on. TensorFlow's `tf.image.pad_to_bounding_box`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::image::pad_to_bounding_box(tf::ones([1, 1, 1]), 0, 1, 2, 3);
    /// assert_eq!(y.to_vec::<f32>(), [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    /// ```
    pub fn pad_to_bounding_box, try_pad_to_bounding_box(
        image: impl AsTensor,
        offset_height: impl IntoDim,
        offset_width: impl IntoDim,
        target_height: impl IntoDim,
        target_width: impl IntoDim,
    ) -> Tensor {
        let from = [size("offset_height", offset_height.into_dim()?, 0)?, size("offset_width", offset_width.into_dim()?, 0)?];
        let to = [size("target_height", target_height.into_dim()?, 0)?, size("target_width", target_width.into_dim()?, 0)?];
        framed(&image.as_tensor(), from, to)
    }

    /// Images of another size without another scale: what is too much is cut off around the middle, what is missing is zeros. TensorFlow's
    /// `tf.image.resize_with_crop_or_pad`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::reshape(&tf::range(1, 4, 1), [1, 3, 1]);
    /// assert_eq!(tf::image::resize_with_crop_or_pad(&x, 2, 1).to_vec::<i32>(), [2, 0]);
    /// ```
    pub fn resize_with_crop_or_pad, try_resize_with_crop_or_pad(
        image: impl AsTensor,
        target_height: impl IntoDim,
        target_width: impl IntoDim,
    ) -> Tensor {
        let image = image.as_tensor();
        let target = [size("target_height", target_height.into_dim()?, 1)?, size("target_width", target_width.into_dim()?, 1)?];
        let (rows, columns) = image_axes(&image)?;
        let own = [image.shape().dim(rows), image.shape().dim(columns)];
        // Half of what one size has more than the other, and 0 where it has less.
        let half_beyond = |a: Dim, b: Dim| (a.max(b) - b).floor_div(2);
        let cut = [0, 1].map(|i| half_beyond(own[i], target[i]));
        let margin = [0, 1].map(|i| half_beyond(target[i], own[i]));
        let window = window(&image, cut, [0, 1].map(|i| own[i].min(target[i])))?;
        framed(&window, margin, target)
    }
}
