//! The differentiable parameters of a custom gradient function: tensors, variables, and lists of them.
//! Generated code notes each with [`input`]; the kind of a parameter says what its cotangent must be.

use crate::autodiff::Differentiable;
use crate::tensor::Tensor;
use std::marker::PhantomData;

/// A parameter that gets one cotangent.
pub struct One;
/// A parameter that is an array and gets as many cotangents.
pub struct Many<const N: usize>;
/// A parameter that is a list and gets as many cotangents.
pub struct List;
/// A parameter that may be absent.
pub struct Maybe;

/// What may be a differentiable parameter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a differentiable parameter of a custom gradient function",
    label = "neither a tensor, a variable, nor a list of them",
    note = "a differentiable parameter is a `Tensor` or `Variable`, a reference to one, or a slice, array, `Vec` or `Option` of them; mark others with `#[host]`"
)]
pub trait Inputs {
    /// How many cotangents it gets.
    type Kind;
    /// Appends what the tapes follow.
    fn handles(&self, list: &mut Vec<Tensor>);
}

impl<T: Differentiable> Inputs for T {
    type Kind = One;
    fn handles(&self, list: &mut Vec<Tensor>) {
        list.push(self.handle().clone());
    }
}

macro_rules! lists {
    ($([$($generics:tt)*] $t:ty => $kind:ty;)*) => {$(
        impl<$($generics)*> Inputs for $t {
            type Kind = $kind;
            fn handles(&self, list: &mut Vec<Tensor>) {
                list.extend(self.iter().map(|t| t.handle().clone()));
            }
        }
    )*};
}

lists! {
    [T: Differentiable, const N: usize] [T; N] => Many<N>;
    [T: Differentiable, const N: usize] &[T; N] => Many<N>;
    [T: Differentiable] &[T] => List;
    [T: Differentiable] Vec<T> => List;
    [T: Differentiable] &Vec<T> => List;
    [T: Differentiable] Option<T> => Maybe;
    [T: Differentiable] &Option<T> => Maybe;
}

/// A parameter as the call notes it.
pub struct Input<K> {
    pub(super) name: &'static str,
    pub(super) handles: Vec<Tensor>,
    kind: PhantomData<K>,
}

/// Notes a parameter.
pub fn input<T: Inputs>(name: &'static str, value: &T) -> Input<T::Kind> {
    let mut handles = Vec::new();
    value.handles(&mut handles);
    Input { name, handles, kind: PhantomData }
}

/// All differentiable parameters of a function.
pub trait InputList {
    /// Their kinds: alone, or as a tuple.
    type Kinds;
    /// Name and handles of each.
    fn parameters(self) -> Vec<Parameter>;
}

/// The name of a parameter with what the tapes follow of it.
pub type Parameter = (&'static str, Vec<Tensor>);

impl<K> InputList for Input<K> {
    type Kinds = K;
    fn parameters(self) -> Vec<Parameter> {
        vec![(self.name, self.handles)]
    }
}
