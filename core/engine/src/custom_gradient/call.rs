//! One call of a custom gradient function: it runs the body, and puts the closure on the tape in its place.
//! Generated code begins with [`call`] and ends with [`Call::finish`]; the tape's driver runs the closure.

use super::cotangents::Cotangents;
use super::inputs::{InputList, Parameter};
use super::outputs::{Closure, LIST, Outputs, Rule};
use crate::builder;
use crate::graph::control::custom;
use crate::tape::CustomRule;
use crate::tape::record::{self, Watcher};
use crate::tensor::local::{InName, LOCAL, mode};
use crate::tensor::{Resource, Tensor};
use kernels::error::{Error, OrFail, Result};
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;

/// One call of a custom gradient function.
pub struct Call<K> {
    name: &'static str,
    parameters: Vec<Parameter>,
    watcher: Option<Watcher>,
    /// While a graph is recorded, how far it was at the start.
    began: Option<usize>,
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
        began: builder::current().map(|b| b.checkpoint()),
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
    #[track_caller]
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
        let Self { name, parameters, watcher, began, location, .. } = self;
        let recorded = began.and_then(|began| Some(builder::current()?.reads_since(began)));
        if watcher.is_none() && recorded.is_none() {
            // Under new names here too: a body may give back what it was given, and a later tape tells the two apart.
            return Ok(outputs.replaced(|tensor| tensor.alias()));
        }
        let mut inputs: Vec<Tensor> = parameters.iter().flat_map(|(_, handles)| handles).cloned().collect();
        let seen = watcher.map(Watcher::finish).unwrap_or_default();
        let in_graph = recorded.is_some();
        let mut variables = recorded.unwrap_or(seen);
        variables.retain(|v| inputs.iter().all(|t| t.id() != v.id()));
        if let (Some(first), false) = (variables.first(), rule.variables) {
            return Err(no_cotangent(name, first).at(location));
        }
        // Where the body kept to itself, no tape has seen that it reads them.
        record::watch_read(&variables);
        inputs.extend(variables.iter().cloned());
        let counts = parameters.iter().map(|(name, handles)| (*name, handles.len())).collect();
        let rule = Rc::new(Function { name, counts, variables, run: rule.run, location });
        let inner: Vec<Tensor> = outputs.tensors().into_iter().cloned().collect();
        let given: Vec<&Tensor> = inputs.iter().collect();
        let outer = match in_graph {
            true => custom::record(&given, &inner, &*rule, location)?,
            false => {
                let outer = inner.iter().map(super::renamed::renamed).collect::<Result<Vec<_>>>()?;
                record::record_custom(&given, &inner, &outer, rule, location)?;
                outer
            }
        };
        let mut outer = outer.into_iter();
        Ok(outputs.replaced(|tensor| outer.next().unwrap_or(tensor)))
    }
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

fn no_cotangent(name: &str, handle: &Tensor) -> Error {
    Error::invalid_argument(
        name,
        "the gradient closure gives no cotangent for a trainable variable that the body reads",
    )
    .variable(Resource::label(handle))
    .help("return pairs after the other cotangents: `(dx, [(variable.clone(), dv)])`; or make the variable a parameter")
}

/// A function's closure on the tape.
struct Function {
    name: &'static str,
    /// Each parameter with its number of handles.
    counts: Vec<(&'static str, usize)>,
    variables: Vec<Tensor>,
    run: Closure,
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
        self.variables.get(index - before).map_or_else(|| index.to_string(), Resource::label)
    }

    fn backward(&self, dys: &[Tensor]) -> Result<Vec<Option<Tensor>>> {
        // The closure is the user's, and so are its lines.
        let own = InName::of(None);
        let answers = (self.run)(dys).map_err(|e| e.in_op(self.name).at(self.location))?;
        drop(own);
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
                .variable(variable.label())
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
