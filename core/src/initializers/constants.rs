//! Initializers whose numbers do not follow from the shape: constants and plain distributions.
//! Layers take them for biases and scales, embeddings for their rows.

use super::{Initializer, Law, seeded};
use engine::library::options::{finite, magnitude};
use engine::{Tensor, TensorType};
use kernels::error::{Error, Result};

/// All zeros.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Zeros;

/// All ones.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Ones;

/// One number everywhere.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Constant {
    value: f64,
}

impl Constant {
    /// The number.
    pub const fn new(value: f64) -> Self {
        Self { value }
    }
}

impl Initializer for Zeros {
    fn name(&self) -> &str {
        "zeros"
    }
    #[track_caller]
    fn make(&self, ty: &TensorType) -> Result<Tensor> {
        engine::library::fill_with(ty, 0.0)
    }
}

impl Initializer for Ones {
    fn name(&self) -> &str {
        "ones"
    }
    #[track_caller]
    fn make(&self, ty: &TensorType) -> Result<Tensor> {
        engine::library::fill_with(ty, 1.0)
    }
}

impl Initializer for Constant {
    fn name(&self) -> &str {
        "constant"
    }
    #[track_caller]
    fn make(&self, ty: &TensorType) -> Result<Tensor> {
        engine::library::fill_with(ty, self.value)
    }
}

/// Even between two numbers: −0.05 and 0.05 unless set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RandomUniform {
    minval: f64,
    maxval: f64,
    seed: Option<i64>,
}

impl RandomUniform {
    /// With Keras's defaults.
    pub const fn new() -> Self {
        Self { minval: -0.05, maxval: 0.05, seed: None }
    }

    /// The least value.
    #[must_use]
    pub const fn minval(mut self, minval: f64) -> Self {
        self.minval = minval;
        self
    }

    /// The value that all stay below.
    #[must_use]
    pub const fn maxval(mut self, maxval: f64) -> Self {
        self.maxval = maxval;
        self
    }
}

impl Initializer for RandomUniform {
    fn name(&self) -> &str {
        "random_uniform"
    }

    #[track_caller]
    fn make(&self, ty: &TensorType) -> Result<Tensor> {
        Law::Even(self.minval, self.maxval).draw(ty, self.seed)
    }

    fn check(&self) -> Result<()> {
        let (low, high) = (finite(self.name(), "minval", self.minval)?, finite(self.name(), "maxval", self.maxval)?);
        match low > high {
            true => Err(Error::invalid_argument(self.name(), "`minval` is above `maxval`")
                .got(format!("minval {low}, maxval {high}"))),
            false => Ok(()),
        }
    }
}

/// Writes an initializer of a normal distribution.
macro_rules! normal {
    ($(#[$doc:meta])* $type:ident, $name:literal, $law:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct $type {
            mean: f64,
            stddev: f64,
            seed: Option<i64>,
        }

        impl $type {
            /// With Keras's defaults: mean 0 and standard deviation 0.05.
            pub const fn new() -> Self {
                Self { mean: 0.0, stddev: 0.05, seed: None }
            }

            /// The mean.
            #[must_use]
            pub const fn mean(mut self, mean: f64) -> Self {
                self.mean = mean;
                self
            }

            /// The standard deviation.
            #[must_use]
            pub const fn stddev(mut self, stddev: f64) -> Self {
                self.stddev = stddev;
                self
            }
        }

        impl Default for $type {
            fn default() -> Self {
                Self::new()
            }
        }

        impl Initializer for $type {
            fn name(&self) -> &str {
                $name
            }

            #[track_caller]
            fn make(&self, ty: &TensorType) -> Result<Tensor> {
                Law::$law(self.mean, self.stddev).draw(ty, self.seed)
            }

            fn check(&self) -> Result<()> {
                finite($name, "mean", self.mean)?;
                magnitude($name, "stddev", self.stddev).map(drop)
            }
        }

        seeded!($type);
    };
}

normal! {
    /// Normal.
    RandomNormal, "random_normal", Bell
}

normal! {
    /// Normal, without what lies over two standard deviations from the mean; mean and deviation are those before that.
    TruncatedNormal, "truncated_normal", Truncated
}

impl Default for RandomUniform {
    fn default() -> Self {
        Self::new()
    }
}

seeded!(RandomUniform);
