//! `decode_jpeg`, `decode_and_crop_jpeg`, `encode_jpeg`, `is_jpeg` and `extract_jpeg_shape`, TensorFlow's operations on JPEG files.
//! The decoder and the encoder themselves are `formats::jpeg`; users call these under `tf::io` and `tf::image`.

use super::pixels::{self, check_channels};
use crate::io::host::{Work, bytes_of, io_fn, one_string, typed};
use engine::library::Typed;
use engine::library::options::options;
use engine::{AsTensor, Tensor};
use formats::jpeg::{self, Decoding, Encoding, Rectangle, Transform};
use kernels::dtype::DType;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::Dim;
use smallvec::SmallVec;

/// Which inverse cosine transform a decoder uses: `dct_method`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DctMethod {
    /// The faster one of 16 bits, which is TensorFlow's default.
    #[default]
    IntegerFast,
    /// The more accurate one of 32 bits.
    IntegerAccurate,
}

/// How to decode JPEG files: TensorFlow's options of `tf.io.decode_jpeg`. A number alone is the number of channels.
///
/// ```
/// use eagerflow as tf;
/// use tf::io::JpegDecoding;
/// let file = tf::io::encode_jpeg(tf::fill([16, 16, 3], 100_u8), 95);
/// let half = tf::io::decode_jpeg(&file, JpegDecoding::new().channels(1).ratio(2));
/// assert_eq!(half.shape(), [8, 8, 1]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JpegDecoding {
    how: Decoding,
}

impl Default for JpegDecoding {
    fn default() -> Self {
        Self::new()
    }
}

impl From<usize> for JpegDecoding {
    fn from(channels: usize) -> Self {
        Self { how: Decoding { channels, ..Decoding::default() } }
    }
}

impl JpegDecoding {
    /// The defaults: the file's channels, its size, colours interpolated.
    pub fn new() -> Self {
        Self { how: Decoding::default() }
    }

    /// Whether colours that are stored at half the resolution are interpolated (the default), or repeated, which is faster.
    #[must_use]
    pub fn fancy_upscaling(mut self, fancy_upscaling: bool) -> Self {
        self.how.fancy_upscaling = fancy_upscaling;
        self
    }

    /// Whether what is missing at the end of a file becomes gray. Without it, the default, such a file is an error.
    #[must_use]
    pub fn try_recover_truncated(mut self, recover: bool) -> Self {
        self.how.recover_truncated = recover;
        self
    }

    /// The transform.
    #[must_use]
    pub fn dct_method(mut self, method: DctMethod) -> Self {
        self.how.transform = match method {
            DctMethod::IntegerFast => Transform::Fast,
            DctMethod::IntegerAccurate => Transform::Accurate,
        };
        self
    }

    fn checked(self, op: &str) -> Result<Decoding> {
        check_channels(op, self.how.channels, &[0, 1, 3]).map(|_| self.how)
    }
}

options! { [] JpegDecoding:
    /// 1 for gray, 3 for RGB, 0 for what the file has.
    pub fn channels, try_channels(this, channels: usize) {
        this.how.channels = check_channels("decode_jpeg", channels, &[0, 1, 3])?;
        Ok(this)
    }

    /// 1, 2, 4 or 8: both sides are divided by it on the way from coefficients to pixels, which is faster than making them smaller after.
    pub fn ratio, try_ratio(this, ratio: usize) {
        match ratio {
            1 | 2 | 4 | 8 => this.how.ratio = ratio,
            _ => return Err(Error::invalid_argument("decode_jpeg", "`ratio` is out of range").got(ratio).expected("1, 2, 4 or 8")),
        }
        Ok(this)
    }
}

/// How to encode JPEG files: TensorFlow's options of `tf.io.encode_jpeg`. A number alone is the quality.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JpegEncoding {
    how: Encoding,
}

impl From<u8> for JpegEncoding {
    fn from(quality: u8) -> Self {
        Self { how: Encoding { quality, ..Encoding::default() } }
    }
}

impl JpegEncoding {
    /// The defaults: quality 95, colours at half the resolution, 300 pixels per inch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether colours are stored at half the resolution.
    #[must_use]
    pub fn chroma_downsampling(mut self, halve: bool) -> Self {
        self.how.chroma_downsampling = halve;
        self
    }

