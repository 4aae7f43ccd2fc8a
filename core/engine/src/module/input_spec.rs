//! What [`build`](super::build()) is told of a model's inputs: shapes, types, and tuples and arrays of them.
//! `build` makes a symbol of each.

use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::{Dim, IntoShape, Shape};

/// The shape of an input, its [`TensorType`], or a tuple or array of these for several inputs.
///
/// A shape is an array of numbers, an array of `Option`s of which `None` is an open size, or a [`Shape`]; its dtype is `float32`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not describe the inputs of a model",
    label = "neither a shape nor a `TensorType`",
    note = "write a shape, as `[None, Some(784)]` or `[32, 784]`, a `TensorType`, or a tuple of these for several inputs"
)]
pub trait InputSpec {
    /// What the model's call is given: a tensor, or a tuple or array of tensors.
    type Tensors;

    /// The inputs, each made by `make`.
    ///
    /// # Errors
    /// InvalidArgument for a shape of too many axes or elements.
    fn tensors(&self, make: &mut dyn FnMut(&TensorType) -> Tensor) -> Result<Self::Tensors>;
}

impl InputSpec for TensorType {
    type Tensors = Tensor;

    fn tensors(&self, make: &mut dyn FnMut(&TensorType) -> Tensor) -> Result<Tensor> {
        Ok(make(self))
    }
}

impl InputSpec for Shape {
    type Tensors = Tensor;

    fn tensors(&self, make: &mut dyn FnMut(&TensorType) -> Tensor) -> Result<Tensor> {
        Ok(make(&TensorType::new(DType::F32, *self)))
    }
}

impl<const N: usize> InputSpec for [usize; N] {
    type Tensors = Tensor;

    fn tensors(&self, make: &mut dyn FnMut(&TensorType) -> Tensor) -> Result<Tensor> {
        self.into_shape()?.tensors(make)
    }
}

impl<const N: usize> InputSpec for [Dim; N] {
    type Tensors = Tensor;

    fn tensors(&self, make: &mut dyn FnMut(&TensorType) -> Tensor) -> Result<Tensor> {
        self.into_shape()?.tensors(make)
    }
}

impl<const N: usize> InputSpec for [Option<usize>; N] {
    type Tensors = Tensor;

    fn tensors(&self, make: &mut dyn FnMut(&TensorType) -> Tensor) -> Result<Tensor> {
        // One symbol for an axis in all inputs: a batch has as many examples in each.
        let size = |axis: usize| self[axis].map_or(Dim::symbol(axis as u32), Dim::known);
        std::array::from_fn::<Dim, N, _>(size).into_shape()?.tensors(make)
    }
}

/// Arrays of inputs; those of numbers are shapes.
macro_rules! arrays {
    ($([$($generics:tt)*] $t:ty),*) => {$(
        impl<const COUNT: usize, $($generics)*> InputSpec for [$t; COUNT] {
            type Tensors = [Tensor; COUNT];

            fn tensors(&self, make: &mut dyn FnMut(&TensorType) -> Tensor) -> Result<[Tensor; COUNT]> {
                let all = self.iter().map(|one| one.tensors(make)).collect::<Result<Vec<Tensor>>>()?;
                let count = all.len();
                all.try_into().map_err(|_| kernels::error::Error::internal("build", format!("{count} inputs")))
            }
        }
    )*};
}

arrays!([] TensorType, [] Shape, [const N: usize] [usize; N], [const N: usize] [Option<usize>; N]);

impl InputSpec for Vec<TensorType> {
    type Tensors = Vec<Tensor>;

    fn tensors(&self, make: &mut dyn FnMut(&TensorType) -> Tensor) -> Result<Vec<Tensor>> {
        Ok(self.iter().map(make).collect())
    }
}

macro_rules! tuples {
    ($($name:ident $index:tt),*) => {
        impl<$($name: InputSpec),*> InputSpec for ($($name,)*) {
            type Tensors = ($($name::Tensors,)*);

            fn tensors(&self, make: &mut dyn FnMut(&TensorType) -> Tensor) -> Result<Self::Tensors> {
                Ok(($(self.$index.tensors(make)?,)*))
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);
