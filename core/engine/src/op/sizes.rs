//! Elements that are sizes: what an operation makes of integers that are known as [`Dim`]s, though they have no number yet.
//! The builder asks while it records, so that `tf::shape(&x)` taken apart and reckoned with is again the sizes of `x`.

use super::{Kind, Op};
use kernels::scalar::Code;
use kernels::shape::{Dim, MAX_RANK};
use smallvec::SmallVec;

/// The elements of a scalar or a vector of integers, as sizes.
pub(crate) type Sizes = SmallVec<[Dim; MAX_RANK]>;

/// What an element-wise operation makes of sizes, one of which may stand for many.
pub(super) fn elementwise(op: &dyn Op, inputs: &[&Sizes]) -> Option<Sizes> {
    let Kind::Elementwise { direct: Some(code), .. } = op.kind() else { return None };
    let &[a, b] = inputs else { return None };
    let count = match (a.len(), b.len()) {
        (a, b) if a == b || b == 1 => a,
        (1, b) => b,
        _ => return None,
    };
    let at = |sizes: &Sizes, i: usize| sizes[if sizes.len() == 1 { 0 } else { i }];
    (0..count).map(|i| reckoned(code, at(a, i), at(b, i)).filter(|&size| size != Dim::INVALID)).collect()
}

fn reckoned(code: Code, a: Dim, b: Dim) -> Option<Dim> {
    Some(match code {
        Code::Add => a + b,
        Code::Sub => a - b,
        Code::Mul => a * b,
        Code::Max => a.max(b),
        Code::Min => a.min(b),
        // Division by zero is an error of the operation, which a size must not hide.
        Code::FloorDiv if b.at_least(1) => a / b,
        Code::FloorMod if b.at_least(1) => a % b,
        // These round toward zero, as `Dim` does only from zero up.
        Code::Div if a.at_least(0) && b.at_least(1) => a / b,
        Code::Rem if a.at_least(0) && b.at_least(1) => a % b,
        _ => return None,
    })
}
