//! What a variable can start from: tensors, arrays, and what `constant` takes.
//! `Variable::new` and its like accept it.

use super::{Literal, constant};
use crate::tensor::Tensor;
use kernels::dtype::{Complex, Element};

/// What a variable can start from: a tensor, an ndarray array, or what [`constant`] takes.
#[diagnostic::on_unimplemented(
    message = "a variable cannot start from `{Self}`",
    label = "no tensor, nor `f32`, `i32`, `bool`, a string or arrays and vectors of them",
    note = "`Tensor::from(value)` makes a tensor of `f64`, `i64`, `u8` and all other types of numbers"
)]
pub trait IntoTensor {
    /// The tensor.
    #[doc(hidden)]
    #[track_caller]
    fn into_tensor(self) -> Tensor;
}

impl IntoTensor for Tensor {
    fn into_tensor(self) -> Tensor {
        self
    }
}

impl IntoTensor for &Tensor {
    fn into_tensor(self) -> Tensor {
        self.clone()
    }
}

macro_rules! into_tensor {
    ($($t:ty)*) => {$(
        impl IntoTensor for $t {
            #[track_caller]
            fn into_tensor(self) -> Tensor {
                constant(self)
            }
        }
    )*};
}

into_tensor!(f32 i32 bool &str String Complex<f64>);

impl<T: Element, D: ndarray::Dimension> IntoTensor for ndarray::Array<T, D> {
    #[track_caller]
    fn into_tensor(self) -> Tensor {
        self.into()
    }
}

impl<N: Literal> IntoTensor for Vec<N> {
    #[track_caller]
    fn into_tensor(self) -> Tensor {
        constant(self)
    }
}

impl<N: Literal, const L: usize> IntoTensor for [N; L] {
    #[track_caller]
    fn into_tensor(self) -> Tensor {
        constant(self)
    }
}
