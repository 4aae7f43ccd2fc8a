//! `decode_png` and `encode_png`: PNG files of 8 and 16 bits a sample, with the conversions between gray and colours that libpng makes.
//! `decode_image` calls the decoder too.

use super::pixels::{self, Pixels, Samples, check_channels, check_dtype, check_size, with_channels};
use crate::io::host::{Work, bytes_of, io_fn, one_string};
use ::png::{BitDepth, ColorType, Compression, Decoder, Encoder, Limits, Transformations};
use engine::library::Typed;
use engine::library::options::options;
use engine::{AsTensor, Tensor};
use formats::jpeg::MOST_BYTES;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};

const OP: &str = "decode_png";
/// As many bytes as one byte of deflated data can stand for.
const MOST_OF_A_BYTE: usize = 1032;

/// How to decode PNG files: TensorFlow's options of `tf.io.decode_png`. A number alone is the number of channels.
///
/// ```
/// use eagerflow as tf;
/// let file = tf::io::encode_png(tf::fill([2, 2, 1], 7_u8));
/// let pixels = tf::io::decode_png(&file, tf::io::PngDecoding::new().channels(3).dtype(tf::uint16));
/// assert_eq!(pixels.to_vec::<u16>(), [7 * 257; 12]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PngDecoding {
    channels: usize,
    dtype: DType,
}

impl Default for PngDecoding {
    fn default() -> Self {
        Self::new()
    }
}

impl From<usize> for PngDecoding {
    fn from(channels: usize) -> Self {
        Self { channels, dtype: DType::U8 }
    }
}

impl PngDecoding {
    /// The defaults: the file's channels, as `uint8`.
    pub fn new() -> Self {
        Self::from(0)
    }
}

options! { [] PngDecoding:
    /// 1 for gray, 3 for RGB, 4 for RGB and opacity, 0 for what the file has.
    pub fn channels, try_channels(this, channels: usize) {
        this.channels = check_channels(OP, channels, &[0, 1, 3, 4])?;
        Ok(this)
    }

    /// `uint8`, for which the lower bytes of longer samples are left out, or `uint16`.
    pub fn dtype, try_dtype(this, dtype: DType) {
        this.dtype = check_dtype(OP, dtype, &[DType::U8, DType::U16])?;
        Ok(this)
    }
}

fn damaged(what: impl std::fmt::Display) -> Error {
    Error::invalid_argument(OP, format!("the data are no PNG picture, or damaged: {what}"))
}

/// Decodes a file to samples as it has them, of 8 or 16 bits.
pub(super) fn decode(bytes: &[u8], channels: usize) -> Result<Pixels> {
    let mut decoder = Decoder::new_with_limits(bytes, Limits { bytes: MOST_BYTES as usize });
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(damaged)?;
    let info = reader.info();
    let (height, width) = (info.height as usize, info.width as usize);
    let (is_palette, stored) = (info.color_type == ColorType::Indexed, info.color_type.samples());
    let has_transparency = info.trns.is_some();
    // The crate takes three bytes a colour, of 256 colours at most, for granted.
    let colours_fit = |palette: &[u8]| palette.len().is_multiple_of(3) && palette.len() <= 3 * 256;
    if is_palette && !info.palette.as_deref().is_some_and(colours_fit) {
        return Err(damaged("its colours are cut off, or too many"));
    }
    if is_palette && info.trns.as_deref().is_some_and(|alpha| alpha.len() > 256) {
        return Err(damaged("it has more transparent colours than there can be"));
    }
    check_size(OP, height, width, 4)?;
    let (colours, depth) = reader.output_color_type();
    let given = colours.samples();
    let width_of_sample = if depth == BitDepth::Sixteen { 2 } else { 1 };
    let size = reader.output_buffer_size();
    if size / 8 / MOST_OF_A_BYTE > bytes.len() {
        return Err(damaged("the data end before the picture does"));
    }
    let mut buffer = vec![0; size];
    reader.next_frame(&mut buffer).map_err(damaged)?;
    let wanted = match channels {
        0 if is_palette && has_transparency => 4,
        0 if is_palette => 3,
        0 => stored,
        given => given,
    };
    let samples = match width_of_sample {
        1 => Samples::Bytes(with_channels(buffer, (given, wanted), u8::MAX)),
        _ => {
            let words = buffer.chunks_exact(2).map(|two| u16::from_be_bytes([two[0], two[1]])).collect();
            Samples::Words(with_channels(words, (given, wanted), u16::MAX))
        }
    };
    Ok(Pixels { frames: None, height, width, channels: wanted, samples })
}

/// Rows, columns and channels of a picture.
type Size = (usize, usize, usize);

/// A file of rows of pixels of one byte a sample and 1 to 4 channels, compressed at a low level. Summaries and `tf::viz` write theirs with it.
///
/// # Errors
/// InvalidArgument for a picture without pixels, or with more rows or columns than a file can have.
pub(crate) fn encode_bytes(op: &'static str, bytes: &[u8], size: Size) -> Result<Vec<u8>> {
    encode(op, bytes, size, BitDepth::Eight, 0)
}

