//! `crop_and_resize`: boxes of images as images of one size; gradients flow to the images and to the boxes.
//! Users call it under `tf::image`, as detectors do between their stages.

use super::super::operand::{floats, image_fn, misfit, scalar, size as checked_size};
use super::{check_boxes, is_within, pixels_at};
use engine::library::{cast_to, reshape_to};
use engine::{AsTensor, Tensor};
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::{Dim, IntoDim, Shape};

/// How pixels between pixels are made by [`crop_and_resize`](fn@crop_and_resize).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CropMethod {
    /// Of the four around.
    #[default]
    Bilinear,
    /// The nearest.
    Nearest,
}

/// The places of so many pixels from one edge of each box to the other, `[boxes, count]`.
#[track_caller]
fn places(begin: &Tensor, end: &Tensor, count: Dim, size: Dim) -> Result<Tensor> {
    let last = scalar(size - 1, DType::F32)?;
    let several = || -> Result<Tensor> {
        let gaps = scalar(count, DType::F32)?.try_subtract(1.0)?.try_maximum(1.0)?;
        let step = end.try_subtract(begin)?.try_multiply(&last)?.try_divide(&gaps)?;
        let number = cast_to(&engine::try_range(0, count, 1)?, DType::F32)?;
        begin.try_multiply(&last)?.try_add(&number.try_multiply(&step)?)
    };
    // One pixel alone lies in the middle.
    let middle = || begin.try_add(end)?.try_multiply(0.5)?.try_multiply(&last);
    match count.known_value() {
        Some(1) => middle(),
        Some(_) => several(),
        None => engine::try_where(&scalar(count, DType::F32)?.try_greater(1.0)?, &several()?, &middle()?),
    }
}

image_fn! {
    /// The part of an image within each of the boxes `[n, 4]`, as an image of `crop_size`: `[n, height, width, channels]` of `float32`.
    ///
    /// `box_indices` says which of the images `[batch, height, width, channels]` each box is of. Boxes are `float32` shares of the image, where 1
    /// is the centre of the last pixel; one whose bottom lies above its top gives a flipped image. What lies outside is
    /// `extrapolation_value`. TensorFlow's `tf.image.crop_and_resize`; the boxes have a gradient with [`CropMethod::Bilinear`].
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::image::CropMethod;
    /// let x = tf::reshape(&tf::range(0.0, 9.0, 1.0), [1, 3, 3, 1]);
    /// let boxes = tf::constant([[0.0, 0.0, 0.5, 1.0]]);
    /// let y = tf::image::crop_and_resize(&x, &boxes, tf::constant([0]), (2, 3), CropMethod::Bilinear, 0.0);
    /// assert_eq!(y.to_vec::<f32>(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    /// ```
    pub fn crop_and_resize, try_crop_and_resize(
        image: impl AsTensor,
        boxes: impl AsTensor,
        box_indices: impl AsTensor,
        crop_size: (impl IntoDim, impl IntoDim),
        method: CropMethod,
        extrapolation_value: f64,
    ) -> Tensor {
        let (images, boxes, indices) = (image.as_tensor(), boxes.as_tensor(), box_indices.as_tensor());
        if images.rank() != 4 {
            return Err(misfit("a batch of images is needed", &images, "[batch, height, width, channels]"));
        }
        super::super::operand::at_least_an_image(&images)?;
        check_boxes(&boxes, 2)?;
        floats(&boxes)?;
        let count = boxes.shape().dim(0);
        if indices.rank() != 1 || !indices.dtype().is_integer() || !indices.shape().dim(0).can_equal(count) {
            return Err(misfit("`box_indices` must have an integer for each box", &indices, &format!("int32[{count}]")));
        }
        let size = [checked_size("height", crop_size.0.into_dim()?, 1)?, checked_size("width", crop_size.1.into_dim()?, 1)?];
        let [batch, height, width] = [0, 1, 2].map(|axis| images.shape().dim(axis));
        let float = cast_to(&images, DType::F32)?;
        let boxes = cast_to(&boxes, DType::F32)?;
        let edge = |i: usize| super::super::operand::part(&boxes, 1, Dim::from(i), Dim::ONE);
        let at = |place: &Tensor, dims: [Dim; 3]| reshape_to(place, &Shape::from_dims(&dims)?);
        let y = at(&places(&edge(0)?, &edge(2)?, size[0], height)?, [count, size[0], Dim::ONE])?;
        let x = at(&places(&edge(1)?, &edge(3)?, size[1], width)?, [count, Dim::ONE, size[1]])?;
        // Numbers of images that are not there are refused by the lookup.
        let image = engine::try_gather(&cast_to(&engine::try_range(0, batch, 1)?, DType::I64)?, &*indices, 0)?;
        let image = at(&image, [count, Dim::ONE, Dim::ONE])?;
        let read = |row: &Tensor, column: &Tensor| pixels_at(&float, &image, row, column);
        let pixels = match method {
            CropMethod::Nearest => {
                let nearest = |place: &Tensor| place.try_add(0.5)?.try_floor();
                read(&nearest(&y)?, &nearest(&x)?)?
            }
            CropMethod::Bilinear => {
                let (top, bottom, left, right) = (y.try_floor()?, y.try_ceil()?, x.try_floor()?, x.try_ceil()?);
                let (down, across) = (y.try_subtract(&top)?.try_expand_dims(-1)?, x.try_subtract(&left)?.try_expand_dims(-1)?);
                let between = |a: &Tensor, b: &Tensor, share: &Tensor| a.try_add(&b.try_subtract(a)?.try_multiply(share)?);
                let upper = between(&read(&top, &left)?, &read(&top, &right)?, &across)?;
                let lower = between(&read(&bottom, &left)?, &read(&bottom, &right)?, &across)?;
                between(&upper, &lower, &down)?
            }
        };
        let is_seen = engine::try_logical_and(&is_within(&y, height)?, &is_within(&x, width)?)?;
        engine::try_where(&is_seen.try_expand_dims(-1)?, &pixels, extrapolation_value)
    }
}
