//! One step of an optimizer for all its variables, a few of them per operation.
//! The optimizers call these functions with variables, slots and gradients.

use super::rows::ApplyRows;
use super::rule::{GradientDescent, Rule};
use super::{Apply, TOGETHER};
use crate::execute::execute;
use crate::tape::IndexedRows;
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::error::{Error, Result};
use smallvec::SmallVec;
use std::sync::{Arc, OnceLock};

/// One step of a rule for many variables: `numbers` are scalars, such as the rate; `slots` holds one list of variables for each slot of
/// the rule, `given` one list of tensors for each that it is given.
///
/// Gradients have their variables' types; all lists have one length. Either all of up to 16 variables change or, on an error, none.
#[track_caller]
pub fn apply_rule(
    rule: &Arc<dyn Rule>,
    numbers: &[&Tensor],
    variables: &[Variable],
    slots: &[&[Variable]],
    given: &[&[Tensor]],
) -> Result<()> {
    let count = variables.len();
    let lengths = given.iter().map(|g| g.len()).chain(slots.iter().map(|s| s.len()));
    let fits = (numbers.len(), slots.len(), given.len()) == (rule.numbers(), rule.slots(), rule.given().len());
    if !fits || lengths.into_iter().any(|length| length != count) {
        return Err(Error::invalid_argument(rule.label(), "the lists have different lengths")
            .got(format!("{count} variables, {} gradients", given.first().map_or(0, |g| g.len())))
            .expected("a gradient and every slot for each variable"));
    }
    let apply = Apply { rule: rule.clone() };
    for first in (0..count).step_by(TOGETHER) {
        let mut inputs: SmallVec<[&Tensor; 32]> = SmallVec::from_slice(numbers);
        for i in first..(first + TOGETHER).min(count) {
            inputs.push(variables[i].as_handle());
            inputs.extend(slots.iter().map(|slot| slot[i].as_handle()));
            inputs.extend(given.iter().map(|given| &given[i]));
        }
        execute(&apply, &inputs)?;
    }
    Ok(())
}

/// Gradient descent as a rule.
pub(super) fn gradient_descent() -> &'static Arc<dyn Rule> {
    static RULE: OnceLock<Arc<dyn Rule>> = OnceLock::new();
    RULE.get_or_init(|| Arc::new(GradientDescent))
}

/// `w -= rate * g` for each variable; `rate` is a scalar.
#[track_caller]
pub fn apply_gradient_descent(variables: &[Variable], gradients: &[Tensor], rate: &Tensor) -> Result<()> {
    apply_rule(gradient_descent(), &[rate], variables, &[], &[gradients])
}

/// `w[row] -= rate * g[row]` for the rows of a sparse gradient; rows that are named twice change twice.
#[track_caller]
pub fn apply_gradient_descent_rows(variable: &Variable, rows: &IndexedRows, rate: &Tensor) -> Result<()> {
    execute(&ApplyRows, &[variable.as_handle(), rate, &rows.indices, &rows.values]).map(drop)
}
