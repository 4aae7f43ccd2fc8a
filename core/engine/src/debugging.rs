//! Assertions on tensors, TensorFlow's `tf.debugging`: they fail with the values, the user's message and the user's line.
//! Those on values are effects, so that recorded functions keep them in order; those on shapes and dtypes hold at once.

use crate::op::Op;
use crate::ops::{
    AsTensor, Assert, Equal, Greater, GreaterEqual, Less, LessEqual, Line, NotEqual, Operand, ToOperand, assert_all,
    run_comparison,
};
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

/// Writes the panicking twin of an assertion.
macro_rules! twins {
    ($(
        $(#[$doc:meta])*
        pub fn $name:ident, $try_name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        #[doc = concat!("Where [`", stringify!($try_name), "`] answers an error, with its message at the caller's line.")]
        #[track_caller]
        pub fn $name($($arg: $ty),*) {
            $try_name($($arg),*).or_fail()
        }

        #[doc = concat!("[`", stringify!($name), "`] that answers an error instead of panicking.")]
        ///
        /// # Errors
        /// InvalidArgument where the assertion does not hold, or the tensors cannot be compared.
        #[track_caller]
        pub fn $try_name($($arg: $ty),*) -> Result<()> {
            // A function, not a closure: it lets the caller's location through to the operations.
            #[track_caller]
            fn body($($arg: $ty),*) -> Result<()> $body
            let here = Location::caller();
            body($($arg),*).map_err(|e| e.in_op(stringify!($name)).at(here))
        }
    )*};
}

// Behind the macro, which it writes its functions with.
mod shapes;

mod numerics;

pub use numerics::{
    check_numerics, check_numerics_enabled, disable_check_numerics, enable_check_numerics, try_check_numerics,
    with_check_numerics,
};
pub use shapes::*;

/// Asserts an element-wise comparison of two operands.
#[track_caller]
fn compare(
    name: &'static str,
    claim: &'static str,
    op: &dyn Op,
    x: Operand<'_>,
    y: Operand<'_>,
    message: &str,
) -> Result<()> {
    let [condition, x, y] = compared(name, op, x, y)?;
    assert_all(&Assert { name, claim, message: Line::text(message) }, &[&condition, &x, &y])
}

/// The truth of a comparison, and the operands as tensors.
#[track_caller]
pub(crate) fn compared(name: &'static str, op: &dyn Op, x: Operand<'_>, y: Operand<'_>) -> Result<[Tensor; 3]> {
    let dtype = Operand::common_dtype(&[&x, &y]);
    let (x, y) = (x.tensor(name, dtype)?, y.tensor(name, dtype)?);
    let condition = run_comparison(op, &x, &y)?;
    Ok([condition, x.clone(), y.clone()])
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident $try_name:ident $op:ident $claim:literal;)*) => {
        twins! {$(
            $(#[$doc])*
            pub fn $name, $try_name(x: impl ToOperand, y: impl ToOperand, message: &str) {
                compare(stringify!($name), $claim, &$op, x.to_operand(), y.to_operand(), message)
            }
        )*}
    };
}

comparisons! {
    /// Fails unless all elements of `x` and `y` are equal; shapes broadcast, and either may be a number.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1, 2, 3]);
    /// tf::debugging::assert_equal(&x, &tf::constant([1, 2, 3]), "");
    /// let error = tf::debugging::try_assert_equal(&x, 2, "all twos").unwrap_err().to_string();
    /// assert!(error.contains("all twos") && error.contains("x[0] = 1, y[0] = 2"));
    /// ```
    assert_equal try_assert_equal Equal "x == y";

    /// Fails if any elements of `x` and `y` are equal.
    ///
    /// ```
    /// use eagerflow as tf;
    /// tf::debugging::assert_none_equal(&tf::constant([1, 2]), 3, "");
    /// ```
    assert_none_equal try_assert_none_equal NotEqual "x != y";

    /// Fails unless all elements of `x` are below those of `y`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// tf::debugging::assert_less(&tf::constant([0.1, 0.9]), 1.0, "probabilities");
    /// ```
    assert_less try_assert_less Less "x < y";

    /// Fails unless all elements of `x` are at most those of `y`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// tf::debugging::assert_less_equal(&tf::constant([0.1, 1.0]), 1.0, "probabilities");
    /// ```
    assert_less_equal try_assert_less_equal LessEqual "x <= y";

    /// Fails unless all elements of `x` are above those of `y`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// tf::debugging::assert_greater(&tf::constant([1, 2]), 0, "counts");
    /// ```
    assert_greater try_assert_greater Greater "x > y";

    /// Fails unless all elements of `x` are at least those of `y`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// tf::debugging::assert_greater_equal(&tf::constant([0, 2]), 0, "counts");
    /// ```
    assert_greater_equal try_assert_greater_equal GreaterEqual "x >= y";
}