    /// Pixels per inch, across and down.
    #[must_use]
    pub fn density(mut self, x: u16, y: u16) -> Self {
        (self.how.density, self.how.density_unit) = ((x, y), 1);
        self
    }

    /// Metadata that the file is given as they are.
    #[must_use]
    pub fn xmp_metadata(mut self, metadata: &[u8]) -> Self {
        self.how.xmp_metadata = metadata.to_vec();
        self
    }
}

options! { [] JpegEncoding:
    /// From 0, the smallest file, to 100.
    pub fn quality, try_quality(this, quality: u8) {
        if quality > 100 {
            return Err(Error::invalid_argument("encode_jpeg", "`quality` is out of range").got(quality).expected("0 to 100"));
        }
        this.how.quality = quality;
        Ok(this)
    }
}

/// The window of [`decode_and_crop_jpeg`](fn@decode_and_crop_jpeg): `[y, x, height, width]` as numbers, or as a tensor of integers.
#[derive(Clone, Debug)]
pub struct CropWindow(Tensor);

impl From<[i32; 4]> for CropWindow {
    #[track_caller]
    fn from(window: [i32; 4]) -> Self {
        Self(Tensor::from(window.to_vec()))
    }
}

impl From<&Tensor> for CropWindow {
    fn from(window: &Tensor) -> Self {
        Self(window.clone())
    }
}

impl From<Tensor> for CropWindow {
    fn from(window: Tensor) -> Self {
        Self(window)
    }
}

/// The work of decoding one string.
fn decoder(name: &'static str, how: Decoding, crop: bool) -> Work {
    let channels = how.channels;
    let types = move |inputs: &[&engine::TensorType], unknown: &mut dyn FnMut() -> Dim| {
        one_string(name, inputs[0])?;
        if crop && (inputs[1].dtype != DType::I32 || inputs[1].shape.rank() != 1) {
            return Err(Error::invalid_argument(name, "the crop window is no vector of int32").got(inputs[1]));
        }
        pixels::types(DType::U8, channels, unknown)
    };
    Work::new(name, format!("{how:?}"), types, move |inputs| {
        let mut how = how;
        if crop {
            how.crop = Some(window(name, inputs[1])?);
        }
        let picture = jpeg::decode(&bytes_of(name, inputs[0])?, &how).map_err(|e| e.named(name))?;
        Ok(vec![Tensor::try_from_vec(picture.pixels, [picture.height, picture.width, picture.channels])?])
    })
}

/// The rectangle of a crop window.
fn window(op: &str, window: &Tensor) -> Result<Rectangle> {
    let numbers = window.try_to_vec::<i32>().map_err(|e| e.in_op(op))?;
    let sizes: SmallVec<[usize; 4]> = numbers.iter().filter_map(|&n| usize::try_from(n).ok()).collect();
    match (&sizes[..], numbers.len()) {
        (&[y, x, height, width], 4) => Ok(Rectangle { y, x, height, width }),
        _ => Err(Error::invalid_argument(op, "the crop window must be four numbers of at least 0")
            .got(format!("{numbers:?}"))
            .expected("[first row, first column, rows, columns]")),
    }
}

