//! Gray, YIQ and YUV: channels that are sums of the three of RGB, and back.
//! Users call them under `tf::image`.

use super::convert::converted;
use super::operand::{floats, image_fn, misfit};
use engine::library::cast_to;
use engine::{AsTensor, Tensor};
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::{Dim, Shape};

/// New channels, whose shares of the old ones are the columns.
#[track_caller]
fn mixed(x: &Tensor, shares: [[f32; 3]; 3]) -> Result<Tensor> {
    floats(x)?;
    if x.rank() == 0 || !x.shape().dim(x.rank() - 1).can_equal(Dim::from(3)) {
        return Err(misfit("the images must have three channels", x, "3 as the last size"));
    }
    engine::try_tensordot(x, &cast_to(&Tensor::from(shares), x.dtype())?, 1)
}

image_fn! {
    /// RGB images `[.., 3]` as gray ones, `[.., 1]`, in their dtype. TensorFlow's `tf.image.rgb_to_grayscale`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant_of([[[100, 0, 0], [100, 100, 100]]], tf::uint8);
    /// assert_eq!(tf::image::rgb_to_grayscale(&x).to_vec::<u8>(), [29, 100]);
    /// ```
    pub fn rgb_to_grayscale, try_rgb_to_grayscale(images: impl AsTensor) -> Tensor {
        let images = images.as_tensor();
        if images.rank() == 0 || !images.shape().dim(images.rank() - 1).can_equal(Dim::from(3)) {
            return Err(misfit("the images must have three channels", &images, "3 as the last size"));
        }
        let shares = Tensor::from([[0.2989_f32], [0.587], [0.114]]);
        converted(&engine::try_tensordot(&converted(&images, DType::F32, false)?, &shares, 1)?, images.dtype(), false)
    }

    /// Gray images `[.., 1]` as RGB ones, `[.., 3]`, whose channels are equal. TensorFlow's `tf.image.grayscale_to_rgb`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[[1], [2]]]);
    /// assert_eq!(tf::image::grayscale_to_rgb(&x).to_vec::<i32>(), [1, 1, 1, 2, 2, 2]);
    /// ```
    pub fn grayscale_to_rgb, try_grayscale_to_rgb(images: impl AsTensor) -> Tensor {
        let images = images.as_tensor();
        let rank = images.rank();
        if rank < 2 || !images.shape().dim(rank - 1).can_equal(Dim::ONE) {
            return Err(misfit("gray images are needed", &images, "[.., width, 1]"));
        }
        let mut dims: Vec<Dim> = images.shape().iter().collect();
        dims[rank - 1] = Dim::ONE;
        let gray = engine::library::reshape_to(&images, &Shape::from_dims(&dims)?)?;
        dims[rank - 1] = Dim::from(3);
        engine::try_broadcast_to(&gray, &Shape::from_dims(&dims)?)
    }

    /// RGB images `[.., 3]` of floats as YIQ, the colours of NTSC. TensorFlow's `tf.image.rgb_to_yiq`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let yiq = tf::image::rgb_to_yiq(tf::constant([[[1.0, 0.0, 0.0]]]));
    /// assert_eq!(yiq.to_vec::<f32>()[0], 0.299);
    /// ```
    pub fn rgb_to_yiq, try_rgb_to_yiq(images: impl AsTensor) -> Tensor {
        mixed(&images.as_tensor(), [
            [0.299, 0.595_900_59, 0.2115],
            [0.587, -0.274_556_67, -0.522_736_17],
            [0.114, -0.321_343_92, 0.311_199_55],
        ])
    }

    /// YIQ images `[.., 3]` of floats as RGB. TensorFlow's `tf.image.yiq_to_rgb`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let rgb = tf::image::yiq_to_rgb(tf::constant([[[0.5, 0.0, 0.0]]]));
    /// assert_eq!(rgb.to_vec::<f32>(), [0.5, 0.5, 0.5]);
    /// ```
    pub fn yiq_to_rgb, try_yiq_to_rgb(images: impl AsTensor) -> Tensor {
        mixed(&images.as_tensor(), [
            [1.0, 1.0, 1.0],
            [0.955_986_34, -0.272_012_83, -1.106_740_21],
            [0.620_824_8, -0.647_204_24, 1.704_230_49],
        ])
    }

    /// RGB images `[.., 3]` of floats as YUV, the colours of PAL. TensorFlow's `tf.image.rgb_to_yuv`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let yuv = tf::image::rgb_to_yuv(tf::constant([[[0.0, 1.0, 0.0]]]));
    /// assert_eq!(yuv.to_vec::<f32>()[0], 0.587);
    /// ```
    pub fn rgb_to_yuv, try_rgb_to_yuv(images: impl AsTensor) -> Tensor {
        mixed(&images.as_tensor(), [
            [0.299, -0.147_141_19, 0.614_975_38],
            [0.587, -0.288_869_16, -0.514_965_12],
            [0.114, 0.436_010_35, -0.100_010_26],
        ])
    }

    /// YUV images `[.., 3]` of floats as RGB. TensorFlow's `tf.image.yuv_to_rgb`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let rgb = tf::image::yuv_to_rgb(tf::constant([[[0.5, 0.0, 0.0]]]));
    /// assert_eq!(rgb.to_vec::<f32>(), [0.5, 0.5, 0.5]);
    /// ```
    pub fn yuv_to_rgb, try_yuv_to_rgb(images: impl AsTensor) -> Tensor {
        mixed(&images.as_tensor(), [
            [1.0, 1.0, 1.0],
            [0.0, -0.394_642_334, 2.032_061_85],
            [1.139_883_03, -0.580_621_85, 0.0],
        ])
    }
}
