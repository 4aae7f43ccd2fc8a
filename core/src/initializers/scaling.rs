//! Initializers whose spread follows from how many inputs and outputs a unit has, as the shape of its kernel tells.
//! Layers take them for kernels; all are [`VarianceScaling`] with other numbers.

use super::{Initializer, Law, fans, seeded};
use engine::library::options::finite;
use engine::{Tensor, TensorType};
use kernels::error::{Error, Result};
use kernels::shape::Shape;

/// By which number of a unit a variance is divided.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Fan {
    /// Its inputs.
    #[default]
    In,
    /// Its outputs.
    Out,
    /// The mean of both.
    Average,
}

/// How numbers of a variance are spread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Distribution {
    /// Normal, without what lies over two standard deviations from 0; the variance is that after the truncation.
    #[default]
    TruncatedNormal,
    /// Normal.
    UntruncatedNormal,
    /// Even.
    Uniform,
}

/// Axes of a kernel, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct AxisBits(u32);

impl AxisBits {
    fn of(axes: &[usize]) -> Self {
        Self(axes.iter().fold(0, |bits, &axis| bits | 1u32.checked_shl(axis as u32).unwrap_or(0)))
    }

    /// The product of the sizes along them.
    fn product(self, shape: &Shape) -> f64 {
        let sizes = shape.dims().iter().enumerate().filter(|(axis, _)| self.0 >> axis & 1 == 1);
        sizes.map(|(_, &size)| size as f64).product()
    }
}

/// Which axes of a kernel have the inputs and the outputs of a unit, where that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct FanAxes {
    inputs: Option<AxisBits>,
    outputs: Option<AxisBits>,
}

impl FanAxes {
    const UNKNOWN: Self = Self { inputs: None, outputs: None };

    /// Inputs and outputs of a unit: by the axes, or by the rule for dense layers and convolutions where not both are told.
    fn fans(self, shape: &Shape) -> (f64, f64) {
        match (self.inputs, self.outputs) {
            (Some(inputs), Some(outputs)) => (inputs.product(shape), outputs.product(shape)),
            _ => fans(shape),
        }
    }

    /// The axes, or those that a layer knows where none are told.
    fn or(self, inputs: &[usize], outputs: &[usize]) -> Self {
        match (self.inputs, self.outputs) {
            (Some(_), Some(_)) => self,
            _ => Self { inputs: Some(AxisBits::of(inputs)), outputs: Some(AxisBits::of(outputs)) },
        }
    }
}

/// Writes the options that say which axes of a kernel are which.
macro_rules! fan_axes {
    ($type:ident) => {
        impl $type {
            /// The axes that have the inputs of a unit, where they are not all but the last; told together with
            /// [`output_axes`](Self::output_axes).
            #[must_use]
            pub fn input_axes(mut self, axes: impl AsRef<[usize]>) -> Self {
                self.axes.inputs = Some(AxisBits::of(axes.as_ref()));
                self
            }

            /// The axes that have the outputs, where they are not the last.
            #[must_use]
            pub fn output_axes(mut self, axes: impl AsRef<[usize]>) -> Self {
                self.axes.outputs = Some(AxisBits::of(axes.as_ref()));
                self
            }
        }
    };
}

/// The standard deviation of a standard normal distribution truncated at two.
pub(super) const TRUNCATED: f64 = 0.879_625_661_034_239_8;

/// Random numbers of variance `scale` / n, where n is a number of inputs, outputs, or their mean: Keras's `VarianceScaling`.
///
/// ```
/// use eagerflow as tf;
/// use tf::initializers::{Distribution, Fan, Initializer, VarianceScaling};
/// let he = VarianceScaling::new().scale(2.0).mode(Fan::In).distribution(Distribution::Uniform);
/// assert!(he.call([6, 4], tf::DType::F32).to_vec::<f32>().iter().all(|w| w.abs() <= 1.0));
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct VarianceScaling {
    scale: f64,
    mode: Fan,
    distribution: Distribution,
    seed: Option<i64>,
    axes: FanAxes,
}

impl VarianceScaling {
    /// With Keras's defaults: scale 1, by the inputs, truncated normal.
    pub const fn new() -> Self {
        let distribution = Distribution::TruncatedNormal;
        Self { scale: 1.0, mode: Fan::In, distribution, seed: None, axes: FanAxes::UNKNOWN }
    }

