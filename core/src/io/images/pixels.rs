//! Pixels between files and tensors: their samples, their types, and the limits that all decoders keep.
//! The decoders of `tf::io` make [`Pixels`] of bytes and a tensor of them.

use engine::{Tensor, TensorType};
use formats::jpeg::MOST_BYTES;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Dim;

/// Samples of a picture.
pub(super) enum Samples {
    Bytes(Vec<u8>),
    Words(Vec<u16>),
}

/// A picture, or the pictures of an animation.
pub(super) struct Pixels {
    /// How many, of an animation.
    pub frames: Option<usize>,
    pub height: usize,
    pub width: usize,
    pub channels: usize,
    pub samples: Samples,
}

/// An error unless so many bytes are what a picture may have.
pub(super) fn check_size(op: &str, height: usize, width: usize, channels: usize) -> Result<usize> {
    let bytes = height.checked_mul(width).and_then(|n| n.checked_mul(channels));
    match bytes {
        Some(bytes) if (bytes as u64) < MOST_BYTES && bytes > 0 => Ok(bytes),
        _ => Err(Error::invalid_argument(op, "the picture has no pixels, or too many")
            .got(format!("{height} rows, {width} columns, {channels} channels"))
            .expected(format!("at least one pixel and less than {MOST_BYTES} bytes"))),
    }
}

/// The types of a decoder's result: rows, columns and channels, which the file tells unless they were asked for.
pub(super) fn types(dtype: DType, channels: usize, unknown: &mut dyn FnMut() -> Dim) -> Result<Vec<TensorType>> {
    let channels = if channels == 0 { unknown() } else { Dim::from(channels) };
    Ok(vec![crate::io::host::typed(dtype, &[unknown(), unknown(), channels])?])
}

impl Pixels {
    /// The same with samples of 16 bits where bytes are to become something wider, as `decode_image` treats what is not PNG (`bits` of 8,
    /// which lie in the upper half) and PNG (all 16).
    pub fn widened(self, dtype: DType, is_png: bool) -> Self {
        let samples = match self.samples {
            Samples::Bytes(bytes) if is_png && dtype == DType::F32 => {
                Samples::Words(bytes.iter().map(|&byte| u16::from(byte) * 257).collect())
            }
            Samples::Bytes(bytes) if !is_png && dtype == DType::U16 => {
                Samples::Words(bytes.iter().map(|&byte| u16::from(byte) << 8).collect())
            }
            samples => samples,
        };
        Self { samples, ..self }
    }

    /// The tensor, in a dtype to which samples are scaled.
    pub fn into_tensor(self, dtype: DType) -> Result<Tensor> {
        let mut sizes = vec![self.height, self.width, self.channels];
        if let Some(frames) = self.frames {
            sizes.insert(0, frames);
        }
        match (self.samples, dtype) {
            (Samples::Bytes(bytes), DType::U8) => Tensor::try_from_vec(bytes, sizes),
            (Samples::Words(words), DType::U16) => Tensor::try_from_vec(words, sizes),
            (Samples::Words(words), DType::U8) => {
                Tensor::try_from_vec(words.iter().map(|&word| (word >> 8) as u8).collect(), sizes)
            }
            (Samples::Bytes(bytes), DType::U16) => {
                Tensor::try_from_vec(bytes.iter().map(|&byte| u16::from(byte) * 257).collect(), sizes)
            }
            (Samples::Bytes(bytes), _) => {
                Tensor::try_from_vec(bytes.iter().map(|&byte| f32::from(byte) * (1.0 / 255.0)).collect(), sizes)
            }
            (Samples::Words(words), _) => {
                Tensor::try_from_vec(words.iter().map(|&word| f32::from(word) * (1.0 / 65535.0)).collect(), sizes)
            }
        }
    }
}

/// Samples of a picture with other channels: gray, gray and opacity, RGB, RGB and opacity.
pub(super) fn with_channels<T: Sample>(samples: Vec<T>, (given, wanted): (usize, usize), opaque: T) -> Vec<T> {
    if given == wanted {
        return samples;
    }
    let mut out = Vec::with_capacity(samples.len() / given * wanted);
    for pixel in samples.chunks_exact(given) {
        match (given, wanted) {
            (3 | 4, 1 | 2) => out.push(T::gray([pixel[0], pixel[1], pixel[2]])),
            (3 | 4, _) => out.extend_from_slice(&pixel[..3]),
            (_, 1 | 2) => out.push(pixel[0]),
            _ => out.extend([pixel[0]; 3]),
        }
        if wanted.is_multiple_of(2) {
            out.push(if given.is_multiple_of(2) { pixel[given - 1] } else { opaque });
        }
    }
    out
}

/// A sample of 8 or 16 bits, with libpng's way from colours to gray: bytes are rounded down, and words to the nearest.
pub(super) trait Sample: Copy {
    /// Gray of red, green and blue.
    fn gray(pixel: [Self; 3]) -> Self;
}

/// The weights of red, green and blue, by 2^15.
fn weighed([r, g, b]: [u32; 3]) -> u32 {
    r * 9797 + g * 19234 + b * 3737
}

impl Sample for u8 {
    fn gray(pixel: [Self; 3]) -> Self {
        (weighed(pixel.map(u32::from)) >> 15) as u8
    }
}

impl Sample for u16 {
    fn gray(pixel: [Self; 3]) -> Self {
        ((weighed(pixel.map(u32::from)) + (1 << 14)) >> 15) as u16
    }
}

/// An error unless `channels` is one of those that a format has.
pub(super) fn check_channels(op: &str, channels: usize, of: &[usize]) -> Result<usize> {
    match of.contains(&channels) {
        true => Ok(channels),
        false => Err(Error::invalid_argument(op, "`channels` is out of range")
            .got(channels)
            .expected(format!("one of {of:?}"))),
    }
}

/// An error unless `dtype` is one of those that a decoder makes.
pub(super) fn check_dtype(op: &str, dtype: DType, of: &[DType]) -> Result<DType> {
    match of.contains(&dtype) {
        true => Ok(dtype),
        false => Err(Error::invalid_argument(op, "`dtype` is none of those that the decoder makes")
            .got(dtype)
            .expected(format!("one of {of:?}"))),
    }
}
