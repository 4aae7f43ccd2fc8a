//! The check of results for NaN and infinities, while `debugging::enable_check_numerics` holds on this thread.
//! `execute` asks after each operation, and the executor of graphs after each node; nobody else pays for it.

use super::census::{Census, census};
use crate::op::{Kind, Op};
use crate::tensor::local::{LOCAL, mode};
use crate::tensor::{Resource, Tensor};
use kernels::error::{Error, Result};
use std::cell::Cell;
use std::panic::Location;

thread_local! {
    static GRADIENT_OF: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// The operation whose gradient this thread computes or records, if it does.
pub(crate) fn gradient_of() -> Option<&'static str> {
    GRADIENT_OF.get()
}

/// While it lives, operations of this thread belong to the gradient of another.
pub(crate) struct InGradient(Option<&'static str>);

impl InGradient {
    pub fn of(op: Option<&'static str>) -> Self {
        Self(GRADIENT_OF.replace(op))
    }

    /// As before, to be turned to operations in turn.
    pub fn same() -> Self {
        Self(GRADIENT_OF.get())
    }

    pub fn turn_to(&self, op: &'static str) {
        GRADIENT_OF.set(Some(op));
    }
}

impl Drop for InGradient {
    fn drop(&mut self) {
        GRADIENT_OF.set(self.0);
    }
}

/// Whether this thread checks results.
#[inline]
pub(crate) fn checks_numerics() -> bool {
    LOCAL.with(|local| local.has(mode::CHECK))
}

/// Lets this thread check results, or not; answers what it did before.
pub(crate) fn set_check_numerics(on: bool) -> bool {
    LOCAL.with(|local| {
        let before = local.has(mode::CHECK);
        local.set_mode(mode::CHECK, on);
        before
    })
}

/// Whether an operation only passes numbers on. TensorFlow leaves such operations out too: a mask of infinities may go through them.
fn passes_on(op: &dyn Op, inputs: &[&Tensor]) -> bool {
    match op.kind() {
        Kind::View | Kind::Read | Kind::Movement => true,
        // Branches, loops and calls: what is inside is checked where it stands.
        Kind::Control => true,
        Kind::Host => op.flow().is_some() || op.as_control().is_some_and(|c| !c.bodies().is_empty()),
        // Constants, and what is drawn.
        _ if inputs.is_empty() => true,
        _ => op.picks_elements(),
    }
}

/// An error if an operation has made NaN or infinities.
#[cold]
pub(crate) fn check_numerics(
    op: &dyn Op,
    inputs: &[&Tensor],
    outputs: &[Tensor],
    gradient_of: Option<&'static str>,
    location: &'static Location<'static>,
) -> Result<()> {
    if passes_on(op, inputs) {
        return Ok(());
    }
    for (i, output) in outputs.iter().enumerate() {
        if let Some(found) = census(output)?.filter(|found| !found.is_finite()) {
            let what = if outputs.len() > 1 { format!("result {i}, ") } else { "the result, ".to_owned() };
            return Err(complaint(
                op.name(),
                gradient_of,
                &format!("{what}{},", output.ty()),
                &found,
                inputs,
                location,
            )?);
        }
    }
    // What an operation writes to a variable is its result too.
    for (i, resource) in inputs.iter().enumerate().filter_map(|(i, t)| Some((i, t.as_object::<Resource>()?))) {
        if matches!(op.kind(), Kind::Effect) && op.access(i) != crate::op::Access::Read {
            let value = resource.read();
            if let Some(found) = census(&value)?.filter(|found| !found.is_finite()) {
                let what = format!("{}, now {},", Resource::wording(inputs[i]), value.ty());
                return Err(complaint(op.name(), gradient_of, &what, &found, inputs, location)?);
            }
        }
    }
    Ok(())
}

/// What is said of an operation that has made such numbers.
fn complaint(
    op: &str,
    gradient_of: Option<&'static str>,
    what: &str,
    found: &Census,
    inputs: &[&Tensor],
    location: &'static Location<'static>,
) -> Result<Error> {
    let name = gradient_of.map_or_else(|| op.to_owned(), |of| format!("gradient of {of}"));
    let what = format!("{what} has {found}, at {}:{}", location.file(), location.line());
    let (mut operands, mut given) = (Vec::new(), false);
    for (i, input) in inputs.iter().enumerate() {
        let Some(own) = census(input)? else { continue };
        given |= !own.is_finite();
        let (least, most) = own.range;
        operands.push(match own.is_finite() {
            true if own.of > 0 => format!("operand {i}, {}, from {least:?} to {most:?}", input.ty()),
            true => format!("operand {i}, {}, is empty", input.ty()),
            false => format!("operand {i}, {}, has {own} already", input.ty()),
        });
    }
    let help = match (given, gradient_of) {
        (true, _) => {
            "no operation that was checked made them: they came in with data, a constant or a variable; \
             `tf::debugging::assert_all_finite` tells of data"
        }
        (false, Some(_)) => {
            "the values were finite and their slope is not, as that of `sqrt` or `norm` at 0: keep the operand away from there, as by \
             adding a small number or by `where` on the operand itself"
        }
        (false, None) => {
            "keep the operands in the operation's range, as by adding a small number to a divisor or within a logarithm, clipping, \
             losses `from_logits`, a smaller learning rate, or clipped gradients"
        }
    };
    let error =
        Error::invalid_argument(name, what).expected("finite numbers, as `debugging::enable_check_numerics` asks");
    let error = if operands.is_empty() { error } else { error.got(operands.join("; ")) };
    Ok(error.help(help).at(location))
}
