//! One step of an optimizer for all its variables, a few of them per operation.
//! The optimizers call these functions with variables, slots and gradients.

use super::rows::ApplyRows;
use super::rule::Rule;
use super::{Apply, TOGETHER};
use crate::execute::execute;
use crate::tape::IndexedRows;
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::error::{Error, Result};
use smallvec::SmallVec;

/// One step of a rule for many variables; `slots` holds one list of variables per slot of the rule.
#[track_caller]
fn apply(
    rule: Rule,
    rate: &Tensor,
    step: &Tensor,
    variables: &[Variable],
    slots: &[&[Variable]],
    given: &[&[Tensor]],
) -> Result<()> {
    let count = variables.len();
    if given.iter().any(|g| g.len() != count) || slots.iter().any(|s| s.len() != count) {
        return Err(Error::invalid_argument(rule.label(), "the lists have different lengths")
            .got(format!("{count} variables, {} gradients", given.first().map_or(0, |g| g.len())))
            .expected("a gradient and every slot for each variable"));
    }
    for first in (0..count).step_by(TOGETHER) {
        let mut inputs: SmallVec<[&Tensor; 32]> = SmallVec::from_slice(&[rate, step]);
        for i in first..(first + TOGETHER).min(count) {
            inputs.push(variables[i].as_handle());
            inputs.extend(slots.iter().map(|slot| slot[i].as_handle()));
            inputs.extend(given.iter().map(|given| &given[i]));
        }
        execute(&Apply { rule }, &inputs)?;
    }
    Ok(())
}

/// `w -= rate * g` for each variable.
///
/// `rate` is a floating-point scalar. Gradients have their variables' types; all lists have one length. Either all of
/// up to 16 variables change or, on an error, none.
#[track_caller]
pub fn apply_gradient_descent(variables: &[Variable], gradients: &[Tensor], rate: &Tensor) -> Result<()> {
    apply(Rule::GradientDescent, rate, &Tensor::from(0i64), variables, &[], &[gradients])
}

/// `w[row] -= rate * g[row]` for the rows of a sparse gradient; rows that are named twice change twice.
#[track_caller]
pub fn apply_gradient_descent_rows(variable: &Variable, rows: &IndexedRows, rate: &Tensor) -> Result<()> {
    execute(&ApplyRows, &[variable.as_handle(), rate, &rows.indices, &rows.values]).map(drop)
}

/// `v = momentum * v - rate * g; w += v` for each variable and its velocity, or with Nesterov's look ahead
/// `w += momentum * v - rate * g`: Keras's SGD.
#[track_caller]
pub fn apply_momentum(
    variables: &[Variable],
    velocities: &[Variable],
    gradients: &[Tensor],
    rate: &Tensor,
    momentum: f64,
    nesterov: bool,
) -> Result<()> {
    let rule = Rule::Momentum { momentum, nesterov };
    apply(rule, rate, &Tensor::from(0i64), variables, &[velocities], &[gradients])
}

/// The parameters of Adam that do not change from step to step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AdamParameters {
    /// How much of the mean of gradients is kept.
    pub beta_1: f64,
    /// How much of the mean of their squares is kept.
    pub beta_2: f64,
    /// What is added to the root of the latter.
    pub epsilon: f64,
}

/// One step of Keras's Adam for each variable and its two moments; `step` is an integer scalar, 1 at the first step.
///
/// `given` holds the list of gradients, and perhaps that of their squares, where those are not the gradients' own.
#[track_caller]
pub fn apply_adam(
    variables: &[Variable],
    firsts: &[Variable],
    seconds: &[Variable],
    given: &[&[Tensor]],
    rate: &Tensor,
    step: &Tensor,
    parameters: AdamParameters,
) -> Result<()> {
    let AdamParameters { beta_1, beta_2, epsilon } = parameters;
    let rule = Rule::Adam { beta_1, beta_2, epsilon, squares: given.len() > 1 };
    apply(rule, rate, step, variables, &[firsts, seconds], given)
}
