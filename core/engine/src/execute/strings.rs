//! Operations on strings: movement runs on their words by the loops of integers, the rest by the operation's own `strings`.
//! `eager.rs` and `kernel.rs` send operations here whose operands or results are strings; variables of strings are here too.

use super::{eager, kernel};
use crate::op::{Kind, Op, Outputs};
use crate::tensor::strings::{Strings, Union};
use crate::tensor::{Resource, Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use smallvec::SmallVec;

/// Whether a tensor holds strings, or is a variable of strings.
pub(super) fn are_strings(tensor: &Tensor) -> bool {
    match tensor.dtype() {
        DType::String => true,
        DType::Resource => tensor.as_object::<Resource>().is_some_and(|resource| resource.dtype == DType::String),
        _ => false,
    }
}

/// Whether an operation has strings among its operands or results.
#[inline]
pub(super) fn concern(inputs: &[&Tensor], types: &[TensorType]) -> bool {
    inputs.iter().any(|t| are_strings(t)) || types.iter().any(|ty| ty.dtype == DType::String)
}

/// Runs an operation whose results have these types.
#[track_caller]
pub(super) fn run(op: &dyn Op, inputs: &[&Tensor], types: &[TensorType]) -> Result<Outputs> {
    if let Some(outputs) = op.strings(inputs) {
        return outputs;
    }
    let mut union = Union::new();
    let mut words: SmallVec<[Tensor; 4]> = SmallVec::new();
    for &input in inputs {
        words.push(match input.dtype() {
            DType::String => union.words(Strings::of(input, op.name())?)?,
            DType::Resource => return Err(no_way(op, inputs)),
            _ => input.clone(),
        });
    }
    let refs: SmallVec<[&Tensor; 4]> = words.iter().collect();
    let moved = match op.kind() {
        Kind::View => eager::view(op, &refs)?,
        Kind::Movement | Kind::Opaque => kernel::run(op, &refs, 0)?,
        _ => return Err(no_way(op, inputs)),
    };
    let arenas = union.arenas();
    let mut outputs = Outputs::new();
    for (output, ty) in moved.into_iter().zip(types) {
        outputs.push(match ty.dtype {
            // A view shows what its base keeps.
            DType::String if matches!(op.kind(), Kind::View) => Strings::tensor(output, arenas.clone()),
            DType::String => Strings::settled(output, &arenas)?,
            _ => output,
        });
    }
    Ok(outputs)
}

#[cold]
fn no_way(op: &dyn Op, inputs: &[&Tensor]) -> Error {
    let types: Vec<String> = inputs.iter().map(|t| t.ty().to_string()).collect();
    Error::unimplemented(op.name(), "the operation does not take strings")
        .got(types.join(", "))
        .help("strings are moved, compared, and changed by `tf::strings`; they are no numbers")
}

/// Sets a variable of strings. Others may hold the old value, which stays as it is.
#[track_caller]
pub(crate) fn set(op: &str, variable: &Tensor, value: &Tensor) -> Result<()> {
    let resource = Resource::of(variable, op)?;
    // A new identity: the variable's value must not be taken for the tensor that it was set to.
    *resource.lock() = value.alias();
    Ok(())
}
