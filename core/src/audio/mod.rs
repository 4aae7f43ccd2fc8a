//! Sound in files: `decode_wav` and `encode_wav`, TensorFlow's operations on WAV files of 16-bit samples.
//! Users find them under `tf::audio`.

use crate::io::host::{Work, bytes_of, io_fn, one_string, typed};
use engine::library::{Typed, cast_to};
use engine::{AsTensor, Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Dim;

/// The samples of a file.
struct Sound<'a> {
    channels: usize,
    rate: u32,
    /// Samples of 16 bits, those of one moment side by side.
    data: &'a [u8],
}

fn damaged(what: impl Into<String>) -> Error {
    Error::invalid_argument("decode_wav", what)
}

/// Finds format and samples among the chunks of a file.
fn read(bytes: &[u8]) -> Result<Sound<'_>> {
    if bytes.len() < 12 || !bytes.starts_with(b"RIFF") || &bytes[8..12] != b"WAVE" {
        return Err(damaged("the data are no WAV file")
            .got(format!("{} bytes", bytes.len()))
            .expected("RIFF and WAVE"));
    }
    let (mut rest, mut format) = (&bytes[12..], None);
    while let [a, b, c, d, s0, s1, s2, s3, behind @ ..] = rest {
        let size = u32::from_le_bytes([*s0, *s1, *s2, *s3]) as usize;
        let Some(chunk) = behind.get(..size) else {
            let name = String::from_utf8_lossy(&[*a, *b, *c, *d]).into_owned();
            return Err(damaged(format!("the chunk `{name}` is cut off"))
                .got(format!("{} bytes", behind.len()))
                .expected(size)
                .help("the file may be truncated"));
        };
        match ([*a, *b, *c, *d], format) {
            ([b'f', b'm', b't', b' '], _) => {
                let &[k0, k1, c0, c1, r0, r1, r2, r3, _, _, _, _, _, _, w0, w1, ..] = chunk else {
                    return Err(damaged("the format's chunk is too short").got(chunk.len()).expected(16));
                };
                let (kind, bits) = (u16::from_le_bytes([k0, k1]), u16::from_le_bytes([w0, w1]));
                let channels = usize::from(u16::from_le_bytes([c0, c1]));
                if kind != 1 || bits != 16 || channels == 0 {
                    return Err(damaged("only samples of 16 bits (PCM) are decoded")
                        .got(format!("format {kind}, {bits} bits, {channels} channels"))
                        .expected("format 1, 16 bits, 1 channel or more"));
                }
                format = Some((channels, u32::from_le_bytes([r0, r1, r2, r3])));
            }
            ([b'd', b'a', b't', b'a'], Some((channels, rate))) => return Ok(Sound { channels, rate, data: chunk }),
            ([b'd', b'a', b't', b'a'], None) => return Err(damaged("the samples come before their format")),
            _ => {}
        }
        rest = behind.get(size.next_multiple_of(2)..).unwrap_or_default();
    }
    Err(damaged("there is no chunk of samples"))
}

/// The samples as numbers from -1 to 1, and the rate.
fn decoded(bytes: &[u8], channels: Option<usize>, samples: Option<usize>) -> Result<Vec<Tensor>> {
    let sound = read(bytes)?;
    let stored = sound.data.len() / 2 / sound.channels;
    let (wanted, samples) = (channels.unwrap_or(sound.channels), samples.unwrap_or(stored));
    let size = wanted.checked_mul(samples).filter(|&size| size < 1 << 29);
    let size = size
        .ok_or_else(|| damaged("the sound would be too long").got(format!("{samples} samples, {wanted} channels")))?;
    let mut values = Vec::with_capacity(size);
    for moment in sound.data.chunks_exact(2 * sound.channels).take(samples) {
        for channel in 0..wanted {
            // Channels that the file has not repeat its last one.
            let at = 2 * channel.min(sound.channels - 1);
            values.push(f32::from(i16::from_le_bytes([moment[at], moment[at + 1]])) / 32768.0);
        }
    }
    values.resize(size, 0.0);
    let rate = i32::try_from(sound.rate).unwrap_or(i32::MAX);
    Ok(vec![Tensor::try_from_vec(values, [samples, wanted])?, Tensor::try_from_vec(vec![rate], ())?])
}

