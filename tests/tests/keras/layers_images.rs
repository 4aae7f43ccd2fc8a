//! Layers that bring images to a size or change their colours, shapes and parts, against Keras.
//! Random ones have a range of one number, where Keras draws what ours do; what is left to chance is held to its laws.

use crate::numbers::{file, near, tensor};
use eagerflow as tf;
use serde_json::Value;
use tf::image::ResizeMethod;
use tf::layers::{CenterCrop, FillMode, Layer, Resizing};
use tf::{DataFormat, Tensor, tf_function};

/// The output for the input of a row, at once and traced.
fn check(rows: &Value, name: &str, layer: &dyn Layer, training: bool, tolerance: f64) {
    let x = tensor(&rows[name]["input"]);
    let y = layer.try_call(&x, training).unwrap_or_else(|e| panic!("{name}: {e}"));
    near(name, &y, &rows[name]["output"], tolerance);
    near(&format!("{name}, traced"), &traced(layer, &x, training), &rows[name]["output"], tolerance);
}

#[tf_function]
fn traced(layer: &dyn Layer, x: &Tensor, training: bool) -> Tensor {
    layer.try_call(x, training).unwrap()
}

/// An error's text has these words.
fn words(text: String, words: &[&str]) {
    let missing: Vec<&&str> = words.iter().filter(|word| !text.contains(**word)).collect();
    assert!(missing.is_empty(), "{missing:?} are missing in: {text}");
}

#[test]
fn brought_to_a_size() {
    let rows = file("layers_images");
    let (near, first) = (2e-5, DataFormat::ChannelsFirst);
    check(&rows, "resizing", &Resizing::new(4, 5), true, near);
    check(&rows, "resizing_larger", &Resizing::new(9, 8), false, near);
    check(&rows, "resizing_one", &Resizing::new(3, 9), true, near);
    check(&rows, "resizing_first", &Resizing::new(3, 9).data_format(first), true, near);
    check(&rows, "resizing_whole", &Resizing::new(4, 6), true, 0.0);
    let cubic = Resizing::new(7, 9).interpolation(ResizeMethod::Bicubic);
    check(&rows, "resizing_whole_cubic", &cubic, true, 0.0);
    check(&rows, "resizing_signed", &Resizing::new(4, 6), true, 0.0);
    check(&rows, "resizing_cut_wide", &Resizing::new(2, 6).crop_to_aspect_ratio(true), true, near);
    check(&rows, "resizing_cut_high", &Resizing::new(6, 3).crop_to_aspect_ratio(true), true, near);
    let wide = Resizing::new(3, 9).pad_to_aspect_ratio(true).fill_value(7.0);
    check(&rows, "resizing_padded_wide", &wide, true, near);
    let high = Resizing::new(9, 4).pad_to_aspect_ratio(true);
    check(&rows, "resizing_padded_high", &high.clone().fill_mode(FillMode::Constant), true, near);
    check(&rows, "resizing_padded_first", &high.fill_value(3.0).data_format(first), true, near);
    for (name, method) in [
        ("bilinear", ResizeMethod::Bilinear),
        ("nearest", ResizeMethod::Nearest),
        ("bicubic", ResizeMethod::Bicubic),
        ("area", ResizeMethod::Area),
        ("lanczos3", ResizeMethod::Lanczos3),
        ("lanczos5", ResizeMethod::Lanczos5),
    ] {
        check(&rows, &format!("resizing_{name}"), &Resizing::new(3, 9).interpolation(method), true, near);
        let filtered = Resizing::new(3, 4).interpolation(method).antialias(true);
        check(&rows, &format!("resizing_{name}_antialias"), &filtered, true, near);
    }
}

#[test]
fn cut_around_the_middle() {
    let rows = file("layers_images");
    let first = DataFormat::ChannelsFirst;
    check(&rows, "center", &CenterCrop::new(2, 4), true, 0.0);
    check(&rows, "center_odd", &CenterCrop::new(4, 7), false, 0.0);
    check(&rows, "center_one", &CenterCrop::new(3, 3), true, 0.0);
    check(&rows, "center_first", &CenterCrop::new(3, 4).data_format(first), true, 0.0);
    check(&rows, "center_larger", &CenterCrop::new(6, 9), true, 2e-5);
    check(&rows, "center_high", &CenterCrop::new(7, 3), true, 2e-5);
    check(&rows, "center_high_first", &CenterCrop::new(7, 3).data_format(first), true, 2e-5);
    check(&rows, "center_whole", &CenterCrop::new(4, 8), true, 2e-5);
}

#[test]
fn refusals_of_sizes_name_layer_and_option() {
    words(Resizing::try_new(3, 0).unwrap_err().to_string(), &["Resizing", "width", "at least 1"]);
    words(CenterCrop::try_new(0, 3).unwrap_err().to_string(), &["CenterCrop", "height"]);
    let cut = Resizing::new(3, 3).crop_to_aspect_ratio(true);
    words(cut.clone().try_pad_to_aspect_ratio(true).unwrap_err().to_string(), &["pad_to_aspect_ratio", "one of them"]);
    assert!(cut.try_pad_to_aspect_ratio(false).is_ok());
    words(Resizing::new(3, 3).try_fill_mode(FillMode::Wrap).unwrap_err().to_string(), &["fill_mode", "Wrap"]);
    let layer = Resizing::new(3, 3).name("rs");
    words(layer.try_call(tf::ones([2, 2]), true).unwrap_err().to_string(), &["rs", "rank 3 or 4"]);
}
