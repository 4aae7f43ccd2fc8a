//! The run time of `#[custom_gradient]`: what the function's parameters, outputs and closure must be, and the tape entry.
//! Generated code calls [`Call`] through the hidden module `__rt`; it could as well be written by hand.

use super::Differentiable;
use super::backward::CustomRule;
use super::record::{self, Watcher};
use crate::error::{Error, OrFail, Result};
use crate::tensor::local::{LOCAL, mode};
use crate::tensor::{Resource, Tensor};
use crate::variable::Variable;
use std::borrow::Borrow;
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;

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
    name: &'static str,
    handles: Vec<Tensor>,
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

/// What the gradient closure gives back, as it is collected.
#[derive(Default)]
pub struct Answers {
    given: Vec<Vec<Option<Tensor>>>,
    variables: Vec<(Variable, Tensor)>,
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

/// The number that stands for "a list" where outputs are counted.
pub const LIST: usize = usize::MAX;

/// What a custom gradient function may return: `N` tensors.
#[diagnostic::on_unimplemented(
    message = "a custom gradient function returns tensors, not `{Self}`",
    label = "not a tensor, nor a tuple, array or `Vec` of tensors",
    note = "return a `Tensor`, a tuple or array of them, a `Vec<Tensor>`, or a `Result` of one of these"
)]
pub trait Outputs<const N: usize>: Sized {
    /// The tensors, in order.
    fn tensors(&self) -> Vec<&Tensor>;
    /// The same with other tensors in their places.
    fn replaced(self, with: impl FnMut(Tensor) -> Tensor) -> Self;
}

impl Outputs<1> for Tensor {
    fn tensors(&self) -> Vec<&Tensor> {
        vec![self]
    }
    fn replaced(self, mut with: impl FnMut(Tensor) -> Tensor) -> Self {
        with(self)
    }
}

impl<const M: usize> Outputs<LIST> for [Tensor; M] {
    fn tensors(&self) -> Vec<&Tensor> {
        self.iter().collect()
    }
    fn replaced(self, with: impl FnMut(Tensor) -> Tensor) -> Self {
        self.map(with)
    }
}

impl Outputs<LIST> for Vec<Tensor> {
    fn tensors(&self) -> Vec<&Tensor> {
        self.iter().collect()
    }
    fn replaced(self, with: impl FnMut(Tensor) -> Tensor) -> Self {
        self.into_iter().map(with).collect()
    }
}

/// A gradient closure without its type, for a function with `N` outputs.
pub struct Rule<const N: usize> {
    run: Box<dyn Fn(&[Tensor]) -> Result<Answers>>,
    variables: bool,
}

macro_rules! outputs {
    ($method:ident $n:literal: $($t:ident $index:tt),*) => {
        impl Outputs<$n> for ($($t,)*) {
            fn tensors(&self) -> Vec<&Tensor> {
                vec![$(&self.$index),*]
            }
            fn replaced(self, mut with: impl FnMut(Tensor) -> Tensor) -> Self {
                ($(with(self.$index),)*)
            }
        }
        outputs!(@gradient $method $n: $($t $index),*);
    };
    (@gradient $method:ident $n:literal: $($t:ident $index:tt),*) => {
        impl<K> Call<K> {
            /// Notes the gradient closure of a function with this many outputs.
            pub fn $method<R: Cotangents<K>>(&self, gradient: impl Fn($(&$t),*) -> R + 'static) -> Rule<$n> {
                Rule { run: Box::new(move |dys| gradient($(&dys[$index]),*).answers()), variables: R::VARIABLES }
            }
        }
    };
}

outputs!(gradient_1 1: Tensor 0);
outputs!(gradient_2 2: Tensor 0, Tensor 1);
outputs!(gradient_3 3: Tensor 0, Tensor 1, Tensor 2);
outputs!(gradient_4 4: Tensor 0, Tensor 1, Tensor 2, Tensor 3);
outputs!(gradient_5 5: Tensor 0, Tensor 1, Tensor 2, Tensor 3, Tensor 4);
outputs!(gradient_6 6: Tensor 0, Tensor 1, Tensor 2, Tensor 3, Tensor 4, Tensor 5);

/// What the body of a custom gradient function yields.
#[diagnostic::on_unimplemented(
    message = "the body of a custom gradient function yields its outputs and a gradient closure",
    label = "this is `{Self}`, not a pair of outputs and closure",
    note = "end the body with `(outputs, move |dy: &Tensor| ...)`"
)]
pub trait Parts {
    /// The outputs.
    type Outputs;
    /// The closure.
    type Gradient;
    /// Both.
    fn parts(self) -> (Self::Outputs, Self::Gradient);
}

impl<O, G> Parts for (O, G) {
    type Outputs = O;
    type Gradient = G;
    fn parts(self) -> (O, G) {
        self
    }
}

/// The two halves of a `Result` type.
pub trait Fallible {
    /// The value.
    type Value;
    /// The error.
    type Error;
}

impl<T, E> Fallible for Result<T, E> {
    type Value = T;
    type Error = E;
}

/// A copy of what a reference parameter points to, for a gradient closure that outlives the call.
pub struct Kept<T: ToOwned + ?Sized>(T::Owned);

impl<T: ToOwned + ?Sized> Kept<T> {
    /// Copies; for a tensor or variable that is one more handle.
    pub fn new(value: &T) -> Self {
        Self(value.to_owned())
    }

    /// The copy, by reference as the parameter was.
    pub fn get(&self) -> &T {
        self.0.borrow()
    }
}

