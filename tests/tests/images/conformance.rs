//! Each file and option against TensorFlow's record: shapes, dtypes and every byte; at once, in traced functions and in data sets.

use eagerflow::{self as tf, DType, Tensor, tf_function};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use tf::data::Dataset;
use tf::io::{DctMethod, ImageDecoding, JpegDecoding, JpegEncoding, PngDecoding};

/// What TensorFlow recorded.
pub fn recorded() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/images.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The files, by name.
pub fn files(recorded: &Value) -> HashMap<&str, Vec<u8>> {
    let digits =
        |text: &str| (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect();
    let files = recorded["files"].as_object().unwrap();
    files.iter().map(|(name, text)| (name.as_str(), digits(text.as_str().unwrap()))).collect()
}

pub fn string(bytes: &[u8]) -> Tensor {
    Tensor::try_from_byte_strings(&[bytes], ()).unwrap()
}

fn hash(bytes: &[u8]) -> String {
    let hash = bytes
        .iter()
        .fold(0xCBF2_9CE4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3));
    format!("{hash:016x}")
}

fn bytes(tensor: &Tensor) -> Vec<u8> {
    match tensor.dtype() {
        DType::U8 => tensor.to_vec::<u8>(),
        DType::U16 => tensor.to_vec::<u16>().iter().flat_map(|x| x.to_le_bytes()).collect(),
        DType::I32 => tensor.to_vec::<i32>().iter().flat_map(|x| x.to_le_bytes()).collect(),
        DType::F32 => tensor.to_vec::<f32>().iter().flat_map(|x| x.to_le_bytes()).collect(),
        _ => vec![u8::from(tensor.item::<bool>())],
    }
}

fn dtype(case: &Value) -> DType {
    match case["as_dtype"].as_str() {
        Some("uint16") => tf::uint16,
        Some("float32") => tf::float32,
        _ => tf::uint8,
    }
}

fn channels(case: &Value) -> usize {
    case["channels"].as_u64().unwrap() as usize
}

fn jpeg(case: &Value) -> tf::Result<JpegDecoding> {
    let options = JpegDecoding::new().try_channels(channels(case))?;
    let method = if case["accurate"] == true { DctMethod::IntegerAccurate } else { DctMethod::IntegerFast };
    let options = options.fancy_upscaling(case["fancy"] != false).dct_method(method);
    options.try_ratio(case["ratio"].as_u64().map_or(1, |ratio| ratio as usize))
}

fn window(case: &Value) -> Tensor {
    let numbers: Vec<i32> = case["window"].as_array().unwrap().iter().map(|n| n.as_i64().unwrap() as i32).collect();
    Tensor::from(numbers)
}

/// What the library makes of a case.
fn done(case: &Value, file: &Tensor) -> tf::Result<Tensor> {
    match case["op"].as_str().unwrap() {
        "decode_jpeg" => tf::io::try_decode_jpeg(file, jpeg(case)?),
        "decode_and_crop_jpeg" => tf::io::try_decode_and_crop_jpeg(file, window(case), jpeg(case)?),
        "extract_jpeg_shape" => tf::io::try_extract_jpeg_shape(file),
        "decode_png" => {
            tf::io::try_decode_png(file, PngDecoding::new().try_channels(channels(case))?.try_dtype(dtype(case))?)
        }
        "decode_gif" => tf::io::try_decode_gif(file),
        "decode_bmp" => tf::io::try_decode_bmp(file, channels(case)),
        "is_jpeg" => tf::io::try_is_jpeg(file),
        _ => {
            let options = ImageDecoding::new().try_channels(channels(case))?.try_dtype(dtype(case))?;
            tf::io::try_decode_image(file, options.expand_animations(case["expand"] == true))
        }
    }
}

/// What is wrong with a result.
fn difference(case: &Value, result: &tf::Result<Tensor>) -> Option<String> {
    let expected = format!("{} of {}: {}", case["dtype"], case["shape"], case["hash"]);
    match result {
        Err(_) if case["error"] == true => None,
        Err(error) => Some(error.to_string()),
        Ok(tensor) => {
            let shape = Value::from(tensor.shape().dims());
            let got = format!("\"{}\" of {shape}: \"{}\"", tensor.dtype(), hash(&bytes(tensor)));
            (got != expected).then(|| format!("{got}\n   TensorFlow {expected}"))
        }
    }
}