/// Asserts a condition on one tensor.
#[track_caller]
fn holds(name: &'static str, claim: &'static str, condition: &Tensor, x: &Tensor, message: &str) -> Result<()> {
    assert_all(&Assert { name, claim, message: Line::text(message) }, &[condition, x])
}

/// The machine epsilon of a floating dtype.
fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => f64::EPSILON,
        DType::F16 => 2f64.powi(-10),
        DType::BF16 => 2f64.powi(-7),
        _ => f64::from(f32::EPSILON),
    }
}

/// Asserts |x - y| <= atol + rtol |y|.
#[track_caller]
fn near(x: Operand<'_>, y: Operand<'_>, tolerances: Option<(f64, f64)>, message: &str) -> Result<()> {
    const NAME: &str = "assert_near";
    let dtype = Operand::common_dtype(&[&x, &y]);
    if !dtype.is_floating() {
        return Err(Error::invalid_argument(NAME, "only floating-point tensors can be near each other")
            .got(dtype)
            .help("convert them with `cast`, or use `assert_equal`"));
    }
    let (rtol, atol) = tolerances.unwrap_or((10.0 * epsilon(dtype), 10.0 * epsilon(dtype)));
    let (x, y) = (x.tensor(NAME, dtype)?.try_stop_gradient()?, y.tensor(NAME, dtype)?.try_stop_gradient()?);
    let room = y.try_abs()?.try_multiply(rtol)?.try_add(atol)?;
    let condition = x.try_subtract(&y)?.try_abs()?.try_less_equal(&room)?;
    let assert = Assert { name: NAME, claim: "|x - y| <= atol + rtol * |y|", message: Line::text(message) };
    assert_all(&assert, &[&condition, &x, &y])
}

twins! {
    /// Fails unless `x` and `y` are equal up to ten machine epsilons of the dtype, absolute plus relative to `y`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// tf::debugging::assert_near(&tf::constant([0.1, 0.3]), &tf::constant([0.1, 0.30000001]), "");
    /// ```
    pub fn assert_near, try_assert_near(x: impl ToOperand, y: impl ToOperand, message: &str) {
        near(x.to_operand(), y.to_operand(), None, message)
    }

    /// Fails unless |x - y| <= `atol` + `rtol` |y| everywhere.
    ///
    /// ```
    /// use eagerflow as tf;
    /// tf::debugging::assert_near_within(&tf::constant([99.0, 101.0]), 100.0, 0.01, 0.0, "one per cent");
    /// ```
    pub fn assert_near_within, try_assert_near_within(
        x: impl ToOperand, y: impl ToOperand, rtol: f64, atol: f64, message: &str
    ) {
        near(x.to_operand(), y.to_operand(), Some((rtol, atol)), message)
    }

    /// Fails if any element is NaN or infinite. Floating-point only.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::constant([1.0, f32::NAN]);
    /// let error = tf::debugging::try_assert_all_finite(&loss, "the loss blew up").unwrap_err().to_string();
    /// assert!(error.contains("the loss blew up") && error.contains("x[1] = nan"));
    /// ```
    pub fn assert_all_finite, try_assert_all_finite(x: impl AsTensor, message: &str) {
        let x = x.as_tensor();
        holds("assert_all_finite", "x is finite", &x.try_is_finite()?, &x, message)
    }

    /// Fails unless all elements are above 0.
    ///
    /// ```
    /// use eagerflow as tf;
    /// tf::debugging::assert_positive(&tf::constant([1, 2]), "");
    /// ```
    pub fn assert_positive, try_assert_positive(x: impl AsTensor, message: &str) {
        let x = x.as_tensor();
        holds("assert_positive", "x > 0", &x.try_greater(0)?, &x, message)
    }

    /// Fails unless all elements are below 0.
    ///
    /// ```
    /// use eagerflow as tf;
    /// tf::debugging::assert_negative(&tf::constant([-1, -2]), "");
    /// ```
    pub fn assert_negative, try_assert_negative(x: impl AsTensor, message: &str) {
        let x = x.as_tensor();
        holds("assert_negative", "x < 0", &x.try_less(0)?, &x, message)
    }

    /// Fails unless all elements are 0 or above.
    ///
    /// ```
    /// use eagerflow as tf;
    /// tf::debugging::assert_non_negative(&tf::constant([0, 2]), "");
    /// ```
    pub fn assert_non_negative, try_assert_non_negative(x: impl AsTensor, message: &str) {
        let x = x.as_tensor();
        holds("assert_non_negative", "x >= 0", &x.try_greater_equal(0)?, &x, message)
    }

    /// Fails unless all elements are 0 or below.
    ///
    /// ```
    /// use eagerflow as tf;
    /// tf::debugging::assert_non_positive(&tf::constant([0, -2]), "");
    /// ```
    pub fn assert_non_positive, try_assert_non_positive(x: impl AsTensor, message: &str) {
        let x = x.as_tensor();
        holds("assert_non_positive", "x <= 0", &x.try_less_equal(0)?, &x, message)
    }
}

#[cfg(test)]
mod tests;