/// One call of a custom gradient function.
pub struct Call<K> {
    name: &'static str,
    parameters: Vec<Parameter>,
    watcher: Option<Watcher>,
    location: &'static Location<'static>,
    kinds: PhantomData<K>,
}

/// Begins a call.
#[track_caller]
pub fn call<I: InputList>(name: &'static str, inputs: I) -> Call<I::Kinds> {
    let observed = LOCAL.with(|local| local.has(mode::TAPE | mode::FORWARD));
    Call {
        name,
        parameters: inputs.parameters(),
        watcher: observed.then(Watcher::start),
        location: Location::caller(),
        kinds: PhantomData,
    }
}

impl<K> Call<K> {
    /// Notes the gradient closure of a function whose outputs are a list.
    pub fn gradient_list<R: Cotangents<K>>(&self, gradient: impl Fn(&[Tensor]) -> R + 'static) -> Rule<LIST> {
        Rule { run: Box::new(move |dys| gradient(dys).answers()), variables: R::VARIABLES }
    }

    /// Ends the call: what the caller gets, with the closure as its gradient.
    ///
    /// # Panics
    /// If the body read a trainable variable for which the closure gives no cotangent.
    pub fn finish<O: Outputs<N>, const N: usize>(self, parts: (O, Rule<N>)) -> O {
        let location = self.location;
        match self.try_finish(parts) {
            Ok(outputs) => outputs,
            Err(error) => Err(error.at(location)).or_fail(),
        }
    }

    /// Ends the call.
    ///
    /// # Errors
    /// InvalidArgument if the body read a trainable variable for which the closure gives no cotangent.
    pub fn try_finish<O: Outputs<N>, const N: usize>(self, (outputs, rule): (O, Rule<N>)) -> Result<O> {
        let Self { name, parameters, watcher, location, .. } = self;
        let Some(watcher) = watcher else { return Ok(outputs) };
        let mut inputs: Vec<Tensor> = parameters.iter().flat_map(|(_, handles)| handles).cloned().collect();
        let mut variables = watcher.finish();
        variables.retain(|v| inputs.iter().all(|t| t.id() != v.id()));
        if let (Some(first), false) = (variables.first(), rule.variables) {
            return Err(no_cotangent(name, first).at(location));
        }
        inputs.extend(variables.iter().cloned());
        let counts = parameters.iter().map(|(name, handles)| (*name, handles.len())).collect();
        let rule = Rc::new(Function { name, counts, variables, run: rule.run, location });
        let inner: Vec<Tensor> = outputs.tensors().into_iter().cloned().collect();
        let outer = inner.iter().map(record::renamed).collect::<Result<Vec<_>>>()?;
        let given: Vec<&Tensor> = inputs.iter().collect();
        record::record_custom(&given, &inner, &outer, rule, location)?;
        let mut outer = outer.into_iter();
        Ok(outputs.replaced(|tensor| outer.next().unwrap_or(tensor)))
    }
}

fn no_cotangent(name: &str, handle: &Tensor) -> Error {
    let variable = handle.as_object::<Resource>().map_or("?", |r| r.name.as_str());
    Error::invalid_argument(
        name,
        "the gradient closure gives no cotangent for a trainable variable that the body reads",
    )
    .variable(variable)
    .help("return pairs after the other cotangents: `(dx, [(variable.clone(), dv)])`; or make the variable a parameter")
}

/// A function's closure on the tape.
struct Function {
    name: &'static str,
    /// Each parameter with its number of handles.
    counts: Vec<(&'static str, usize)>,
    variables: Vec<Tensor>,
    run: Box<dyn Fn(&[Tensor]) -> Result<Answers>>,
    location: &'static Location<'static>,
}

impl CustomRule for Function {
    fn name(&self) -> &str {
        self.name
    }

    fn input_name(&self, index: usize) -> String {
        let mut before = 0;
        for (name, count) in &self.counts {
            if index < before + count {
                return match count {
                    1 => (*name).to_owned(),
                    _ => format!("{name}[{}]", index - before),
                };
            }
            before += count;
        }
        let variable = self.variables.get(index - before).and_then(|v| v.as_object::<Resource>());
        variable.map_or_else(|| index.to_string(), |r| r.name.clone())
    }

    fn backward(&self, dys: &[Tensor]) -> Result<Vec<Option<Tensor>>> {
        let answers = (self.run)(dys).map_err(|e| e.in_op(self.name).at(self.location))?;
        let mut list = Vec::new();
        for (&(name, count), mut given) in self.counts.iter().zip(answers.given) {
            if given.is_empty() {
                given = vec![None; count];
            }
            // An absent optional parameter takes whatever the closure says.
            given.truncate(if count == 0 && given.len() == 1 { 0 } else { given.len() });
            if given.len() != count {
                return Err(Error::invalid_argument(self.name, format!("wrong number of cotangents for `{name}`"))
                    .got(given.len())
                    .expected(count)
                    .at(self.location));
            }
            list.extend(given);
        }
        for (variable, _) in &answers.variables {
            if self.variables.iter().all(|v| v.id() != variable.id()) {
                return Err(Error::invalid_argument(
                    self.name,
                    "the gradient closure gives a cotangent for a variable that the body did not read as trainable",
                )
                .variable(variable.name())
                .at(self.location));
            }
        }
        for handle in &self.variables {
            let given = answers.variables.iter().find(|(v, _)| v.id() == handle.id());
            match given {
                Some((_, dv)) => list.push(Some(dv.clone())),
                None => return Err(no_cotangent(self.name, handle).at(self.location)),
            }
        }
        Ok(list)
    }
}
