//! How each operation of `tf::image` is called with the attributes of TensorFlow's record.
//! The tests beside it call it with tensors, and with symbols of graphs.

use eagerflow as tf;
use eagerflow_tests::golden::Attrs;
use tf::image::{self, ResizeMethod, Resizing, Similarity};
use tf::{Result, Tensor};

fn method(name: &str) -> ResizeMethod {
    match name {
        "bilinear" => ResizeMethod::Bilinear,
        "nearest" => ResizeMethod::Nearest,
        "bicubic" => ResizeMethod::Bicubic,
        "area" => ResizeMethod::Area,
        "lanczos3" => ResizeMethod::Lanczos3,
        "lanczos5" => ResizeMethod::Lanczos5,
        "gaussian" => ResizeMethod::Gaussian,
        "mitchellcubic" => ResizeMethod::MitchellCubic,
        other => panic!("{other} is no method"),
    }
}

fn resizing(a: &Attrs) -> Resizing {
    Resizing::new(method(a.text("method"))).antialias(a.flag("antialias")).preserve_aspect_ratio(a.flag("aspect"))
}

/// A list of numbers.
fn numbers(a: &Attrs, name: &str) -> Vec<f64> {
    a.raw(name).as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// The sizes of windows in `random_crop`.
fn window(x: &Tensor) -> Vec<usize> {
    if x.rank() == 3 { vec![2, 2, 3] } else { vec![5, 1, 2, 2] }
}

/// The function of a name.
pub fn call(op: &str, a: &Attrs, x: &[Tensor]) -> Result<Vec<Tensor>> {
    if let Some(name) = op.strip_prefix("stateless_random_") {
        return stateless(name, a, &x[0]).map(|y| vec![y]);
    }
    if let Some(name) = op.strip_prefix("random_") {
        return drawn(name, a, &x[0]).map(|y| vec![y]);
    }
    if op == "image_gradients" {
        return image::try_image_gradients(&x[0]).map(|(dy, dx)| vec![dy, dx]);
    }
    if let Some(results) = super::boxes::call(op, a, x) {
        return results;
    }
    let size = |i: usize| a.ints("size").unwrap()[i];
    let edge = |i: usize| a.ints("box").unwrap()[i];
    let image = &x[0];
    let y = match op {
        "adjust_brightness" => image::try_adjust_brightness(image, a.float("delta")),
        "adjust_contrast" => image::try_adjust_contrast(image, a.float("factor")),
        "adjust_gamma" => image::try_adjust_gamma(image, a.float("gamma"), a.float("gain")),
        "adjust_hue" => image::try_adjust_hue(image, a.float("delta")),
        "adjust_saturation" => image::try_adjust_saturation(image, a.float("factor")),
        "adjust_jpeg_quality" => {
            image::try_adjust_jpeg_quality(image, a.int("quality") as i32, tf::io::DctMethod::default())
        }
        "per_image_standardization" => image::try_per_image_standardization(image),
        "rgb_to_grayscale" => image::try_rgb_to_grayscale(image),
        "grayscale_to_rgb" => image::try_grayscale_to_rgb(image),
        "rgb_to_hsv" => image::try_rgb_to_hsv(image),
        "hsv_to_rgb" => image::try_hsv_to_rgb(image),
        "rgb_to_yiq" => image::try_rgb_to_yiq(image),
        "yiq_to_rgb" => image::try_yiq_to_rgb(image),
        "rgb_to_yuv" => image::try_rgb_to_yuv(image),
        "yuv_to_rgb" => image::try_yuv_to_rgb(image),
        "convert_image_dtype" => image::try_convert_image_dtype(image, a.dtype("dtype"), a.flag("saturate")),
        "flip_left_right" => image::try_flip_left_right(image),
        "flip_up_down" => image::try_flip_up_down(image),
        "transpose" => image::try_transpose(image),
        "rot90" => image::try_rot90(image, a.int("k") as i64),
        "central_crop" => image::try_central_crop(image, a.float("fraction")),
        "crop_to_bounding_box" => image::try_crop_to_bounding_box(image, edge(0), edge(1), edge(2), edge(3)),
        "pad_to_bounding_box" => image::try_pad_to_bounding_box(image, edge(0), edge(1), edge(2), edge(3)),
        "resize_with_crop_or_pad" => image::try_resize_with_crop_or_pad(image, size(0), size(1)),
        "resize" => image::try_resize(image, (size(0), size(1)), resizing(a)),
        "resize_with_pad" => image::try_resize_with_pad(image, size(0), size(1), resizing(a)),
        "psnr" => image::try_psnr(image, &x[1], a.float("max_val")),
        "ssim" => image::try_ssim(image, &x[1], a.float("max_val")),
        "ssim_map" => {
            let how = Similarity::new(a.float("max_val")).filter_size(5).filter_sigma(1.1).k1(0.02).k2(0.05);
            image::try_ssim(image, &x[1], how.return_index_map(true))
        }
        "ssim_multiscale" => {
            let how = Similarity::new(a.float("max_val")).power_factors(&numbers(a, "powers"));
            image::try_ssim_multiscale(image, &x[1], how.filter_size(a.int("size") as usize))
        }
        "total_variation" => image::try_total_variation(image),
        "sobel_edges" => image::try_sobel_edges(image),
        other => panic!("`{other}` is not called here"),
    };
    y.map(|y| vec![y])
}

/// With the record's seed of two numbers.
fn stateless(name: &str, a: &Attrs, x: &Tensor) -> Result<Tensor> {
    let (n, seed) = (numbers(a, "numbers"), a.ints("seed").unwrap());
    let seed = [seed[0] as i64, seed[1] as i64];
    match name {
        "brightness" => image::try_stateless_random_brightness(x, n[0], seed),
        "contrast" => image::try_stateless_random_contrast(x, n[0], n[1], seed),
        "hue" => image::try_stateless_random_hue(x, n[0], seed),
        "saturation" => image::try_stateless_random_saturation(x, n[0], n[1], seed),
        "jpeg_quality" => image::try_stateless_random_jpeg_quality(x, n[0] as i32, n[1] as i32, seed),
        "flip_left_right" => image::try_stateless_random_flip_left_right(x, seed),
        "flip_up_down" => image::try_stateless_random_flip_up_down(x, seed),
        _ => image::try_stateless_random_crop(x, window(x), seed),
    }
}

/// From the global state.
fn drawn(name: &str, a: &Attrs, x: &Tensor) -> Result<Tensor> {
    let (n, seed) = (numbers(a, "numbers"), a.int_or_none("seed").map(|seed| seed as i64));
    match name {
        "brightness" => image::try_random_brightness(x, n[0], seed),
        "contrast" => image::try_random_contrast(x, n[0], n[1], seed),
        "hue" => image::try_random_hue(x, n[0], seed),
        "saturation" => image::try_random_saturation(x, n[0], n[1], seed),
        "jpeg_quality" => image::try_random_jpeg_quality(x, n[0] as i32, n[1] as i32, seed),
        "flip_left_right" => image::try_random_flip_left_right(x, seed),
        "flip_up_down" => image::try_random_flip_up_down(x, seed),
        _ => image::try_random_crop(x, window(x), seed),
    }
}