#[test]
fn pixels_are_tensorflow_s_to_the_bit() {
    let recorded = recorded();
    let (files, mut wrong) = (files(&recorded), Vec::new());
    for case in recorded["cases"].as_array().unwrap() {
        let file = string(&files[case["file"].as_str().unwrap()]);
        if let Some(difference) = difference(case, &done(case, &file)) {
            wrong.push(format!("{case}\n   {difference}"));
        }
    }
    assert!(wrong.is_empty(), "{} cases differ\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn jpeg_files_are_tensorflow_s_to_the_bit() {
    for case in recorded()["encoded"].as_array().unwrap() {
        let shape: Vec<usize> =
            case["shape"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
        let (w, c) = (shape[1], shape[2]);
        let pixel = |i: usize| (i / c % w, i / c / w, i % c);
        let value =
            |(x, y, k): (usize, usize, usize)| ((x * 11 + y * 7 + k * 60 + x * y * (k + 1) % 23 * 3) % 256) as u8;
        let image: Vec<u8> = (0..shape.iter().product()).map(|i| value(pixel(i))).collect();
        let image = Tensor::from(image).reshape(&shape);
        let options = &case["options"];
        let quality = options["quality"].as_u64().unwrap_or(95) as u8;
        let how = JpegEncoding::from(quality).chroma_downsampling(options["chroma_downsampling"] != false);
        let file = tf::io::encode_jpeg(&image, how).to_byte_strings().remove(0);
        assert_eq!(
            (file.len() as u64, hash(&file)),
            (case["length"].as_u64().unwrap(), case["hash"].as_str().unwrap().into()),
            "{case}"
        );
    }
}

#[tf_function]
fn traced_jpeg(file: &Tensor) -> (Tensor, Tensor) {
    (tf::io::decode_jpeg(file, 0), tf::io::extract_jpeg_shape(file))
}

#[tf_function]
fn traced_crop(file: &Tensor, window: &Tensor) -> Tensor {
    tf::io::decode_and_crop_jpeg(file, window, 3)
}

#[tf_function]
fn traced_png(file: &Tensor) -> (Tensor, Tensor) {
    let pixels = tf::io::decode_png(file, 3);
    let again = tf::io::decode_png(tf::io::encode_png(&pixels), 3);
    (pixels, again)
}

#[tf_function]
fn traced_gif(file: &Tensor) -> Tensor {
    tf::io::decode_gif(file)
}

#[tf_function]
fn traced_image(file: &Tensor) -> Tensor {
    let decoded = tf::io::decode_image(file, ImageDecoding::from(3).expand_animations(false));
    if tf::io::is_jpeg(file) { decoded } else { decoded + 1_u8 }
}

#[test]
fn graphs_and_data_sets_give_the_same() {
    let recorded = recorded();
    let files = files(&recorded);
    for (name, file) in &files {
        let file = string(file);
        if name.starts_with("jpeg") {
            let (pixels, shape) = traced_jpeg(&file);
            assert_eq!(bytes(&pixels), bytes(&tf::io::decode_jpeg(&file, 0)), "{name}");
            assert_eq!(bytes(&shape), bytes(&tf::io::extract_jpeg_shape(&file)), "{name}");
        } else if name.starts_with("png") {
            let (pixels, again) = traced_png(&file);
            assert_eq!(bytes(&pixels), bytes(&tf::io::decode_png(&file, 3)), "{name}");
            assert_eq!(bytes(&again), bytes(&pixels), "{name}");
        } else if name.starts_with("gif") {
            assert_eq!(bytes(&traced_gif(&file)), bytes(&tf::io::decode_gif(&file)), "{name}");
        }
    }
    let large = string(&files["jpeg large"]);
    let window = tf::constant([5, 7, 30, 50]);
    let cropped = bytes(&traced_crop(&large, &window));
    assert_eq!(cropped, bytes(&tf::io::decode_jpeg(&large, 3).at(tf::s![5..35, 7..57])));
    assert_eq!(tf::function(traced_crop).trace_count(), 1);

    let names = ["jpeg 4:2:0", "gif animated", "png rgb 8", "bmp 24"];
    let all: Vec<&[u8]> = names.iter().map(|name| &files[name][..]).collect();
    let all = Tensor::try_from_byte_strings(&all, [4]).unwrap();
    let decoded: Vec<Tensor> =
        Dataset::from_tensor_slices(all).map_with(2, |file: Tensor| traced_image(&file)).iter().collect();
    for (pixels, name) in decoded.iter().zip(names) {
        let eager = tf::io::decode_image(string(&files[name]), ImageDecoding::from(3).expand_animations(false));
        let eager = if name.starts_with("jpeg") { eager } else { eager + 1_u8 };
        assert_eq!(bytes(pixels), bytes(&eager), "{name}");
    }
}

#[test]
fn a_window_of_the_whole_is_what_is_cut_out_of_it() {
    let recorded = recorded();
    let files = files(&recorded);
    for name in ["jpeg large", "jpeg large 4:4:4", "jpeg progressive", "jpeg restarts", "jpeg gray", "jpeg 4:1:1"] {
        let file = string(&files[name]);
        let whole = tf::io::decode_jpeg(&file, 3);
        let (rows, columns) = (whole.shape()[0], whole.shape()[1]);
        for (y, x) in [(0, 0), (3, 5), (8, 8), (rows - 4, columns - 6)] {
            for (height, width) in [(4, 6), (rows - y, columns - x)] {
                let window = tf::constant([y as i32, x as i32, height as i32, width as i32]);
                let part = tf::io::decode_and_crop_jpeg(&file, window, 3);
                let cut = whole.at(tf::s![y as isize..(y + height) as isize, x as isize..(x + width) as isize]);
                assert_eq!(bytes(&part), bytes(&cut), "{name}: {y} {x} {height} {width}");
            }
        }
    }
}
