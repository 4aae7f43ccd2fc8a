//! `total_variation`, `image_gradients` and `sobel_edges`: how much pixels differ from their neighbours.
//! Users call them under `tf::image`.

use super::operand::{at_least_an_image, floats, image_axes, image_fn, misfit, part};
use engine::library::reshape_to;
use engine::{AsTensor, PadMode, Padding, Tensor};
use kernels::error::Result;
use kernels::shape::{Dim, Shape};

/// Each pixel less the one before it along an axis; one fewer.
#[track_caller]
fn steps(x: &Tensor, axis: usize) -> Result<Tensor> {
    let fewer = x.shape().dim(axis) - 1;
    part(x, axis, Dim::ONE, fewer)?.try_subtract(&part(x, axis, Dim::ZERO, fewer)?)
}

image_fn! {
    /// The sum of the absolute differences of neighbours, one number for each image: small where there is little noise. TensorFlow's
    /// `tf.image.total_variation`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[[0.0], [2.0]], [[1.0], [5.0]]]);
    /// assert_eq!(tf::image::total_variation(&x).item::<f32>(), 10.0);
    /// ```
    pub fn total_variation, try_total_variation(images: impl AsTensor) -> Tensor {
        let images = images.as_tensor();
        let (rows, columns) = image_axes(&images)?;
        let sum = |axis: usize| steps(&images, axis)?.try_abs()?.try_reduce_sum([-1, -2, -3]);
        sum(rows)?.try_add(&sum(columns)?)
    }

    /// The differences to the next row and to the next column, each of the shape of the images `[batch, height, width, channels]`, with
    /// zeros in the last row and column. TensorFlow's `tf.image.image_gradients`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[[[0.0], [2.0]], [[1.0], [5.0]]]]);
    /// let (dy, dx) = tf::image::image_gradients(&x);
    /// assert_eq!(dy.to_vec::<f32>(), [1.0, 3.0, 0.0, 0.0]);
    /// assert_eq!(dx.to_vec::<f32>(), [2.0, 0.0, 4.0, 0.0]);
    /// ```
    pub fn image_gradients, try_image_gradients(image: impl AsTensor) -> (Tensor, Tensor) {
        let image = image.as_tensor();
        if image.rank() != 4 {
            return Err(misfit("a batch of images is needed", &image, "[batch, height, width, channels]"));
        }
        at_least_an_image(&image)?;
        let towards = |axis: usize| {
            let mut margins = [[Dim::ZERO; 2]; 4];
            margins[axis][1] = Dim::ONE;
            engine::try_pad(&steps(&image, axis)?, margins, PadMode::Constant)
        };
        Ok((towards(1)?, towards(2)?))
    }

    /// The edges of images `[batch, height, width, channels]` of floats by the filters of Sobel: `[.., 2]`, across rows and across columns.
    /// Height and width must be at least 2. TensorFlow's `tf.image.sobel_edges`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let edges = tf::image::sobel_edges(tf::ones([1, 3, 3, 2]));
    /// assert_eq!(edges.shape(), [1, 3, 3, 2, 2]);
    /// assert_eq!(edges.to_vec::<f32>(), [0.0; 36]);
    /// ```
    pub fn sobel_edges, try_sobel_edges(image: impl AsTensor) -> Tensor {
        let image = image.as_tensor();
        if image.rank() != 4 {
            return Err(misfit("a batch of images is needed", &image, "[batch, height, width, channels]"));
        }
        at_least_an_image(&image)?;
        floats(&image)?;
        let around = [[Dim::ZERO; 2], [Dim::ONE; 2], [Dim::ONE; 2], [Dim::ZERO; 2]];
        let padded = engine::try_pad(&*image, around, PadMode::Reflect)?;
        let filters = Tensor::from([
            [[-1.0_f32, -1.0], [-2.0, 0.0], [-1.0, 1.0]],
            [[0.0, -2.0], [0.0, 0.0], [0.0, 2.0]],
            [[1.0, -1.0], [2.0, 0.0], [1.0, 1.0]],
        ]);
        let channels = image.shape().dim(3);
        let whole = Shape::from_dims(&[Dim::from(3), Dim::from(3), channels, Dim::from(2)])?;
        let filters = engine::library::cast_to(&filters, image.dtype())?.try_expand_dims(2)?;
        let edges = engine::try_depthwise_conv2d(&padded, engine::try_broadcast_to(&filters, &whole)?, 1, Padding::Valid)?;
        let dims: Vec<Dim> = image.shape().iter().chain([Dim::from(2)]).collect();
        reshape_to(&edges, &Shape::from_dims(&dims)?)
    }
}
