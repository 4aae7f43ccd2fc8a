//! JPEG pictures: baseline and progressive ones are decoded to the bits that libjpeg-turbo gives, whole, scaled or in part, and encoded.
//! `tf::io::decode_jpeg` and its like call it.
//!
//! It is the library's own because TensorFlow's pixels are those of libjpeg's fast inverse transform and of its smooth enlargement of
//! colours, and because only a decoder that knows the wanted rectangle can leave the transforms outside of it undone.

mod bits;
mod blocks;
mod colour;
mod encode;
mod forward;
mod frame;
mod huffman;
mod inverse;
mod lanes;
mod markers;
mod planes;
mod progressive;
mod scan;
#[cfg(test)]
mod tests;
mod upsample;

pub use encode::{Encoding, encode};

use kernels::error::{Error, Result};
use markers::{Markers, Segment};
use planes::Planes;

/// The most bytes of a decoded picture, as in TensorFlow.
pub const MOST_BYTES: u64 = 1 << 29;

/// What the first frame header of a file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Rows.
    pub height: usize,
    /// Columns.
    pub width: usize,
    /// 1 for gray pictures, 3 for YCbCr or RGB, 4 for CMYK.
    pub components: usize,
}

/// A rectangle of a decoded picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    /// The first row.
    pub y: usize,
    /// The first column.
    pub x: usize,
    /// Rows.
    pub height: usize,
    /// Columns.
    pub width: usize,
}

/// Which inverse cosine transform: libjpeg's two on integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transform {
    /// `JDCT_IFAST`: 16 bits, the default of TensorFlow.
    Fast,
    /// `JDCT_ISLOW`: 32 bits.
    Accurate,
}

/// How to decode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decoding {
    /// 1 for gray, 3 for RGB, 0 for what the file has.
    pub channels: usize,
    /// 1, 2, 4 or 8: sides are divided by it while coefficients become pixels.
    pub ratio: usize,
    /// Whether colours that are stored at a lower resolution are interpolated, or repeated.
    pub fancy_upscaling: bool,
    /// The transform.
    pub transform: Transform,
    /// Whether what is missing at the end of the data becomes gray.
    pub recover_truncated: bool,
    /// The part to decode, if not all.
    pub crop: Option<Rectangle>,
}

impl Default for Decoding {
    fn default() -> Self {
        let transform = Transform::Fast;
        Self { channels: 0, ratio: 1, fancy_upscaling: true, transform, recover_truncated: false, crop: None }
    }
}

/// Rows of pixels, each with so many bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Rows.
    pub height: usize,
    /// Columns.
    pub width: usize,
    /// Bytes of a pixel.
    pub channels: usize,
    /// The bytes, row by row.
    pub pixels: Vec<u8>,
}

/// What is wrong with a file.
#[cold]
fn bad(what: impl Into<String>) -> Error {
    Error::invalid_argument("decode_jpeg", what)
}

/// The size of a picture, from its headers alone.
///
/// # Errors
/// InvalidArgument if the headers are no JPEG's, are damaged, or of a kind that is not decoded.
pub fn size(bytes: &[u8]) -> Result<Size> {
    let mut markers = Markers::new(bytes)?;
    loop {
        match markers.next()? {
            Segment::Frame(frame) => {
                return Ok(Size { height: frame.height, width: frame.width, components: frame.components.len() });
            }
            Segment::Scan(_) | Segment::End => return Err(bad("there is no frame header")),
            Segment::Other => {}
        }
    }
}

/// Decodes a picture.
///
/// # Errors
/// InvalidArgument for damaged or truncated data, options or rectangles that do not fit, and kinds of JPEG that are not decoded:
/// arithmetic coding, lossless, hierarchical, and samples of 12 bits.
pub fn decode(bytes: &[u8], how: &Decoding) -> Result<Picture> {
    let mut markers = Markers::new(bytes)?;
    let mut planes: Option<Planes> = None;
    loop {
        match markers.next() {
            Ok(Segment::Frame(_)) if planes.is_some() => return Err(bad("there are two frame headers")),
            Ok(Segment::Frame(frame)) => planes = Some(Planes::new(frame, how)?),
            Ok(Segment::Scan(scan)) => {
                let planes = planes.as_mut().ok_or_else(|| bad("a scan begins before the frame header"))?;
                planes.scan(&mut markers, &scan)?;
                if planes.is_complete() {
                    break;
                }
            }
            Ok(Segment::End) => break,
            Ok(Segment::Other) => {}
            Err(_) if how.recover_truncated && planes.is_some() => break,
            Err(error) => return Err(error),
        }
    }
    let planes = planes.ok_or_else(|| bad("there is no frame header"))?;
    planes.finish(&markers)
}
