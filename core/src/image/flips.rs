//! `flip_left_right`, `flip_up_down`, `rot90` and `transpose`: images mirrored and turned by quarters.
//! Users call them under `tf::image`; the functions that mirror at random do too.

use super::operand::{image_axes, image_fn};
use engine::{AsTensor, Tensor};
use kernels::error::Result;

/// Images with rows and columns exchanged.
#[track_caller]
fn exchanged(x: &Tensor) -> Result<Tensor> {
    match x.rank() {
        3 => engine::try_transpose(x, [1, 0, 2]),
        _ => engine::try_transpose(x, [0, 2, 1, 3]),
    }
}

image_fn! {
    /// Images with left and right exchanged. TensorFlow's `tf.image.flip_left_right`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::reshape(&tf::range(0, 4, 1), [2, 2, 1]);
    /// assert_eq!(tf::image::flip_left_right(&x).to_vec::<i32>(), [1, 0, 3, 2]);
    /// ```
    pub fn flip_left_right, try_flip_left_right(image: impl AsTensor) -> Tensor {
        let image = image.as_tensor();
        let (_, columns) = image_axes(&image)?;
        image.try_reverse([columns as isize])
    }

    /// Images with top and bottom exchanged. TensorFlow's `tf.image.flip_up_down`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::reshape(&tf::range(0, 4, 1), [2, 2, 1]);
    /// assert_eq!(tf::image::flip_up_down(&x).to_vec::<i32>(), [2, 3, 0, 1]);
    /// ```
    pub fn flip_up_down, try_flip_up_down(image: impl AsTensor) -> Tensor {
        let image = image.as_tensor();
        let (rows, _) = image_axes(&image)?;
        image.try_reverse([rows as isize])
    }

    /// Images turned by `k` quarters against the clock, or with the clock where it is negative. TensorFlow's `tf.image.rot90`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::reshape(&tf::range(0, 4, 1), [2, 2, 1]);
    /// assert_eq!(tf::image::rot90(&x, 1).to_vec::<i32>(), [1, 3, 0, 2]);
    /// ```
    pub fn rot90, try_rot90(image: impl AsTensor, k: i64) -> Tensor {
        let image = image.as_tensor();
        let (rows, columns) = image_axes(&image)?;
        let (rows, columns) = (rows as isize, columns as isize);
        match k.rem_euclid(4) {
            0 => Ok(image.clone()),
            1 => exchanged(&image.try_reverse([columns])?),
            2 => image.try_reverse([rows, columns]),
            _ => exchanged(&image)?.try_reverse([columns]),
        }
    }

    /// Images with rows and columns exchanged. TensorFlow's `tf.image.transpose`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::reshape(&tf::range(0, 4, 1), [2, 2, 1]);
    /// assert_eq!(tf::image::transpose(&x).to_vec::<i32>(), [0, 2, 1, 3]);
    /// ```
    pub fn transpose, try_transpose(image: impl AsTensor) -> Tensor {
        let image = image.as_tensor();
        image_axes(&image)?;
        exchanged(&image)
    }
}
