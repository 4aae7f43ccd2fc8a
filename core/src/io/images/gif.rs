//! `decode_gif`: still and animated GIF files, frame over frame as TensorFlow lays them.
//! `decode_image` calls the decoder too.

use super::pixels::{Pixels, Samples, check_size};
use crate::io::host::{Work, bytes_of, io_fn, one_string, typed};
use ::gif::{ColorOutput, DecodeOptions, MemoryLimit};
use engine::{AsTensor, Tensor};
use formats::jpeg::MOST_BYTES;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Dim;
use std::num::NonZeroU64;

const OP: &str = "decode_gif";

/// A frame: where it lies, its palette's numbers and colours.
struct Frame {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
    numbers: Vec<u8>,
    palette: Vec<u8>,
    transparent: Option<u8>,
}

fn damaged(what: impl std::fmt::Display) -> Error {
    Error::invalid_argument(OP, format!("the data are no GIF picture, or damaged: {what}"))
}

/// All frames of a file, or the first.
fn frames(bytes: &[u8], only_first: bool) -> Result<Vec<Frame>> {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::Indexed);
    if let Some(most) = NonZeroU64::new(MOST_BYTES) {
        options.set_memory_limit(MemoryLimit::Bytes(most));
    }
    let mut decoder = options.read_info(bytes).map_err(damaged)?;
    let (mut frames, mut total) = (Vec::new(), 0);
    while let Some(info) = decoder.next_frame_info().map_err(damaged)? {
        let (width, height) = (usize::from(info.width), usize::from(info.height));
        // A code of the compression is at least a bit, and stands for at most 4096 pixels.
        total += check_size(OP, height, width, 1)?;
        if total / (8 * 4096) > bytes.len() {
            return Err(damaged("the data end before the picture does"));
        }
        let (left, top, transparent) = (usize::from(info.left), usize::from(info.top), info.transparent);
        let palette = info.palette.clone();
        let mut numbers = vec![0; width * height];
        decoder.read_into_buffer(&mut numbers).map_err(damaged)?;
        let palette = match palette {
            Some(own) => own,
            None => decoder
                .global_palette()
                .ok_or_else(|| damaged(format!("frame {} has no colours", frames.len())))?
                .to_vec(),
        };
        frames.push(Frame { left, top, width, height, numbers, palette, transparent });
        if only_first {
            break;
        }
    }
    match frames.is_empty() {
        true => Err(damaged("there is no frame")),
        false => Ok(frames),
    }
}

/// Decodes a file. The canvas is as large as the largest frame, and what a frame leaves open is what the one before it had there.
pub(super) fn decode(bytes: &[u8], only_first: bool) -> Result<Pixels> {
    let frames = frames(bytes, only_first)?;
    let width = frames.iter().map(|frame| frame.width).max().unwrap_or(0);
    let height = frames.iter().map(|frame| frame.height).max().unwrap_or(0);
    let size = check_size(OP, height, width, 3)?;
    check_size(OP, height, width, frames.len().saturating_mul(3))?;
    let mut samples = Vec::with_capacity(size * frames.len());
    for (number, frame) in frames.iter().enumerate() {
        match number.checked_sub(1) {
            Some(last) => samples.extend_from_within(last * size..),
            None => samples.resize(size, 0),
        }
        let canvas = &mut samples[number * size..];
        for row in frame.top..(frame.top + frame.height).min(height) {
            for column in frame.left..(frame.left + frame.width).min(width) {
                let colour = frame.numbers[(row - frame.top) * frame.width + column - frame.left];
                if Some(colour) == frame.transparent {
                    continue;
                }
                let at = usize::from(colour) * 3;
                let colour = frame.palette.get(at..at + 3);
                let colour = colour.ok_or_else(|| damaged(format!("frame {number} uses a colour that it has not")))?;
                canvas[(row * width + column) * 3..][..3].copy_from_slice(colour);
            }
        }
    }
    let frames = (!only_first).then_some(frames.len());
    Ok(Pixels { frames, height, width, channels: 3, samples: Samples::Bytes(samples) })
}

io_fn! {
    /// The frames of a GIF file as `[frames, height, width, 3]` of `uint8`. Each frame is laid over the one before, whatever the file says
    /// of disposal, as in TensorFlow; what no frame has filled is black.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let dot = b"GIF89a\x01\0\x01\0\x80\0\0\x07\x08\x09\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0;";
    /// let file = tf::Tensor::try_from_byte_strings(&[dot], ())?;
    /// let frames = tf::io::decode_gif(&file);
    /// assert_eq!((frames.shape().dims(), frames.to_vec::<u8>()), (&[1, 1, 1, 3][..], vec![7, 8, 9]));
    /// # Ok::<(), tf::Error>(())
    /// ```
    pub fn decode_gif, try_decode_gif(contents: impl AsTensor) -> Tensor {
        Work::new(
            OP,
            String::new(),
            |inputs, unknown| {
                one_string(OP, inputs[0])?;
                Ok(vec![typed(DType::U8, &[unknown(), unknown(), unknown(), Dim::from(3)])?])
            },
            |inputs| Ok(vec![decode(&bytes_of(OP, inputs[0])?, false)?.into_tensor(DType::U8)?]),
        )
        .call1(&[&contents.as_tensor()])
    }
}
