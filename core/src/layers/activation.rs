//! The function that a layer applies to its output, by Keras's names.
//! Convolution and dense layers take one as an option.

use engine::Tensor;
use engine::{Fields, Module};
use kernels::error::Result;

/// A function of each element, or for softmax of each row, at the end of a layer.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Activation;
/// let x = tf::constant([-1.0, 2.0]);
/// assert_eq!(Activation::Relu.call(&x).to_vec::<f32>(), [0.0, 2.0]);
/// assert_eq!(Activation::Linear.call(&x).to_vec::<f32>(), [-1.0, 2.0]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Activation {
    /// The values as they are.
    #[default]
    Linear,
    /// [`relu`](crate::relu).
    Relu,
    /// [`sigmoid`](crate::sigmoid).
    Sigmoid,
    /// [`tanh`](crate::tanh).
    Tanh,
    /// [`softmax`](fn@crate::softmax) over the last dimension.
    Softmax,
    /// [`log_softmax`](fn@crate::log_softmax) over the last dimension.
    LogSoftmax,
    /// [`gelu`](fn@crate::gelu), the exact form.
    Gelu,
    /// [`silu`](crate::silu), also called swish.
    Silu,
    /// [`elu`](crate::elu).
    Elu,
    /// [`selu`](crate::selu).
    Selu,
    /// [`softplus`](crate::softplus).
    Softplus,
    /// [`softsign`](crate::softsign).
    Softsign,
    /// [`leaky_relu`](fn@crate::leaky_relu) with Keras's slope of 0.2 below zero.
    LeakyRelu,
    /// [`exp`](crate::exp).
    Exponential,
}

impl Activation {
    /// The function of a tensor.
    ///
    /// # Panics
    /// For integers, where the function takes only floats.
    #[track_caller]
    pub fn call(self, x: &Tensor) -> Tensor {
        use kernels::error::OrFail;
        self.apply(x.clone()).or_fail()
    }

    #[track_caller]
    pub(super) fn apply(self, x: Tensor) -> Result<Tensor> {
        match self {
            Self::Linear => Ok(x),
            Self::Relu => x.try_relu(),
            Self::Sigmoid => x.try_sigmoid(),
            Self::Tanh => x.try_tanh(),
            Self::Softmax => x.try_softmax(-1),
            Self::LogSoftmax => x.try_log_softmax(-1),
            Self::Gelu => x.try_gelu(false),
            Self::Silu => x.try_silu(),
            Self::Elu => x.try_elu(),
            Self::Selu => x.try_selu(),
            Self::Softplus => x.try_softplus(),
            Self::Softsign => x.try_softsign(),
            Self::LeakyRelu => x.try_leaky_relu(0.2),
            Self::Exponential => x.try_exp(),
        }
    }
}

impl Module for Activation {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value(self);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}