/// A file of rows of pixels, of one or two bytes a sample.
fn encode(
    op: &'static str,
    bytes: &[u8],
    (height, width, channels): Size,
    depth: BitDepth,
    level: i32,
) -> Result<Vec<u8>> {
    let fails = |e: &dyn std::fmt::Display| {
        Error::invalid_argument(op, format!("the picture was not encoded: {e}"))
            .got(format!("{width} by {height} pixels of {channels} channels"))
    };
    let (Ok(rows), Ok(columns)) = (u32::try_from(height), u32::try_from(width)) else {
        return Err(fails(&"it has too many rows or columns"));
    };
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, columns, rows);
    encoder.set_depth(depth);
    encoder.set_color(match channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        _ => ColorType::Rgba,
    });
    encoder.set_compression(match level {
        0..=3 => Compression::Fast,
        7..=9 => Compression::Best,
        _ => Compression::Default,
    });
    let mut writer = encoder.write_header().map_err(|e| fails(&e))?;
    writer.write_image_data(bytes).map_err(|e| fails(&e))?;
    writer.finish().map_err(|e| fails(&e))?;
    Ok(file)
}

/// Encodes all images of a tensor.
fn encode_all(images: &Tensor, level: i32) -> Result<Tensor> {
    let dims = images.shape().dims();
    let &[ref leading @ .., height, width, channels] = dims else {
        return Err(Error::invalid_argument("encode_png", "an image is needed").got(Typed::ty(images)));
    };
    if !(1..=4).contains(&channels) || height == 0 || width == 0 {
        return Err(
            Error::invalid_argument("encode_png", "an image has pixels of 1 to 4 channels").got(Typed::ty(images))
        );
    }
    let (bytes, depth) = match images.dtype() {
        DType::U8 => (images.try_to_vec::<u8>()?, BitDepth::Eight),
        _ => (images.try_to_vec::<u16>()?.iter().flat_map(|word| word.to_be_bytes()).collect(), BitDepth::Sixteen),
    };
    let size = height * width * channels * if depth == BitDepth::Sixteen { 2 } else { 1 };
    let files =
        bytes.chunks_exact(size).map(|image| encode("encode_png", image, (height, width, channels), depth, level));
    Tensor::try_from_byte_strings(&files.collect::<Result<Vec<_>>>()?, leading)
}

io_fn! {
    /// The pixels of a PNG file as `[height, width, channels]` of `uint8` or `uint16`.
    ///
    /// The second argument is the number of channels (0 for the file's), or [`PngDecoding`] with the dtype too. Opacity that a file has not is
    /// full; in TensorFlow it is nearly none for palettes and gray of less than 8 bits.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let image = tf::reshape(&tf::range(0, 12, 1).cast(tf::DType::U8), [2, 2, 3]);
    /// let file = tf::io::encode_png(&image);
    /// assert_eq!(tf::io::decode_png(&file, 0).to_vec::<u8>(), image.to_vec::<u8>());
    /// ```
    pub fn decode_png, try_decode_png(contents: impl AsTensor, options: impl Into<PngDecoding>) -> Tensor {
        let PngDecoding { channels, dtype } = options.into();
        check_channels(OP, channels, &[0, 1, 3, 4])?;
        Work::new(
            OP,
            format!("{channels} {dtype}"),
            move |inputs, unknown| {
                one_string(OP, inputs[0])?;
                pixels::types(dtype, channels, unknown)
            },
            move |inputs| Ok(vec![decode(&bytes_of(OP, inputs[0])?, channels)?.into_tensor(dtype)?]),
        )
        .call1(&[&contents.as_tensor()])
    }

    /// PNG files of images `[..., height, width, channels]` of `uint8` or `uint16`, as strings of the leading shape. There may be 1 to 4
    /// channels: gray, gray and opacity, RGB, RGB and opacity.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let files = tf::io::encode_png(tf::zeros([5, 8, 8, 3]).cast(tf::DType::U8));
    /// assert_eq!((files.shape().dims(), files.dtype()), (&[5][..], tf::string));
    /// ```
    pub fn encode_png, try_encode_png(images: impl AsTensor) -> Tensor {
        try_encode_png_with(images, -1)
    }

    /// [`encode_png`](fn@encode_png) with a level of compression from 0, the fastest, to 9, the smallest; -1 is between.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let file = tf::io::encode_png_with(tf::zeros([8, 8, 3]).cast(tf::DType::U8), 9);
    /// assert_eq!(tf::io::decode_png(&file, 0).shape(), [8, 8, 3]);
    /// ```
    pub fn encode_png_with, try_encode_png_with(images: impl AsTensor, compression: i32) -> Tensor {
        let name = "encode_png";
        if !(-1..=9).contains(&compression) {
            return Err(Error::invalid_argument(name, "`compression` is out of range").got(compression).expected("-1 to 9"));
        }
        let types = move |inputs: &[&engine::TensorType], _: &mut dyn FnMut() -> Dim| {
            let (ty, rank) = (inputs[0], inputs[0].shape.rank());
            if !matches!(ty.dtype, DType::U8 | DType::U16) || rank < 3 {
                return Err(Error::invalid_argument(name, "images are needed").got(ty).expected("uint8 or uint16 of [..., height, width, 1 to 4]"));
            }
            let leading: Vec<Dim> = ty.shape.iter().take(rank - 3).collect();
            Ok(vec![engine::TensorType::new(DType::String, Shape::from_dims(&leading)?)])
        };
        Work::new(name, compression.to_string(), types, move |inputs| Ok(vec![encode_all(inputs[0], compression)?]))
            .call1(&[&images.as_tensor()])
    }
}
