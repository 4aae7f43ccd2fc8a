//! What stands for the inputs and targets of a training in memory: tensors, ndarrays, and tuples and lists of them.
//! Trainers cut them into batches by their first dimension.

use engine::{Element, Nest, Tensor, Variable};
use ndarray::{Array, ArrayBase, ArrayView, Data, Dimension};

/// One array of all examples: a tensor, a variable, or an array of `ndarray`.
pub trait ExampleArray {
    /// The examples, one for each index of the first dimension.
    fn into_examples(self) -> Tensor;
}

impl ExampleArray for Tensor {
    fn into_examples(self) -> Tensor {
        self
    }
}

impl ExampleArray for &Tensor {
    fn into_examples(self) -> Tensor {
        self.clone()
    }
}

impl ExampleArray for &Variable {
    #[track_caller]
    fn into_examples(self) -> Tensor {
        self.value()
    }
}

impl<T: Element, D: Dimension> ExampleArray for Array<T, D> {
    #[track_caller]
    fn into_examples(self) -> Tensor {
        Tensor::from(self)
    }
}

impl<T: Element, D: Dimension> ExampleArray for ArrayView<'_, T, D> {
    #[track_caller]
    fn into_examples(self) -> Tensor {
        Tensor::from(self)
    }
}

impl<T: Element, S: Data<Elem = T>, D: Dimension> ExampleArray for &ArrayBase<S, D> {
    #[track_caller]
    fn into_examples(self) -> Tensor {
        Tensor::from(self)
    }
}

/// Inputs of a model as arrays of all examples: a tensor for a model of one input, a tuple for one of several.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no input of the model",
    label = "the model's input has another form",
    note = "give a tensor, or a tuple or list of tensors as the model's `call` takes them"
)]
pub trait InputArrays<X: Nest> {
    /// The inputs of all examples.
    fn into_input(self) -> X;
}

impl<T: ExampleArray> InputArrays<Tensor> for T {
    fn into_input(self) -> Tensor {
        self.into_examples()
    }
}

impl InputArrays<Vec<Tensor>> for &[Tensor] {
    fn into_input(self) -> Vec<Tensor> {
        self.to_vec()
    }
}

impl<T: ExampleArray> InputArrays<Vec<Tensor>> for Vec<T> {
    fn into_input(self) -> Vec<Tensor> {
        self.into_iter().map(T::into_examples).collect()
    }
}

impl<T: ExampleArray, const N: usize> InputArrays<[Tensor; N]> for [T; N] {
    fn into_input(self) -> [Tensor; N] {
        self.map(T::into_examples)
    }
}

/// Targets of a model as arrays of all examples: a tensor for one output, a tuple or list for several, `()` for none.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the targets of a training",
    label = "neither a tensor nor a tuple or list of tensors"
)]
pub trait TargetArrays {
    /// The targets of all examples, one tensor for each output.
    fn into_targets(self) -> Vec<Tensor>;
}

impl<T: ExampleArray> TargetArrays for T {
    fn into_targets(self) -> Vec<Tensor> {
        vec![self.into_examples()]
    }
}

impl TargetArrays for () {
    fn into_targets(self) -> Vec<Tensor> {
        Vec::new()
    }
}

impl TargetArrays for &[Tensor] {
    fn into_targets(self) -> Vec<Tensor> {
        self.to_vec()
    }
}

impl<T: ExampleArray> TargetArrays for Vec<T> {
    fn into_targets(self) -> Vec<Tensor> {
        self.into_iter().map(T::into_examples).collect()
    }
}

impl<T: ExampleArray, const N: usize> TargetArrays for [T; N] {
    fn into_targets(self) -> Vec<Tensor> {
        self.into_iter().map(T::into_examples).collect()
    }
}

/// A tensor in place of each name.
macro_rules! one_of {
    ($name:ident) => {
        Tensor
    };
}

macro_rules! tuples {
    ($($name:ident $index:tt),*) => {
        impl<$($name: ExampleArray),*> InputArrays<($(one_of!($name),)*)> for ($($name,)*) {
            fn into_input(self) -> ($(one_of!($name),)*) {
                ($(self.$index.into_examples(),)*)
            }
        }

        impl<$($name: ExampleArray),*> TargetArrays for ($($name,)*) {
            fn into_targets(self) -> Vec<Tensor> {
                vec![$(self.$index.into_examples()),*]
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