/// A file of samples `[length, channels]`.
fn encoded(audio: &Tensor, rate: i32) -> Result<Tensor> {
    let op = "encode_wav";
    let &[length, channels] = audio.shape().dims() else {
        return Err(Error::invalid_argument(op, "the audio must be a matrix").got(Typed::ty(audio)));
    };
    let bytes = u32::try_from(length * channels * 2).ok().filter(|bytes| bytes.checked_add(36).is_some());
    let (Some(bytes), Ok(count), Ok(rate), true) = (bytes, u16::try_from(channels), u32::try_from(rate), channels > 0)
    else {
        return Err(Error::invalid_argument(op, "this does not fit into a WAV file")
            .got(format!("{length} samples, {channels} channels, rate {rate}")));
    };
    let per_second = rate.checked_mul(2 * u32::from(count));
    let per_second = per_second.ok_or_else(|| Error::invalid_argument(op, "the sample rate is too high").got(rate))?;
    let mut file = Vec::with_capacity(44 + bytes as usize);
    file.extend_from_slice(b"RIFF");
    file.extend_from_slice(&(bytes + 36).to_le_bytes());
    file.extend_from_slice(b"WAVEfmt \x10\0\0\0\x01\0");
    file.extend_from_slice(&count.to_le_bytes());
    file.extend_from_slice(&rate.to_le_bytes());
    file.extend_from_slice(&per_second.to_le_bytes());
    file.extend_from_slice(&count.saturating_mul(2).to_le_bytes());
    file.extend_from_slice(b"\x10\0data");
    file.extend_from_slice(&bytes.to_le_bytes());
    for value in audio.try_to_vec::<f32>()? {
        file.extend_from_slice(&((value * 32768.0).round().clamp(-32768.0, 32767.0) as i16).to_le_bytes());
    }
    Tensor::try_from_byte_strings(&[file], ())
}

io_fn! {
    /// The samples of a WAV file of 16 bits as `[length, channels]` of `float32` from -1 to 1, and the sample rate.
    ///
    /// `desired_channels` and `desired_samples` cut or fill up: channels that the file has not repeat its last one, and samples behind its
    /// end are 0. `None` is what the file has, TensorFlow's -1.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let file = tf::audio::encode_wav(tf::constant([[0.5], [-0.25]]), 16_000);
    /// let (audio, rate) = tf::audio::decode_wav(&file, None, Some(3));
    /// assert_eq!((audio.to_vec::<f32>(), rate.item::<i32>()), (vec![0.5, -0.25, 0.0], 16_000));
    /// ```
    pub fn decode_wav, try_decode_wav(
        contents: impl AsTensor,
        desired_channels: Option<usize>,
        desired_samples: Option<usize>,
    ) -> (Tensor, Tensor) {
        let op = "decode_wav";
        let types = move |inputs: &[&TensorType], unknown: &mut dyn FnMut() -> Dim| {
            one_string(op, inputs[0])?;
            let mut size = |given: Option<usize>| given.map_or_else(&mut *unknown, Dim::from);
            Ok(vec![typed(DType::F32, &[size(desired_samples), size(desired_channels)])?, typed(DType::I32, &[])?])
        };
        let run = move |inputs: &[&Tensor]| decoded(&bytes_of(op, inputs[0])?, desired_channels, desired_samples);
        let mut results = Work::new(op, format!("{desired_channels:?} {desired_samples:?}"), types, run).call(&[&contents.as_tensor()])?;
        match (results.pop(), results.pop()) {
            (Some(rate), Some(audio)) => Ok((audio, rate)),
            _ => Err(Error::internal(op, "two results were expected")),
        }
    }

    /// A WAV file of 16 bits of samples `[length, channels]` of `float32`; what lies outside of -1 to 1 is clipped.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let file = tf::audio::encode_wav(tf::zeros([100, 2]), 44_100);
    /// assert_eq!(file.to_byte_strings()[0].len(), 444);
    /// ```
    pub fn encode_wav, try_encode_wav(audio: impl AsTensor, sample_rate: i32) -> Tensor {
        let op = "encode_wav";
        let types = move |inputs: &[&TensorType], _: &mut dyn FnMut() -> Dim| match inputs[0].shape.rank() {
            2 => Ok(vec![typed(DType::String, &[])?]),
            _ => Err(Error::invalid_argument(op, "the audio must be a matrix").got(inputs[0]).expected("[length, channels]")),
        };
        let run = move |inputs: &[&Tensor]| Ok(vec![encoded(inputs[0], sample_rate)?]);
        Work::new(op, sample_rate.to_string(), types, run).call1(&[&cast_to(&audio.as_tensor(), DType::F32)?])
    }
}
