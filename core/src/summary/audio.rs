//! `audio`: a batch of sounds at a step, as WAV files of 16 bits.
//! Programs show inputs and samples of sound with it.

use super::encode::{metadata, strings};
use super::options::summary_options;
use super::step::IntoStep;
use super::work::Content;
use engine::library::options::{self, options};
use engine::library::{OrFail, cast_to};
use engine::{AsTensor, Tensor, TensorType};
use formats::events::{AudioPluginData, SummaryMetadata};
use formats::messages::{Message, TensorProto};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::panic::Location;

/// TensorBoard's number for WAV.
const WAV: i32 = 11;

/// Writes the first 3 of a batch of sounds `[k, frames, channels]` with values from -1 to 1; [`Audio`] has options. Without a default
/// writer it does nothing.
///
/// ```
/// use eagerflow as tf;
/// # let folder = std::env::temp_dir().join(format!("eagerflow-audio-page-{}", std::process::id()));
/// let writer = tf::summary::create_file_writer(&folder);
/// let _default = writer.as_default();
/// let wave = tf::sin(tf::range(0.0, 8000.0, 1.0) * 0.35);
/// tf::summary::audio("tone", tf::reshape(wave, [1, 8000, 1]), 8000, 1);
/// # drop(_default);
/// # writer.close();
/// # std::fs::remove_dir_all(folder).unwrap();
/// ```
///
/// # Panics
/// As [`try_audio`] fails, at the caller's line.
#[track_caller]
pub fn audio(name: &str, data: impl AsTensor, sample_rate: u32, step: impl IntoStep) {
    try_audio(name, data, sample_rate, step).or_fail();
}

/// Writes the first 3 of a batch of sounds.
///
/// # Errors
/// As [`Audio::try_write`], and for a rate of 0.
#[track_caller]
pub fn try_audio(name: &str, data: impl AsTensor, sample_rate: u32, step: impl IntoStep) -> Result<()> {
    let here = Location::caller();
    Audio::new().try_sample_rate(sample_rate).map_err(|e| e.at(here))?.try_write(name, data, step)
}

/// The options of sounds.
///
/// ```
/// use eagerflow as tf;
/// tf::summary::Audio::new().sample_rate(44_100).max_outputs(1).write("noise", tf::zeros([4, 100, 2]), 1);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Audio {
    sample_rate: u32,
    max_outputs: usize,
    description: String,
}

impl Audio {
    /// 44,100 frames a second, 3 sounds at most, and no text.
    pub fn new() -> Self {
        Self { sample_rate: 44_100, max_outputs: 3, description: String::new() }
    }

    /// How many sounds are written at most, the first ones of the batch; 3 unless set.
    #[must_use]
    pub fn max_outputs(mut self, sounds: usize) -> Self {
        self.max_outputs = sounds;
        self
    }
}

summary_options! { Audio:
    /// Writes sounds `[k, frames, channels]`, floats from -1 to 1, which are clipped.
    fn write;

    /// Writes sounds.
    ///
    /// # Errors
    /// InvalidArgument for another rank or no floats, or a step that is not one integer; FailedPrecondition without a step, or for a writer that
    /// is closed. More than 65,535 channels, or 4 GB, are an error of [`flush`](super::flush).
    fn try_write;
}

options! { Audio:
    /// Frames a second: at least 1; 44,100 unless set.
    pub fn sample_rate, try_sample_rate(this, rate: u32) {
        options::count("summary.audio", "sample_rate", rate as usize)?;
        this.sample_rate = rate;
        Ok(this)
    }
}

impl Content for Audio {
    fn name(&self) -> &'static str {
        "summary.audio"
    }

    fn metadata(&self) -> SummaryMetadata {
        metadata("audio", AudioPluginData { version: 0, encoding: WAV }.encode_to_vec(), &self.description)
    }

    fn check(&self, inputs: &[&TensorType]) -> Result<()> {
        match inputs[0].shape.rank() == 3 && inputs[0].dtype.is_floating() {
            true => Ok(()),
            false => Err(Error::invalid_argument("summary.audio", "the data are no sounds")
                .got(inputs[0])
                .expected("floats [k, frames, channels]")),
        }
    }

    fn tensor(&self, inputs: &[Tensor]) -> Result<TensorProto> {
        let dims = inputs[0].shape().dims().to_vec();
        let [count, frames, channels] = dims[..] else {
            return Err(Error::internal("summary.audio", "the sounds have a wrong rank"));
        };
        let samples = cast_to(&inputs[0], DType::F32)?.try_to_vec::<f32>()?;
        let (size, count) = (frames * channels, count.min(self.max_outputs));
        let mut parts = Vec::with_capacity(2 * count);
        for i in 0..count {
            parts.push(wav(&samples[i * size..(i + 1) * size], channels, self.sample_rate)?);
            parts.push(Vec::new());
        }
        Ok(strings(parts, &[count, 2]))
    }
}

/// A WAV file of 16 bits, as TensorFlow's `encode_wav` writes it.
fn wav(samples: &[f32], channels: usize, rate: u32) -> Result<Vec<u8>> {
    let large = || Error::invalid_argument("summary.audio", "a sound is too large for a WAV file");
    let bytes = u32::try_from(samples.len() * 2).ok().filter(|bytes| *bytes < u32::MAX - 36).ok_or_else(large)?;
    let channels = u16::try_from(channels).ok().ok_or_else(large)?;
    let frame = channels.checked_mul(2).ok_or_else(large)?;
    let mut file = Vec::with_capacity(44 + bytes as usize);
    file.extend(b"RIFF");
    file.extend((36 + bytes).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16u32.to_le_bytes());
    file.extend(1u16.to_le_bytes());
    file.extend(channels.to_le_bytes());
    file.extend(rate.to_le_bytes());
    file.extend(rate.wrapping_mul(u32::from(frame)).to_le_bytes());
    file.extend(frame.to_le_bytes());
    file.extend(16u16.to_le_bytes());
    file.extend(b"data");
    file.extend(bytes.to_le_bytes());
    for sample in samples {
        file.extend(((sample * 32768.0).round().clamp(-32768.0, 32767.0) as i16).to_le_bytes());
    }
    Ok(file)
}
