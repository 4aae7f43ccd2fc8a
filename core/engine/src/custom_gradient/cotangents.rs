//! What the closure of a custom gradient function may return: a cotangent for each parameter, and for variables.
//! Traits tie the closure's type to the kinds of the parameters, so that a wrong one is an error of the compiler.

use super::inputs::{Input, InputList, List, Many, Maybe, One, Parameter};
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::error::Result;
use std::borrow::Borrow;

/// What the gradient closure gives back, as it is collected.
#[derive(Default)]
pub struct Answers {
    pub(super) given: Vec<Vec<Option<Tensor>>>,
    pub(super) variables: Vec<(Variable, Tensor)>,
}

/// The cotangent of one parameter of kind `K`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the cotangent of a parameter of kind `{K}`",
    label = "not a cotangent of kind `{K}`",
    note = "for a tensor or variable give a `Tensor`, or an `Option<Tensor>` or `()` where there is no gradient; for a list of them an array or `Vec` of these"
)]
pub trait Cotangent<K> {
    /// As a list.
    fn list(self) -> Vec<Option<Tensor>>;
}

macro_rules! single {
    ($($kind:ty),*) => {$(
        impl Cotangent<$kind> for Tensor {
            fn list(self) -> Vec<Option<Tensor>> {
                vec![Some(self)]
            }
        }
        impl Cotangent<$kind> for Option<Tensor> {
            fn list(self) -> Vec<Option<Tensor>> {
                vec![self]
            }
        }
    )*};
}

single!(One, Maybe);

impl<A: Cotangent<One>, const N: usize> Cotangent<Many<N>> for [A; N] {
    fn list(self) -> Vec<Option<Tensor>> {
        self.into_iter().flat_map(A::list).collect()
    }
}

impl<A: Cotangent<One>> Cotangent<List> for Vec<A> {
    fn list(self) -> Vec<Option<Tensor>> {
        self.into_iter().flat_map(A::list).collect()
    }
}

macro_rules! nothing {
    ($([$($generics:tt)*] $kind:ty),*) => {$(
        impl<$($generics)*> Cotangent<$kind> for () {
            fn list(self) -> Vec<Option<Tensor>> {
                Vec::new()
            }
        }
    )*};
}

nothing!([] One, [] Maybe, [] List, [const N: usize] Many<N>);

/// Cotangents of variables that the body reads.
#[diagnostic::on_unimplemented(
    message = "what follows the parameters' cotangents is a list of pairs `(variable, cotangent)`, not `{Self}`",
    label = "one cotangent too many, or no list of pairs",
    note = "write `[(variable.clone(), dv)]` or a `Vec` of such pairs"
)]
pub trait VariableCotangents {
    /// As a list.
    fn pairs(self) -> Vec<(Variable, Tensor)>;
}

impl<V: Borrow<Variable>> VariableCotangents for Vec<(V, Tensor)> {
    fn pairs(self) -> Vec<(Variable, Tensor)> {
        self.into_iter().map(|(v, dv)| (v.borrow().clone(), dv)).collect()
    }
}

impl<V: Borrow<Variable>, const N: usize> VariableCotangents for [(V, Tensor); N] {
    fn pairs(self) -> Vec<(Variable, Tensor)> {
        self.into_iter().map(|(v, dv)| (v.borrow().clone(), dv)).collect()
    }
}

/// What the gradient closure may return for parameters of kinds `K`.
#[diagnostic::on_unimplemented(
    message = "the gradient closure must return one cotangent per differentiable parameter",
    label = "returns `{Self}`, the parameters are `{K}`",
    note = "for one parameter return a `Tensor`, for several a tuple of them in the order of the parameters; `Option<Tensor>` or `()` stand for no gradient",
    note = "a list of pairs `[(variable, cotangent)]` may follow, for variables that the body reads"
)]
pub trait Cotangents<K> {
    /// Whether cotangents of variables are among them.
    const VARIABLES: bool = false;
    /// Collects them.
    ///
    /// # Errors
    /// The closure's own.
    fn answers(self) -> Result<Answers>;
}

impl<K, A: Cotangents<K>> Cotangents<K> for Result<A> {
    const VARIABLES: bool = A::VARIABLES;
    fn answers(self) -> Result<Answers> {
        self?.answers()
    }
}

fn alone(list: Vec<Option<Tensor>>) -> Result<Answers> {
    Ok(Answers { given: vec![list], variables: Vec::new() })
}

macro_rules! alone {
    ($([$($generics:tt)*] $kind:ty: $t:ty;)*) => {$(
        impl<$($generics)*> Cotangents<$kind> for $t {
            fn answers(self) -> Result<Answers> {
                alone(Cotangent::<$kind>::list(self))
            }
        }
        impl<$($generics)*> Cotangents<$kind> for ($t,) {
            fn answers(self) -> Result<Answers> {
                alone(Cotangent::<$kind>::list(self.0))
            }
        }
        impl<P: VariableCotangents, $($generics)*> Cotangents<$kind> for ($t, P) {
            const VARIABLES: bool = true;
            fn answers(self) -> Result<Answers> {
                Ok(Answers { given: vec![Cotangent::<$kind>::list(self.0)], variables: self.1.pairs() })
            }
        }
    )*};
}

alone! {
    [] One: Tensor;
    [] One: Option<Tensor>;
    [] One: ();
    [] Maybe: Tensor;
    [] Maybe: Option<Tensor>;
    [] Maybe: ();
    [A: Cotangent<One>] List: Vec<A>;
    [] List: ();
    [A: Cotangent<One>, const N: usize] Many<N>: [A; N];
    [const N: usize] Many<N>: ();
}

macro_rules! several {
    ($($a:ident $k:ident $index:tt),*; $after:tt) => {
        impl<$($k),*> InputList for ($(Input<$k>,)*) {
            type Kinds = ($($k,)*);
            fn parameters(self) -> Vec<Parameter> {
                vec![$((self.$index.name, self.$index.handles)),*]
            }
        }
        impl<$($a: Cotangent<$k>, $k),*> Cotangents<($($k,)*)> for ($($a,)*) {
            fn answers(self) -> Result<Answers> {
                Ok(Answers { given: vec![$(self.$index.list()),*], variables: Vec::new() })
            }
        }
        impl<$($a: Cotangent<$k>, $k),*, P: VariableCotangents> Cotangents<($($k,)*)> for ($($a,)* P) {
            const VARIABLES: bool = true;
            fn answers(self) -> Result<Answers> {
                Ok(Answers { given: vec![$(self.$index.list()),*], variables: self.$after.pairs() })
            }
        }
    };
}

several!(A I 0, B J 1; 2);
several!(A I 0, B J 1, C K 2; 3);
several!(A I 0, B J 1, C K 2, D L 3; 4);
several!(A I 0, B J 1, C K 2, D L 3, E M 4; 5);
several!(A I 0, B J 1, C K 2, D L 3, E M 4, F N 5; 6);
several!(A I 0, B J 1, C K 2, D L 3, E M 4, F N 5, G O 6; 7);
several!(A I 0, B J 1, C K 2, D L 3, E M 4, F N 5, G O 6, H Q 7; 8);