    /// The variance times n; above 0.
    #[must_use]
    pub const fn scale(mut self, scale: f64) -> Self {
        self.scale = scale;
        self
    }

    /// What n is.
    #[must_use]
    pub const fn mode(mut self, mode: Fan) -> Self {
        self.mode = mode;
        self
    }

    /// How the numbers are spread.
    #[must_use]
    pub const fn distribution(mut self, distribution: Distribution) -> Self {
        self.distribution = distribution;
        self
    }
}

impl Default for VarianceScaling {
    fn default() -> Self {
        Self::new()
    }
}

seeded!(VarianceScaling);
fan_axes!(VarianceScaling);

impl Initializer for VarianceScaling {
    fn name(&self) -> &str {
        "variance_scaling"
    }

    #[track_caller]
    fn make(&self, ty: &TensorType) -> Result<Tensor> {
        let (inputs, outputs) = self.axes.fans(&ty.shape);
        let n = match self.mode {
            Fan::In => inputs,
            Fan::Out => outputs,
            Fan::Average => (inputs + outputs) / 2.0,
        };
        let variance = self.scale / n.max(1.0);
        let law = match self.distribution {
            Distribution::TruncatedNormal => Law::Truncated(0.0, variance.sqrt() / TRUNCATED),
            Distribution::UntruncatedNormal => Law::Bell(0.0, variance.sqrt()),
            Distribution::Uniform => Law::Even(-(3.0 * variance).sqrt(), (3.0 * variance).sqrt()),
        };
        law.draw(ty, self.seed)
    }

    #[track_caller]
    fn make_between(&self, ty: &TensorType, inputs: &[usize], outputs: &[usize]) -> Result<Tensor> {
        Self { axes: self.axes.or(inputs, outputs), ..*self }.make(ty)
    }

    fn check(&self) -> Result<()> {
        match finite(self.name(), "scale", self.scale)? > 0.0 {
            true => Ok(()),
            false => Err(Error::invalid_argument(self.name(), "`scale` is out of range")
                .got(self.scale)
                .expected("a number above 0")),
        }
    }
}

/// Writes an initializer that is [`VarianceScaling`] with other numbers.
macro_rules! scaled {
    ($($(#[$doc:meta])* $type:ident, $name:literal, $scale:literal, $fan:ident, $distribution:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Debug, Default)]
        pub struct $type {
            seed: Option<i64>,
            axes: FanAxes,
        }

        impl $type {
            /// From the global stream.
            pub const fn new() -> Self {
                Self { seed: None, axes: FanAxes::UNKNOWN }
            }
        }

        seeded!($type);
        fan_axes!($type);

        impl Initializer for $type {
            fn name(&self) -> &str {
                $name
            }

            #[track_caller]
            fn make(&self, ty: &TensorType) -> Result<Tensor> {
                let (mode, distribution) = (Fan::$fan, Distribution::$distribution);
                VarianceScaling { scale: $scale, mode, distribution, seed: self.seed, axes: self.axes }.make(ty)
            }

            #[track_caller]
            fn make_between(&self, ty: &TensorType, inputs: &[usize], outputs: &[usize]) -> Result<Tensor> {
                Self { axes: self.axes.or(inputs, outputs), ..*self }.make(ty)
            }
        }
    )*};
}

scaled! {
    /// Even between ±√(6 / (fan in + fan out)): Glorot and Bengio 2010.
    GlorotUniform, "glorot_uniform", 1.0, Average, Uniform;
    /// Truncated normal with variance 2 / (fan in + fan out).
    GlorotNormal, "glorot_normal", 1.0, Average, TruncatedNormal;
    /// Even between ±√(6 / fan in): He et al. 2015.
    HeUniform, "he_uniform", 2.0, In, Uniform;
    /// Truncated normal with variance 2 / fan in.
    HeNormal, "he_normal", 2.0, In, TruncatedNormal;
    /// Even between ±√(3 / fan in): LeCun et al. 1998.
    LecunUniform, "lecun_uniform", 1.0, In, Uniform;
    /// Truncated normal with variance 1 / fan in.
    LecunNormal, "lecun_normal", 1.0, In, TruncatedNormal;
}
