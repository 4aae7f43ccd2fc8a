//! What operations that are made of others demand of values: an assertion with the operation's own name.
//! `histogram_fixed_width`, `confusion_matrix` and `unravel_index` call it, whose operands no kernel of theirs looks at.

use super::operand::{Operand, ToOperand};
use super::{Assert, Line, assert_all, run_comparison};
use crate::op::Op;
use crate::tensor::Tensor;
use kernels::error::Result;

/// Fails unless a comparison of `x` with `y` holds everywhere; `claim` says it, such as `x < y`.
#[track_caller]
pub(super) fn require<'a>(
    name: &'static str,
    claim: &'static str,
    op: &dyn Op,
    x: &Tensor,
    y: impl ToOperand + 'a,
    message: &str,
) -> Result<()> {
    let y: Operand<'_> = y.to_operand();
    let y = y.tensor(name, x.dtype())?;
    let condition = run_comparison(op, x, &y)?;
    assert_all(&Assert { name, claim, message: Line::text(message) }, &[&condition, x, &y])
}
