//! `decode_bmp`: uncompressed Windows bitmaps, as TensorFlow reads them.
//! `decode_image` calls the decoder too.

use super::pixels::{self, Pixels, Samples, check_channels, check_size, with_channels};
use crate::io::host::{Work, bytes_of, io_fn, one_string};
use engine::{AsTensor, Tensor};
use kernels::dtype::DType;
use kernels::error::{Error, Result};

const OP: &str = "decode_bmp";
/// What a file begins with before its pixels may.
const HEADER: usize = 30;

/// Decodes a file; `channels` of 0 takes the file's.
pub(super) fn decode(bytes: &[u8], channels: usize) -> Result<Pixels> {
    let word = |at: usize| bytes.get(at..at + 4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let (Some(start), Some(width), Some(height), true) = (word(10), word(18), word(22), bytes.starts_with(b"BM"))
    else {
        return Err(Error::invalid_argument(OP, "the data are no BMP picture")
            .got(format!("{} bytes", bytes.len()))
            .expected("`BM` and a header"));
    };
    let (Some(bits), compression) = (bytes.get(28..HEADER), word(30).unwrap_or(0)) else {
        return Err(Error::invalid_argument(OP, "the header is cut off").got(format!("{} bytes", bytes.len())));
    };
    let bits = usize::from(u16::from_le_bytes([bits[0], bits[1]]));
    if !matches!(bits, 8 | 24 | 32) || !matches!(compression, 0 | 3) {
        return Err(Error::invalid_argument(OP, "this kind of BMP is not decoded")
            .got(format!("{bits} bits a pixel, compression {compression}"))
            .expected("8, 24 or 32 bits a pixel without compression"));
    }
    let stored = bits / 8;
    let (Ok(columns), rows) = (usize::try_from(width), height.unsigned_abs() as usize) else {
        return Err(Error::invalid_argument(OP, "the picture has a negative width").got(width));
    };
    let size = check_size(OP, rows, columns, stored)?;
    let line = (columns * stored).next_multiple_of(4);
    let pixels = usize::try_from(start).ok().and_then(|start| bytes.get(start..)).unwrap_or_default();
    // The last line may lack its padding.
    if pixels.len() < line * (rows - 1) + columns * stored {
        return Err(Error::invalid_argument(OP, "the data end before the picture does")
            .got(format!("{} bytes of pixels", pixels.len()))
            .expected(line * rows)
            .help("the file may be truncated"));
    }
    let mut samples = Vec::with_capacity(size);
    for row in 0..rows {
        // Rows come from below, unless the height is negative.
        let from = if height < 0 { row } else { rows - 1 - row };
        let row = &pixels[from * line..][..columns * stored];
        match stored {
            1 => samples.extend_from_slice(row),
            3 => row.chunks_exact(3).for_each(|p| samples.extend_from_slice(&[p[2], p[1], p[0]])),
            _ => row.chunks_exact(4).for_each(|p| samples.extend_from_slice(&[p[2], p[1], p[0], p[3]])),
        }
    }
    let channels = if channels == 0 { stored } else { channels };
    let samples = Samples::Bytes(with_channels(samples, (stored, channels), u8::MAX));
    Ok(Pixels { frames: None, height: rows, width: columns, channels, samples })
}

io_fn! {
    /// The pixels of a BMP file as `[height, width, channels]` of `uint8`: 3 or 4 channels for 24 and 32 bits a pixel, and 1 for 8 bits, which
    /// are taken as they are and not looked up in a palette, as in TensorFlow. `channels` is 0 for those of the file, 3 or 4.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let mut file = b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x01\0\0\0\x01\0\0\0\x01\0\x18\0".to_vec();
    /// file.resize(54, 0);
    /// file.extend([1, 2, 3, 0]);
    /// let file = tf::Tensor::try_from_byte_strings(&[file], ())?;
    /// assert_eq!(tf::io::decode_bmp(&file, 0).to_vec::<u8>(), [3, 2, 1]);
    /// # Ok::<(), tf::Error>(())
    /// ```
    pub fn decode_bmp, try_decode_bmp(contents: impl AsTensor, channels: usize) -> Tensor {
        check_channels(OP, channels, &[0, 3, 4])?;
        Work::new(
            OP,
            channels.to_string(),
            move |inputs, unknown| {
                one_string(OP, inputs[0])?;
                pixels::types(DType::U8, channels, unknown)
            },
            move |inputs| Ok(vec![decode(&bytes_of(OP, inputs[0])?, channels)?.into_tensor(DType::U8)?]),
        )
        .call1(&[&contents.as_tensor()])
    }
}