io_fn! {
    /// The pixels of a JPEG file as `[height, width, channels]` of `uint8`, the same as TensorFlow's to the bit.
    ///
    /// The second argument is the number of channels (0 for the file's), or [`JpegDecoding`] with all options. Baseline and progressive
    /// files are decoded; those of arithmetic coding, 12 bits or without loss are errors. TensorFlow's `acceptable_fraction` is not
    /// there: it decides nothing beside `try_recover_truncated`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let file = tf::io::encode_jpeg(tf::fill([4, 6, 3], 100_u8), 95);
    /// let pixels = tf::io::decode_jpeg(&file, 3);
    /// assert_eq!((pixels.shape().dims(), pixels.to_vec::<u8>()), (&[4, 6, 3][..], vec![100; 72]));
    /// ```
    pub fn decode_jpeg, try_decode_jpeg(contents: impl AsTensor, options: impl Into<JpegDecoding>) -> Tensor {
        decoder("decode_jpeg", options.into().checked("decode_jpeg")?, false).call1(&[&contents.as_tensor()])
    }

    /// A part of a JPEG file: [`decode_jpeg`](fn@decode_jpeg), and of its result the window of so many rows and columns from `[y, x]` on.
    /// What lies outside is not made: rows below are not even read.
    ///
    /// The window is a vector `[y, x, height, width]` of `int32`, which may be computed. The pixels are those that the whole has there; TensorFlow's
    /// may differ in the last column, whose colours it interpolates as if the picture ended there.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let file = tf::io::encode_jpeg(tf::fill([40, 60, 3], 100_u8), 95);
    /// assert_eq!(tf::io::decode_and_crop_jpeg(&file, [10, 20, 24, 16], 3).shape(), [24, 16, 3]);
    /// ```
    pub fn decode_and_crop_jpeg, try_decode_and_crop_jpeg(
        contents: impl AsTensor,
        crop_window: impl Into<CropWindow>,
        options: impl Into<JpegDecoding>,
    ) -> Tensor {
        let work = decoder("decode_and_crop_jpeg", options.into().checked("decode_and_crop_jpeg")?, true);
        let window = engine::library::cast_to(&crop_window.into().0, DType::I32)?;
        work.call1(&[&contents.as_tensor(), &window])
    }

    /// A JPEG file of an image `[height, width, channels]` of `uint8` with 1 or 3 channels, as one string; the bytes are TensorFlow's.
    ///
    /// The second argument is the quality, TensorFlow's default being 95, or [`JpegEncoding`] with all options. TensorFlow's `progressive`
    /// and `optimize_size` are not there.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let file = tf::io::encode_jpeg(tf::zeros([8, 8, 1]).cast(tf::DType::U8), 90);
    /// assert!(tf::io::is_jpeg(&file).item::<bool>());
    /// ```
    pub fn encode_jpeg, try_encode_jpeg(image: impl AsTensor, options: impl Into<JpegEncoding>) -> Tensor {
        let (how, name) = (options.into().how, "encode_jpeg");
        let types = move |inputs: &[&engine::TensorType], _: &mut dyn FnMut() -> Dim| {
            if inputs[0].dtype != DType::U8 || inputs[0].shape.rank() != 3 {
                return Err(Error::invalid_argument(name, "an image is needed").got(inputs[0]).expected("uint8[height, width, 1 or 3]"));
            }
            Ok(vec![typed(DType::String, &[])?])
        };
        let settings = format!("{how:?}");
        Work::new(name, settings, types, move |inputs| {
            let &[height, width, channels] = inputs[0].shape().dims() else {
                return Err(Error::invalid_argument(name, "an image is needed").got(Typed::ty(inputs[0])));
            };
            let file = jpeg::encode(&inputs[0].try_to_vec::<u8>()?, (height, width), channels, &how)?;
            Ok(vec![Tensor::try_from_byte_strings(&[file], ())?])
        })
        .call1(&[&image.as_tensor()])
    }

    /// Whether the contents of a file begin as a JPEG file does, as `bool`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert!(!tf::io::is_jpeg("GIF89a").item::<bool>());
    /// ```
    pub fn is_jpeg, try_is_jpeg(contents: impl AsTensor) -> Tensor {
        engine::strings::try_substr(contents, 0, 3).and_then(|start| {
            engine::try_equal(&start, &Tensor::try_from_byte_strings(&[b"\xff\xd8\xff"], ())?)
        })
    }

    /// `[height, width, channels]` of a JPEG file as `int32`, from its headers alone.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let file = tf::io::encode_jpeg(tf::fill([40, 60, 3], 100_u8), 95);
    /// assert_eq!(tf::io::extract_jpeg_shape(&file).to_vec::<i32>(), [40, 60, 3]);
    /// ```
    pub fn extract_jpeg_shape, try_extract_jpeg_shape(contents: impl AsTensor) -> Tensor {
        let name = "extract_jpeg_shape";
        let types = move |inputs: &[&engine::TensorType], _: &mut dyn FnMut() -> Dim| {
            one_string(name, inputs[0])?;
            Ok(vec![typed(DType::I32, &[Dim::from(3)])?])
        };
        Work::new(name, String::new(), types, move |inputs| {
            let size = jpeg::size(&bytes_of(name, inputs[0])?).map_err(|e| e.named(name))?;
            let sizes = [size.height, size.width, size.components].map(|n| n as i32);
            Ok(vec![Tensor::try_from_vec(sizes.to_vec(), [3])?])
        })
        .call1(&[&contents.as_tensor()])
    }
}
