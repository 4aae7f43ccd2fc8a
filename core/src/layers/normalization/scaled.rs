//! The factor `gamma` and the offset `beta` that normalised values get, with their options.
//! The layers of this folder have them as their fields `gamma` and `beta`, beside `center`, `scale` and `epsilon`.

use engine::library::cast_to;
use engine::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::resolve_axes;

/// Writes the options `center`, `scale` and `epsilon`, and those of both variables.
macro_rules! scaled {
    ($layer:ident) => {
        $crate::layers::base::weights! { $layer:
            gamma, "factor" => gamma_initializer, try_gamma_initializer, gamma_regularizer, try_gamma_regularizer, gamma_constraint, try_gamma_constraint;
            beta, "offset" => beta_initializer, try_beta_initializer, beta_regularizer, try_beta_regularizer, beta_constraint, try_beta_constraint;
        }

        impl $layer {
            /// Whether an offset is added, `beta`.
            #[must_use]
            pub fn center(mut self, center: bool) -> Self {
                self.center = center;
                self
            }

            /// Whether the normalised values are multiplied by a factor, `gamma`.
            #[must_use]
            pub fn scale(mut self, scale: bool) -> Self {
                self.scale = scale;
                self
            }

            /// The factor, once it is built.
            pub fn gamma(&self) -> Option<&engine::Variable> {
                self.gamma.get()
            }

            /// The offset, once it is built.
            pub fn beta(&self) -> Option<&engine::Variable> {
                self.beta.get()
            }

            /// Factor and offset as far as the layer has them, if both are there.
            fn made(&self) -> Option<[Option<&engine::Variable>; 2]> {
                let (gamma, beta) = (self.gamma.get(), self.beta.get());
                let is_made = (gamma.is_some() || !self.scale) && (beta.is_some() || !self.center);
                is_made.then(|| [gamma.filter(|_| self.scale), beta.filter(|_| self.center)])
            }

            /// Factor and offset of a shape, as far as the layer has them, made if this is the first time.
            #[track_caller]
            fn factors(&self, shape: &[usize]) -> kernels::error::Result<[Option<&engine::Variable>; 2]> {
                let gamma = self.scale.then(|| self.gamma.make(&self.core, shape)).transpose()?;
                let beta = self.center.then(|| self.beta.make(&self.core, shape)).transpose()?;
                Ok([gamma, beta])
            }
        }

        engine::library::options::options! { $layer:
            /// What is added to the variance, so that it is not 0.
            pub fn epsilon, try_epsilon(this, epsilon: f64) {
                this.epsilon = engine::library::options::magnitude(stringify!($layer), "epsilon", epsilon)?;
                Ok(this)
            }
        }
    };
}
pub(super) use scaled;

/// The dtype in which moments are computed: at least `float32`, whatever the layer's is.
pub(super) fn wide(x: &TensorType) -> DType {
    if x.dtype == DType::F64 { DType::F64 } else { DType::F32 }
}

/// A variable in the dtype of the moments.
#[track_caller]
pub(super) fn read(variable: Option<&engine::Variable>, dtype: DType) -> Result<Option<Tensor>> {
    variable.map(|variable| cast_to(&variable.value(), dtype)).transpose()
}

/// The input with the sizes that a variable of the normalised axes has, where they are not known otherwise.
#[track_caller]
pub(super) fn sized(layer: &str, x: Tensor, axes: &[isize], variable: Option<&engine::Variable>) -> Result<Tensor> {
    let Some(variable) = variable else { return Ok(x) };
    let (mut shape, own) = (*x.shape(), variable.shape());
    for (at, axis) in resolve_axes(layer, axes, x.rank())?.iter().enumerate() {
        if !shape.dim(axis).is_known() && at < own.rank() {
            shape = shape.with(axis, own.dim(at))?;
        }
    }
    match shape == *x.shape() {
        true => Ok(x),
        false => engine::try_ensure_shape(&x, shape),
    }
}
