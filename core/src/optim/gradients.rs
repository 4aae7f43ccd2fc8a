//! What optimizers make of a tape's answer: pairs of variables and gradients that fit, and a word about missing ones.
//! Every optimizer begins a step with them.

use crate::train::why;
use engine::Gradients;
use engine::Variable;
use engine::library::Named;
use engine::library::gradient_at;
use engine::library::{Cotangent, EMPTY};
use kernels::error::{Error, Result};
use std::collections::HashSet;
use std::panic::Location;
use std::sync::{Mutex, PoisonError};

/// Variables that were warned about already, by id.
#[derive(Debug, Default)]
pub(super) struct Warned(Mutex<HashSet<u64>>);

impl Warned {
    /// Whether this is the first time that the variable is missing.
    fn first(&self, variable: &Variable) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(variable.id())
    }
}

/// Variables with their gradients.
type Pairs<'a> = Vec<(&'a Variable, &'a Cotangent)>;

/// The variables that have a gradient, with it, after everything was checked.
#[track_caller]
pub(super) fn pairs<'a>(
    optimizer: &str,
    gradients: &'a Gradients,
    variables: &'a [Variable],
    warned: Option<&Warned>,
) -> Result<Pairs<'a>> {
    let here = Location::caller();
    checked(optimizer, gradients, variables, warned).map_err(|e| e.at(here))
}

fn checked<'a>(
    optimizer: &str,
    gradients: &'a Gradients,
    variables: &'a [Variable],
    warned: Option<&Warned>,
) -> Result<Pairs<'a>> {
    if variables.is_empty() {
        return Err(Error::invalid_argument(optimizer, "there are no variables, so that nothing would be trained")
            .got("an empty list of variables")
            .expected("the variables that the gradient was taken by")
            .help(EMPTY));
    }
    if gradients.len() != variables.len() {
        return Err(Error::invalid_argument(optimizer, "there are not as many gradients as variables")
            .got(format!("{} gradients, {} variables", gradients.len(), variables.len()))
            .help("pass the list of variables that the gradient was taken by"));
    }
    let mut found = Vec::with_capacity(variables.len());
    for (i, variable) in variables.iter().enumerate() {
        match gradient_at(gradients, i) {
            Some(gradient) => found.push((variable, check(optimizer, variable, gradient)?)),
            None if warned.is_some_and(|warned| warned.first(variable)) => {
                eprintln!("warning: {}", missing(optimizer, gradients, i, variable))
            }
            None => {}
        }
    }
    if found.is_empty() {
        return Err(Error::invalid_argument(optimizer, "no variable has a gradient")
            .got(missing(optimizer, gradients, 0, &variables[0]))
            .help("compute the loss from the variables while the tape records"));
    }
    Ok(found)
}

/// What is said about a variable without a gradient.
pub(super) fn missing(optimizer: &str, gradients: &Gradients, index: usize, variable: &Variable) -> String {
    let why = why(gradients, index);
    format!("{optimizer}: {} has no gradient and stays as it is: {why}", variable.wording())
}

fn check<'a>(optimizer: &str, variable: &Variable, gradient: &'a Cotangent) -> Result<&'a Cotangent> {
    let (shape, dtype) = match gradient {
        Cotangent::Dense(tensor) => (*tensor.shape(), tensor.dtype()),
        Cotangent::Rows(rows) => (rows.shape, rows.values.dtype()),
    };
    let own = variable.shape();
    let fits = dtype == variable.dtype() && shape.rank() == own.rank();
    if fits && shape.iter().zip(own.iter()).all(|(a, b)| a.can_equal(b)) {
        return Ok(gradient);
    }
    Err(Error::invalid_argument(optimizer, "a gradient does not fit its variable")
        .got(format!("{dtype}{shape}"))
        .expected(format!("{}{own}", variable.dtype()))
        .variable(variable.label()))
}
