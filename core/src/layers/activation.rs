//! The function that a layer applies to its output, by Keras's names.
//! Convolution and dense layers take one as an option.

use crate::error::Result;
use crate::module::{Fields, Module};
use crate::tensor::Tensor;

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
}

impl Activation {
    /// The function of a tensor.
    ///
    /// # Panics
    /// For integers, where the function takes only floats.
    #[track_caller]
    pub fn call(self, x: &Tensor) -> Tensor {
        use crate::error::OrFail;
        self.apply(x.clone()).or_fail()
    }

    #[track_caller]
    pub(super) fn apply(self, x: Tensor) -> Result<Tensor> {
        match self {
            Self::Linear => Ok(x),
            Self::Relu => x.try_relu(),
            Self::Sigmoid => x.try_sigmoid(),
            Self::Tanh => x.try_tanh(),
        }
    }
}

impl Module for Activation {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value(self);
    }
}
