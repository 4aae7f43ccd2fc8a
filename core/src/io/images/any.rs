//! `decode_image`: PNG, JPEG, GIF or BMP, whichever the first bytes say.
//! Users call it under `tf::io` and `tf::image`, and so do the readers of folders of images.

use super::pixels::{self, Pixels, Samples, check_channels, check_dtype};
use super::{bmp, gif, png};
use crate::io::host::{Work, bytes_of, io_fn, one_string, typed};
use engine::library::options::options;
use engine::{AsTensor, Tensor};
use formats::jpeg::{self, Decoding};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Dim;

const OP: &str = "decode_image";

/// How to decode images of any kind: TensorFlow's options of `tf.io.decode_image`. A number alone is the number of channels.
///
/// ```
/// use eagerflow as tf;
/// use tf::io::ImageDecoding;
/// let file = tf::io::encode_png(tf::fill([2, 3, 3], 51_u8));
/// let image = tf::io::decode_image(&file, ImageDecoding::new().dtype(tf::float32).expand_animations(false));
/// assert!((image.at(tf::s![0, 0, 0]).item::<f32>() - 0.2).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageDecoding {
    channels: usize,
    dtype: DType,
    expand_animations: bool,
}

impl Default for ImageDecoding {
    fn default() -> Self {
        Self::new()
    }
}

impl From<usize> for ImageDecoding {
    fn from(channels: usize) -> Self {
        Self { channels, dtype: DType::U8, expand_animations: true }
    }
}

impl ImageDecoding {
    /// The defaults: the file's channels, `uint8`, all frames of GIF files.
    pub fn new() -> Self {
        Self::from(0)
    }

    /// Whether GIF files give all frames, as `[frames, height, width, 3]` (the default), or the first one as other images.
    #[must_use]
    pub fn expand_animations(mut self, expand: bool) -> Self {
        self.expand_animations = expand;
        self
    }
}

options! { [] ImageDecoding:
    /// 1 for gray, 3 for RGB, 4 for RGB and opacity, 0 for what the file has.
    pub fn channels, try_channels(this, channels: usize) {
        this.channels = check_channels(OP, channels, &[0, 1, 3, 4])?;
        Ok(this)
    }

    /// `uint8`, `uint16`, or `float32` with samples from 0 to 1.
    pub fn dtype, try_dtype(this, dtype: DType) {
        this.dtype = check_dtype(OP, dtype, &[DType::U8, DType::U16, DType::F32])?;
        Ok(this)
    }
}

/// Decodes a file of any kind.
fn decode(bytes: &[u8], how: ImageDecoding) -> Result<Pixels> {
    let channels = how.channels;
    match bytes {
        [0xff, 0xd8, 0xff, ..] => {
            check_channels("decode_jpeg", channels, &[0, 1, 3])?;
            let jpeg::Picture { height, width, channels, pixels } =
                jpeg::decode(bytes, &Decoding { channels, ..Decoding::default() })?;
            Ok(Pixels { frames: None, height, width, channels, samples: Samples::Bytes(pixels) })
        }
        [0x89, b'P', b'N', b'G', ..] => png::decode(bytes, channels),
        [b'G', b'I', b'F', b'8', ..] => {
            check_channels("decode_gif", channels, &[0, 3])?;
            gif::decode(bytes, !how.expand_animations)
        }
        [b'B', b'M', ..] => {
            check_channels("decode_bmp", channels, &[0, 3, 4])?;
            bmp::decode(bytes, channels)
        }
        _ => Err(Error::invalid_argument(OP, "the data are no image that is known")
            .got(format!("{} bytes that begin with {:02x?}", bytes.len(), &bytes[..bytes.len().min(4)]))
            .expected("a JPEG, PNG, GIF or BMP file")),
    }
}

/// The tensor of a file.
fn decoded(bytes: &[u8], how: ImageDecoding) -> Result<Tensor> {
    decode(bytes, how)?.widened(how.dtype, bytes.starts_with(b"\x89PNG")).into_tensor(how.dtype)
}

io_fn! {
    /// The pixels of a PNG, JPEG, GIF or BMP file, which its first bytes tell apart.
    ///
    /// The second argument is the number of channels (0 for the file's), or [`ImageDecoding`] with the dtype too. The result is
    /// `[height, width, channels]`, but of GIF files `[frames, height, width, 3]` unless `expand_animations` is off. In a traced function the
    /// number of dimensions must be known, so there `expand_animations` must be off; `decode_gif` reads animations.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let image = tf::fill([2, 3, 3], 9_u8);
    /// for file in [tf::io::encode_png(&image), tf::io::encode_jpeg(&image, 95)] {
    ///     assert_eq!(tf::io::decode_image(&file, 3).to_vec::<u8>(), [9; 18]);
    /// }
    /// ```
    pub fn decode_image, try_decode_image(contents: impl AsTensor, options: impl Into<ImageDecoding>) -> Tensor {
        let (mut how, contents) = (options.into(), contents.as_tensor());
        check_channels(OP, how.channels, &[0, 1, 3, 4])?;
        let mut is_animation = false;
        if how.expand_animations {
            if engine::library::is_recorded(&contents) {
                return Err(Error::invalid_argument(OP, "in a traced function the number of dimensions must be known")
                    .got("expand_animations = true")
                    .help("turn `expand_animations` off, or use `decode_gif`"));
            }
            one_string(OP, engine::library::Typed::ty(&*contents))?;
            is_animation = bytes_of(OP, &contents)?.starts_with(b"GIF8");
            how.expand_animations = is_animation;
        }
        Work::new(
            OP,
            format!("{how:?}"),
            move |inputs, unknown| {
                one_string(OP, inputs[0])?;
                match is_animation {
                    true => Ok(vec![typed(how.dtype, &[unknown(), unknown(), unknown(), Dim::from(3)])?]),
                    false => pixels::types(how.dtype, how.channels, unknown),
                }
            },
            move |inputs| Ok(vec![decoded(&bytes_of(OP, inputs[0])?, how)?]),
        )
        .call1(&[&contents])
    }
}
