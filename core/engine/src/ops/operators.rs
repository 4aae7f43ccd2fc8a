//! The macros behind binary operations: functions, methods and Rust operators over tensors, variables and numbers.
//! Each binary operation's file calls `binary!`, and those with an operator also `operator!`.

use super::api::TensorRef;
use super::compare::{Equal, NotEqual};
use super::operand::{Operand, ToOperand};
use super::strings::StringEqual;
use crate::execute::{execute1_giving, execute1_reusing};
use crate::op::Op;
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{OnTheWay, Result};

/// Runs a binary operation over operands of any form.
#[track_caller]
pub(crate) fn run_binary<'a>(op: &dyn Op, a: impl ToOperand + 'a, b: impl ToOperand + 'a) -> Result<Tensor> {
    binary_operands(op, a.to_operand(), b.to_operand())
}

#[track_caller]
fn binary_operands(op: &dyn Op, a: Operand<'_>, b: Operand<'_>) -> Result<Tensor> {
    if let (Operand::Borrowed(a), Operand::Borrowed(b)) = (&a, &b) {
        if a.dtype() == DType::String {
            return on_strings(op, a, b);
        }
        return execute1_reusing(op, &[a, b], 0);
    }
    let dtype = Operand::common_dtype(&[&a, &b]);
    if dtype == DType::String {
        return on_strings(op, &*a.tensor(op.name(), dtype)?, &*b.tensor(op.name(), dtype)?);
    }
    execute1_giving(op, [a.tensor(op.name(), dtype)?, b.tensor(op.name(), dtype)?])
}

/// Runs one of two binary operations: the second over operands that are integers.
#[track_caller]
pub(crate) fn run_binary_of<'a>(
    ops: (&'static dyn Op, &'static dyn Op),
    a: impl ToOperand + 'a,
    b: impl ToOperand + 'a,
) -> Result<Tensor> {
    let (a, b) = (a.to_operand(), b.to_operand());
    let op = if Operand::common_dtype(&[&a, &b]).is_integer() { ops.1 } else { ops.0 };
    binary_operands(op, a, b)
}

/// Runs one of two unary operations: the second over an operand of integers.
#[track_caller]
pub(crate) fn run_unary_of<'a>(ops: (&'static dyn Op, &'static dyn Op), x: impl ToOperand + 'a) -> Result<Tensor> {
    let x = x.to_operand();
    let op = if Operand::common_dtype(&[&x]).is_integer() { ops.1 } else { ops.0 };
    run_unary(op, x)
}

/// Runs a comparison of two tensors, which may be of strings.
#[inline]
#[track_caller]
pub(crate) fn run_comparison(op: &dyn Op, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if a.dtype() == DType::String {
        return on_strings(op, a, b);
    }
    execute1_reusing(op, &[a, b], 0)
}

/// A comparison of strings; other operations say that they take numbers.
#[cold]
#[track_caller]
fn on_strings(op: &dyn Op, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if op.is::<Equal>() || op.is::<NotEqual>() {
        let compared = execute1_reusing(&StringEqual { equal: op.is::<Equal>() }, &[a, b], 0);
        return compared.map_err(|e| e.named(op.name()));
    }
    execute1_reusing(op, &[a, b], 0)
}

/// Runs a unary operation over an operand that may be given up.
#[track_caller]
pub(crate) fn run_unary<'a>(op: &dyn Op, x: impl ToOperand + 'a) -> Result<Tensor> {
    let x = x.to_operand();
    let dtype = Operand::common_dtype(&[&x]);
    let x = x.tensor(op.name(), dtype)?;
    execute1_reusing(op, &[&x], u32::from(matches!(x, TensorRef::Owned(_))))
}

