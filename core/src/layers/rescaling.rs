//! `Rescaling`: a factor and an offset for all values, such as from 0..255 to 0..1.
//! Keras's `Rescaling`; models of images begin with it, so that they take the images as they are stored.

use super::base::{Call, Core, Layer, Masking, Outputs, layer, named};
use super::copied_by_clone;
use engine::library::cast_to;
use engine::{Fields, Module, Tensor};
use kernels::error::Result;

/// One number for all values, or one for each of the last dimension's: what options like `scale` take.
#[derive(Clone, PartialEq, Debug)]
pub enum PerChannel {
    /// For all.
    All(f64),
    /// One for each channel.
    Each(Vec<f64>),
}

impl PerChannel {
    /// The numbers as a tensor, which broadcasts over the other dimensions.
    #[track_caller]
    pub(super) fn tensor(&self, dtype: kernels::dtype::DType) -> Result<Tensor> {
        match self {
            Self::All(number) => cast_to(&Tensor::from(*number), dtype),
            Self::Each(numbers) => cast_to(&Tensor::from(numbers.clone()), dtype),
        }
    }

    /// What stands for them in a signature.
    pub(super) fn word(&self) -> (bool, Vec<u64>) {
        match self {
            Self::All(number) => (true, vec![number.to_bits()]),
            Self::Each(numbers) => (false, numbers.iter().map(|number| number.to_bits()).collect()),
        }
    }
}

impl From<f64> for PerChannel {
    fn from(number: f64) -> Self {
        Self::All(number)
    }
}

impl From<Vec<f64>> for PerChannel {
    fn from(numbers: Vec<f64>) -> Self {
        Self::Each(numbers)
    }
}

impl<const N: usize> From<[f64; N]> for PerChannel {
    fn from(numbers: [f64; N]) -> Self {
        Self::Each(numbers.to_vec())
    }
}

/// Every value times a factor, plus an offset, in the layer's dtype: integers become floats.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Rescaling;
/// let pixels = tf::constant([0, 255]).cast(tf::DType::U8);
/// assert_eq!(Rescaling::new(1.0 / 255.0).call(&pixels).to_vec::<f32>(), [0.0, 1.0]);
/// assert_eq!(Rescaling::new(2.0 / 255.0).offset(-1.0).call(&pixels).to_vec::<f32>(), [-1.0, 1.0]);
/// ```
#[derive(Clone, Debug)]
pub struct Rescaling {
    core: Core,
    scale: PerChannel,
    offset: PerChannel,
}

layer!(Rescaling);
copied_by_clone!(Rescaling);

impl Rescaling {
    /// A layer with a factor, or one for each channel.
    pub fn new(scale: impl Into<PerChannel>) -> Self {
        Self { core: Core::new("rescaling"), scale: scale.into(), offset: PerChannel::All(0.0) }
    }

    /// What is added, 0 unless set.
    #[must_use]
    pub fn offset(mut self, offset: impl Into<PerChannel>) -> Self {
        self.offset = offset.into();
        self
    }
}

impl Layer for Rescaling {
    named!();

    fn masking(&self) -> Masking {
        Masking::Passes
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let dtype = self.core.compute();
        let scaled = cast_to(&inputs[0], dtype)?.try_multiply(&self.scale.tensor(dtype)?)?;
        scaled.try_add(&self.offset.tensor(dtype)?).map(Outputs::one)
    }
}

impl Module for Rescaling {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&(self.scale.word(), self.offset.word()));
    }
}
