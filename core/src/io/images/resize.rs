//! `resize`: images of another size, by TensorFlow's `tf.image.resize` with pixels' centres at halves.
//! Users find it under `tf::image`; the reader of folders of images uses the same places on the host.

use crate::io::host::io_fn;
use engine::library::{Typed, cast_to};
use engine::{AsTensor, Tensor};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Dim;

/// How pixels between pixels are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResizeMethod {
    /// Of the four around, by how near they are; the result is `float32`.
    #[default]
    Bilinear,
    /// The nearest; the dtype stays.
    Nearest,
}

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

/// Places along an axis as tensors of a graph, where sizes may be symbols.
#[track_caller]
fn traced_places(to: usize, from: Dim, is_nearest: bool) -> Result<[Tensor; 3]> {
    let scale = cast_to(&engine::try_range(from, from + 1, 1)?, DType::F32)?.try_divide(to as f64)?;
    let middle = cast_to(&engine::try_range(0, to, 1)?, DType::F32)?.try_add(0.5)?.try_multiply(&scale)?;
    let at = if is_nearest { middle } else { middle.try_subtract(0.5)? };
    let whole = |x: &Tensor| cast_to(&x.try_maximum(0.0)?.try_minimum(from - 1)?, DType::I32);
    let low = at.try_floor()?;
    Ok([whole(&low)?, whole(&at.try_ceil()?)?, at.try_subtract(&low)?])
}

io_fn! {
    /// Images `[batch, height, width, channels]`, or one without the batch, of so many rows and columns.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::image::ResizeMethod;
    /// let x = tf::reshape(&tf::range(0.0, 4.0, 1.0), [2, 2, 1]);
    /// let large = tf::image::resize(&x, (2, 4), ResizeMethod::Bilinear);
    /// assert_eq!(large.to_vec::<f32>(), [0.0, 0.25, 0.75, 1.0, 2.0, 2.25, 2.75, 3.0]);
    /// ```
    pub fn resize, try_resize(images: impl AsTensor, size: (usize, usize), method: ResizeMethod) -> Tensor {
        let images = images.as_tensor();
        let rank = images.rank();
        if !matches!(rank, 3 | 4) || size.0 == 0 || size.1 == 0 {
            return Err(Error::invalid_argument("resize", "images and a size above 0 are needed")
                .got(format!("{} to {size:?}", Typed::ty(&*images)))
                .expected("[batch, height, width, channels] or [height, width, channels]"));
        }
        let (rows, columns) = (rank - 3, rank - 2);
        let (height, width) = (images.shape().dim(rows), images.shape().dim(columns));
        if method == ResizeMethod::Nearest {
            let [y, ..] = traced_places(size.0, height, true)?;
            let [x, ..] = traced_places(size.1, width, true)?;
            return engine::try_gather(&engine::try_gather(&*images, &y, rows as isize)?, &x, columns as isize);
        }
        let images = cast_to(&images, DType::F32)?;
        let between = |images: &Tensor, [low, high, share]: &[Tensor; 3], axis: usize| -> Result<Tensor> {
            let near = engine::try_gather(images, low, axis as isize)?;
            let far = engine::try_gather(images, high, axis as isize)?;
            let mut share = share.try_expand_dims(-1)?;
            if axis == rows {
                share = share.try_expand_dims(-1)?;
            }
            near.try_add(&far.try_subtract(&near)?.try_multiply(&share)?)
        };
        let wide = between(&images, &traced_places(size.1, width, false)?, columns)?;
        between(&wide, &traced_places(size.0, height, false)?, rows)
    }
}
