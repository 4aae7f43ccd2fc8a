//! Initializers whose spread follows from how many inputs and outputs a unit has, as the shape of its kernel tells.
//! Layers take them for kernels; all are [`VarianceScaling`] with other numbers.

use super::{Initializer, Law, fans, seeded};
use engine::library::options::finite;
use engine::{Tensor, TensorType};
use kernels::error::{Error, Result};

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
}

impl VarianceScaling {
    /// With Keras's defaults: scale 1, by the inputs, truncated normal.
    pub const fn new() -> Self {
        Self { scale: 1.0, mode: Fan::In, distribution: Distribution::TruncatedNormal, seed: None }
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

impl Initializer for VarianceScaling {
    fn name(&self) -> &str {
        "variance_scaling"
    }

    #[track_caller]
    fn make(&self, ty: &TensorType) -> Result<Tensor> {
        let (inputs, outputs) = fans(&ty.shape);
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
        }

        impl $type {
            /// From the global stream.
            pub const fn new() -> Self {
                Self { seed: None }
            }
        }

        seeded!($type);

        impl Initializer for $type {
            fn name(&self) -> &str {
                $name
            }

            #[track_caller]
            fn make(&self, ty: &TensorType) -> Result<Tensor> {
                let (mode, distribution) = (Fan::$fan, Distribution::$distribution);
                VarianceScaling { scale: $scale, mode, distribution, seed: self.seed }.make(ty)
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