/// Writes the four public forms of a binary operation.
macro_rules! binary {
    ($(
        $(#[$doc:meta])*
        pub fn $name:ident, $try_name:ident = $op:expr;
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        #[doc = concat!("Where [`", stringify!($try_name), "`](fn@", stringify!($try_name), ") answers an error, with its message at the caller's line.")]
        #[track_caller]
        pub fn $name(a: impl $crate::ops::ToOperand, b: impl $crate::ops::ToOperand) -> $crate::Tensor {
            kernels::error::OrFail::or_fail($crate::ops::run_binary(&$op, a, b))
        }

        #[doc = concat!("[`", stringify!($name), "`](fn@", stringify!($name), ") that answers an error instead of panicking.")]
        ///
        /// # Errors
        /// InvalidArgument for dtypes that differ or that the operation does not take, and shapes that do not broadcast.
        #[track_caller]
        pub fn $try_name(a: impl $crate::ops::ToOperand, b: impl $crate::ops::ToOperand) -> $crate::Result<$crate::Tensor> {
            let here = std::panic::Location::caller();
            $crate::ops::run_binary(&$op, a, b).map_err(|e| e.at(here))
        }

        impl $crate::Tensor {
            #[doc = concat!("[`", stringify!($name), "`](fn@crate::", stringify!($name), ") of this tensor and another operand.")]
            #[track_caller]
            pub fn $name(&self, other: impl $crate::ops::ToOperand) -> $crate::Tensor {
                $name(self, other)
            }

            #[doc = concat!("[`", stringify!($name), "`](fn@crate::", stringify!($name), ") that answers an error instead of panicking.")]
            ///
            /// # Errors
            #[doc = concat!("As [`", stringify!($try_name), "`](fn@crate::", stringify!($try_name), ").")]
            #[track_caller]
            pub fn $try_name(&self, other: impl $crate::ops::ToOperand) -> $crate::Result<$crate::Tensor> {
                $try_name(self, other)
            }
        }
    )*};
}
pub(crate) use binary;

/// Implements a Rust operator by a binary operation, between tensors, variables and numbers.
///
/// One blanket implementation per left side, so that rustc knows the result's type before it knows a literal's. A
/// number on the left is `f64` or `i32` for the same reason: with one candidate, `(1.0 + &x).log()` can be resolved.
macro_rules! operator {
    ($trait:ident::$method:ident = $op:expr) => {
        $crate::ops::operator!(@any $trait $method $op; Tensor, &Tensor, Variable, &Variable);
        $crate::ops::operator!(@number $trait $method $op; f64: Tensor, &Tensor, Variable, &Variable; i32: Tensor, &Tensor, Variable, &Variable;
            Complex<f32>: Tensor, &Tensor, Variable, &Variable; Complex<f64>: Tensor, &Tensor, Variable, &Variable);
    };
    ($trait:ident::$method:ident = $op:expr; assign $assign:ident::$assign_method:ident) => {
        $crate::ops::operator!($trait::$method = $op);
        const _: () = {
            use $crate::Tensor;
            impl<B: $crate::ops::ToOperand> std::ops::$assign<B> for Tensor {
                #[track_caller]
                fn $assign_method(&mut self, other: B) {
                    // The old handle is given up, so the result may use its memory; it is replaced even on a panic.
                    let old = std::mem::replace(self, $crate::ops::placeholder());
                    *self = kernels::error::OrFail::or_fail($crate::ops::run_binary(&$op, old, other));
                }
            }
        };
    };
    ($trait:ident::$method:ident = $op:expr, of integers $other:expr; assign $assign:ident::$assign_method:ident) => {
        const _: () = {
            use $crate::{Tensor, Variable};
            $crate::ops::operator!(@chosen $trait $method ($op, $other); Tensor, &Tensor, Variable, &Variable);
            $crate::ops::operator!(@chosen_number $trait $method ($op, $other); Tensor, &Tensor, Variable, &Variable);
            impl<B: $crate::ops::ToOperand> std::ops::$assign<B> for Tensor {
                #[track_caller]
                fn $assign_method(&mut self, other: B) {
                    // As above.
                    let old = std::mem::replace(self, $crate::ops::placeholder());
                    *self = kernels::error::OrFail::or_fail($crate::ops::run_binary_of((&$op, &$other), old, other));
                }
            }
        };
    };
    (@chosen $trait:ident $method:ident ($op:expr, $other:expr); $($a:ty),*) => {
        $(impl<B: $crate::ops::ToOperand> std::ops::$trait<B> for $a {
            type Output = Tensor;
            #[track_caller]
            #[inline]
            fn $method(self, other: B) -> Tensor {
                kernels::error::OrFail::or_fail($crate::ops::run_binary_of((&$op, &$other), self, other))
            }
        })*
    };
    (@chosen_number $trait:ident $method:ident ($op:expr, $other:expr); $($b:ty),*) => {
        $(impl std::ops::$trait<$b> for i32 {
            type Output = Tensor;
            #[track_caller]
            #[inline]
            fn $method(self, other: $b) -> Tensor {
                kernels::error::OrFail::or_fail($crate::ops::run_binary_of((&$op, &$other), self, other))
            }
        })*
    };
    (@any $trait:ident $method:ident $op:expr; $($a:ty),*) => {
        const _: () = {
            use $crate::{Tensor, Variable};
            $(impl<B: $crate::ops::ToOperand> std::ops::$trait<B> for $a {
                type Output = Tensor;
                #[track_caller]
                #[inline]
                fn $method(self, other: B) -> Tensor {
                    kernels::error::OrFail::or_fail($crate::ops::run_binary(&$op, self, other))
                }
            })*
        };
    };
    (@number $trait:ident $method:ident $op:expr; $($a:ty: $($b:ty),*);*) => {
        const _: () = {
            use $crate::{Tensor, Variable};
            use kernels::dtype::Complex;
            $($(impl std::ops::$trait<$b> for $a {
                type Output = Tensor;
                #[track_caller]
                #[inline]
                fn $method(self, other: $b) -> Tensor {
                    kernels::error::OrFail::or_fail($crate::ops::run_binary(&$op, self, other))
                }
            })*)*
        };
    };
}
pub(crate) use operator;

/// Implements a unary Rust operator, on tensors and variables.
macro_rules! unary_operator {
    ($trait:ident::$method:ident = $op:expr) => {
        $crate::ops::operators::unary_operator!(@any $trait $method run_unary(&$op); Tensor, &Tensor, Variable, &Variable);
    };
    ($trait:ident::$method:ident = $op:expr, of integers $other:expr) => {
        $crate::ops::operators::unary_operator!(
            @any $trait $method run_unary_of((&$op, &$other)); Tensor, &Tensor, Variable, &Variable);
    };
    (@any $trait:ident $method:ident $run:ident($ops:expr); $($a:ty),*) => {
        const _: () = {
            use $crate::{Tensor, Variable};
            $(impl std::ops::$trait for $a {
                type Output = Tensor;
                #[track_caller]
                #[inline]
                fn $method(self) -> Tensor {
                    kernels::error::OrFail::or_fail($crate::ops::$run($ops, self))
                }
            })*
        };
    };
}
pub(crate) use unary_operator;

thread_local! {
    static EMPTY: Tensor = Tensor::symbol(&crate::tensor::TensorType::scalar(kernels::dtype::DType::Bool));
}

/// A handle to stand in for one that was moved out for the moment.
pub(crate) fn placeholder() -> Tensor {
    EMPTY.with(Tensor::clone)
}
