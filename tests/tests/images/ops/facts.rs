//! Of `tf::image` what TensorFlow's record does not say: sizes that are tensors, other sizes for one trace, and inputs without sense.
//! Each fact is a test of its own.

use eagerflow::{self as tf, Tensor, tf_function};
use tf::image::{self, ResizeMethod, Resizing};

fn picture(height: usize, width: usize) -> Tensor {
    tf::random::stateless_uniform([1, height, width, 3], [3, 4], 0.0, 1.0)
}

#[tf_function]
fn shrunk(x: &Tensor, height: &Tensor) -> Tensor {
    let small = tf::image::resize(x, (height, 4), Resizing::new(ResizeMethod::Lanczos3).antialias(true));
    tf::image::resize_with_crop_or_pad(small, 6, height)
}

#[test]
fn sizes_may_be_tensors() {
    let height = tf::constant(5);
    let eager = image::resize(picture(9, 8), (&height, 4), Resizing::new(ResizeMethod::Lanczos3).antialias(true));
    let eager = image::resize_with_crop_or_pad(eager, 6, &height);
    assert_eq!(eager.shape(), [1, 6, 5, 3]);
    for size in [9, 17] {
        assert_eq!(shrunk(&picture(size, 8), &height).shape(), [1, 6, 5, 3]);
    }
    let traced = shrunk(&picture(9, 8), &height).to_vec::<f32>();
    assert!(traced.iter().zip(eager.to_vec::<f32>()).all(|(a, b)| (a - b).abs() < 1e-5));
    assert!(image::try_resize(picture(3, 3), (&tf::constant(-2), 4), ResizeMethod::Area).is_err());
}

#[test]
fn inputs_without_sense_are_errors() {
    let x = picture(3, 3);
    let flat = tf::ones([3, 3]);
    let empty = tf::zeros([0, 3, 3]);
    let flags = tf::greater(&x, 0.5);
    for odd in [&flat, &empty, &tf::constant(1.0)] {
        assert!(image::try_flip_left_right(odd).is_err());
        assert!(image::try_rot90(odd, 1).is_err());
        assert!(image::try_resize(odd, (2, 2), ResizeMethod::Bilinear).is_err());
        assert!(image::try_resize_with_pad(odd, 2, 2, ResizeMethod::Bicubic).is_err());
        assert!(image::try_random_flip_up_down(odd, Some(1)).is_err());
        assert!(image::try_stateless_random_flip_up_down(odd, [1, 2]).is_err());
        assert!(image::try_per_image_standardization(odd).is_err());
        assert!(image::try_adjust_contrast(odd, 2.0).is_err());
        assert!(image::try_ssim(odd, odd, 1.0).is_err());
        assert!(image::try_ssim_multiscale(odd, odd, 1.0).is_err());
        assert!(image::try_psnr(odd, odd, 1.0).is_err());
        assert!(image::try_sobel_edges(odd).is_err());
        assert!(image::try_image_gradients(odd).is_err());
        assert!(image::try_total_variation(odd).is_err());
        assert!(image::try_central_crop(odd, 0.5).is_err());
        assert!(image::try_pad_to_bounding_box(odd, 0, 0, 9, 9).is_err());
        assert!(image::try_adjust_jpeg_quality(odd, 50, tf::io::DctMethod::default()).is_err());
    }
    assert!(image::try_resize(&flags, (2, 2), ResizeMethod::Nearest).is_err());
    assert!(image::try_convert_image_dtype(&flags, tf::float32, false).is_err());
    assert!(image::try_convert_image_dtype(&x, tf::bool_, false).is_err());
    assert!(image::try_resize_with_pad(&x, 2, 2, Resizing::default().preserve_aspect_ratio(true)).is_err());
    assert!(image::try_central_crop(&x, f64::NAN).is_err());
    assert!(image::try_adjust_gamma(&x, f64::NAN, 1.0).is_err());
    assert!(image::try_adjust_hue(&x, f64::NAN).is_err());
    assert!(image::try_adjust_hue(tf::ones([2, 2, 4]), 0.1).is_err());
    assert!(image::try_stateless_random_brightness(&x, f64::NAN, [1, 2]).is_err());
    assert!(image::try_stateless_random_contrast(&x, 0.1, f64::INFINITY, [1, 2]).is_err());
    assert!(image::try_stateless_random_crop(&x, [1, 4, 1, 1], [1, 2]).is_err());
    assert!(image::try_stateless_random_crop(&x, [1, 2], [1, 2]).is_err());
    assert!(image::try_adjust_jpeg_quality(tf::ones([2, 2, 3]), 101, tf::io::DctMethod::default()).is_err());
    assert!(image::Similarity::new(1.0).try_filter_size(0).is_err());
    assert!(image::Similarity::new(1.0).try_filter_sigma(f64::NAN).is_err());
    assert!(image::Similarity::new(1.0).try_power_factors(&[]).is_err());
}

#[test]
fn an_empty_batch_stays_one() {
    let x = tf::zeros([0, 4, 4, 3]);
    assert_eq!(image::resize(&x, (2, 3), ResizeMethod::Lanczos5).shape(), [0, 2, 3, 3]);
    assert_eq!(image::flip_up_down(&x).shape(), [0, 4, 4, 3]);
    assert_eq!(image::total_variation(&x).shape(), [0]);
    assert_eq!(image::adjust_saturation(&x, 2.0).shape(), [0, 4, 4, 3]);
}
