//! What softmax, its logarithm and their gradients compute of each element, and of what is known of its column.
//! The loops of `softmax_columns.rs` are generic over it.

use super::{Arithmetic, Real};

/// What is computed of elements `a` and `b`, the greatest of a column, and the sum of its terms.
pub(in crate::backend::cpu) trait Formula<T: Real> {
    /// Whether the greatest `a` of each column is taken off; `b` says nothing then.
    const GREATEST: bool;
    /// Whether terms are kept until the sum is there.
    const KEPT: bool;
    fn term<A: Arithmetic>(a: T, b: T, greatest: T) -> T;
    /// What results need of a sum.
    fn of_sum(sum: T) -> T;
    fn result<A: Arithmetic>(a: T, b: T, greatest: T, of_sum: T, kept: T) -> T;
}

pub(in crate::backend::cpu) struct Softmax;
pub(in crate::backend::cpu) struct LogSoftmax;
pub(in crate::backend::cpu) struct SoftmaxGradient;
pub(in crate::backend::cpu) struct LogSoftmaxGradient;

impl<T: Real> Formula<T> for Softmax {
    const GREATEST: bool = true;
    const KEPT: bool = true;
    #[inline(always)]
    fn term<A: Arithmetic>(a: T, _: T, greatest: T) -> T {
        (a - greatest).exp::<A>()
    }
    #[inline(always)]
    fn of_sum(sum: T) -> T {
        T::ONE / sum
    }
    #[inline(always)]
    fn result<A: Arithmetic>(_: T, _: T, _: T, of_sum: T, kept: T) -> T {
        kept * of_sum
    }
}

impl<T: Real> Formula<T> for LogSoftmax {
    const GREATEST: bool = true;
    const KEPT: bool = false;
    #[inline(always)]
    fn term<A: Arithmetic>(a: T, _: T, greatest: T) -> T {
        (a - greatest).exp::<A>()
    }
    #[inline(always)]
    fn of_sum(sum: T) -> T {
        sum.log()
    }
    #[inline(always)]
    fn result<A: Arithmetic>(a: T, _: T, greatest: T, of_sum: T, _: T) -> T {
        a - greatest - of_sum
    }
}

impl<T: Real> Formula<T> for SoftmaxGradient {
    const GREATEST: bool = false;
    const KEPT: bool = false;
    #[inline(always)]
    fn term<A: Arithmetic>(y: T, dy: T, _: T) -> T {
        y * dy
    }
    #[inline(always)]
    fn of_sum(sum: T) -> T {
        sum
    }
    #[inline(always)]
    fn result<A: Arithmetic>(y: T, dy: T, _: T, of_sum: T, _: T) -> T {
        (dy - of_sum) * y
    }
}

impl<T: Real> Formula<T> for LogSoftmaxGradient {
    const GREATEST: bool = false;
    const KEPT: bool = false;
    #[inline(always)]
    fn term<A: Arithmetic>(_: T, dy: T, _: T) -> T {
        dy
    }
    #[inline(always)]
    fn of_sum(sum: T) -> T {
        sum
    }
    #[inline(always)]
    fn result<A: Arithmetic>(y: T, dy: T, _: T, of_sum: T, _: T) -> T {
        dy - y.exp::<A>() * of_sum
    }
}
