//! `==`, `!=`, `<`, `<=`, `>`, `>=` of scalar tensors as Rust's `bool`, so that `while loss > target` is plain Rust.
//! On other tensors they panic at the caller's line and name the operation that compares element by element.

use super::compare::{Equal, Less, LessEqual, NotEqual};
use super::operand::{Operand, ToOperand};
use crate::error::{Error, OrFail, Result};
use crate::execute::execute1;
use crate::op::Op;
use crate::tensor::Tensor;
use crate::variable::Variable;
use std::cell::Cell;
use std::cmp::Ordering;

/// One side of a comparison, by reference as Rust's traits hand it over.
trait Side {
    fn side(&self) -> Operand<'_>;
}

impl Side for Tensor {
    fn side(&self) -> Operand<'_> {
        Operand::Borrowed(self)
    }
}

impl Side for &Tensor {
    fn side(&self) -> Operand<'_> {
        Operand::Borrowed(self)
    }
}

impl Side for Variable {
    fn side(&self) -> Operand<'_> {
        self.to_operand()
    }
}

thread_local! {
    static BY_IDENTITY: Cell<bool> = const { Cell::new(false) };
}

/// Runs a comparison of values that may hold tensors: two tensors are equal if they are one. What a graph will make of them is
/// not known, and whether a variable has changed is all that is asked.
pub(crate) fn by_identity<R>(compare: impl FnOnce() -> R) -> R {
    struct Restored(bool);
    impl Drop for Restored {
        fn drop(&mut self) {
            BY_IDENTITY.set(self.0);
        }
    }
    let _restored = Restored(BY_IDENTITY.replace(true));
    compare()
}

/// Whether `op` holds; `name` is what the user would write for tensors, with the operands in the user's order.
#[track_caller]
fn holds(name: &str, op: &dyn Op, a: Operand<'_>, b: Operand<'_>) -> bool {
    decide(name, op, a, b).or_fail()
}

#[track_caller]
fn decide(name: &str, op: &dyn Op, a: Operand<'_>, b: Operand<'_>) -> Result<bool> {
    let dtype = Operand::common_dtype(&[&a, &b]);
    let (a, b) = (a.tensor(name, dtype)?, b.tensor(name, dtype)?);
    if BY_IDENTITY.get() {
        return Ok((a.id() == b.id()) != (name == "not_equal"));
    }
    if a.is_symbol() || b.is_symbol() {
        return Err(Error::failed_precondition(name, "a value of a graph being recorded is not known yet")
            .got(format!("{} and {}", a.ty(), b.ty()))
            .help(format!(
                "give a helper that decides by tensors `#[tf_function]` too, or let it return the tensor of `tf::{name}`; \
                 in a closure, write the types of its parameters, `|k: f32|`"
            )));
    }
    if a.num_elements() != 1 || b.num_elements() != 1 {
        return Err(Error::invalid_argument(name, "only scalar tensors compare as one truth value")
            .got(format!("{} and {}", a.ty(), b.ty()))
            .expected("two tensors with one element")
            .help(format!(
                "`tf::{name}(&a, &b)` compares element by element; `reduce_all` or `reduce_any` of that is one truth value"
            )));
    }
    execute1(op, &[&a, &b])?.try_item::<bool>()
}

#[track_caller]
fn order(a: Operand<'_>, b: Operand<'_>) -> Option<Ordering> {
    let dtype = Operand::common_dtype(&[&a, &b]);
    let (a, b) = (a.tensor("less", dtype).or_fail(), b.tensor("less", dtype).or_fail());
    let (a, b) = (|| Operand::Borrowed(&a), || Operand::Borrowed(&b));
    if holds("less", &Less, a(), b()) {
        return Some(Ordering::Less);
    }
    if holds("equal", &Equal, a(), b()) {
        return Some(Ordering::Equal);
    }
    holds("greater", &Less, b(), a()).then_some(Ordering::Greater)
}

macro_rules! compared {
    ($($left:ty: $($right:ty)*;)*) => {$($(
        impl PartialEq<$right> for $left {
            #[track_caller]
            fn eq(&self, other: &$right) -> bool {
                holds("equal", &Equal, self.side(), other.side())
            }

            #[track_caller]
            #[expect(clippy::partialeq_ne_impl, reason = "the provided one would lose the caller's line")]
            fn ne(&self, other: &$right) -> bool {
                holds("not_equal", &NotEqual, self.side(), other.side())
            }
        }

        impl PartialOrd<$right> for $left {
            #[track_caller]
            fn partial_cmp(&self, other: &$right) -> Option<Ordering> {
                order(self.side(), other.side())
            }

            #[track_caller]
            fn lt(&self, other: &$right) -> bool {
                holds("less", &Less, self.side(), other.side())
            }

            #[track_caller]
            fn le(&self, other: &$right) -> bool {
                holds("less_equal", &LessEqual, self.side(), other.side())
            }

            #[track_caller]
            fn gt(&self, other: &$right) -> bool {
                holds("greater", &Less, other.side(), self.side())
            }

            #[track_caller]
            fn ge(&self, other: &$right) -> bool {
                holds("greater_equal", &LessEqual, other.side(), self.side())
            }
        }
    )*)*};
}

macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl Side for $t {
            fn side(&self) -> Operand<'_> {
                self.to_operand()
            }
        }
        compared! {
            Tensor: $t;
            &Tensor: $t;
            Variable: $t;
        }
    )*};
}

numbers!(f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool);

// A number on the left is `f64` or `i32`, as for the arithmetic operators: more would leave literals undecided.
compared! {
    Tensor: Tensor &Tensor Variable;
    &Tensor: Tensor;
    Variable: Tensor &Tensor Variable;
    f64: Tensor &Tensor Variable;
    i32: Tensor &Tensor Variable;
}

#[cfg(test)]
mod tests {
    use crate as tf;

    #[test]
    fn scalars_are_plain_conditions() {
        let mut n = tf::constant(27);
        let mut steps = 0;
        while n != 1 {
            n = if &n % 2 == 0 { n / 2 } else { n * 3 + 1 };
            steps += 1;
        }
        assert_eq!(steps, 111);
        let (a, b) = (tf::constant(1.0), tf::constant(2.0));
        for (got, expected) in [
            (a < b, true),
            (a <= b, true),
            (a >= b, false),
            (b > 1.5, true),
            (1.5 > b, false),
            (a == 1.0, true),
            (a != b, true),
        ] {
            assert_eq!(got, expected);
        }
        assert_eq!(a.partial_cmp(&b), Some(std::cmp::Ordering::Less));
        let nan = tf::constant(f32::NAN);
        let not_a_number = f32::NAN;
        let (equal, less, at_least) = (nan == not_a_number, nan < 1.0, nan >= 1.0);
        assert!(!equal && !less && !at_least && nan.partial_cmp(&1.0).is_none());
        assert!(tf::Variable::new(3.0) > 2.0);
    }

    fn message(body: impl FnOnce() -> bool + std::panic::UnwindSafe) -> String {
        *std::panic::catch_unwind(body).unwrap_err().downcast::<String>().unwrap()
    }

    #[test]
    fn others_name_the_operation_and_the_line() {
        let text = message(|| tf::constant([1.0, 2.0]) < 1.0);
        assert!(text.contains("tf::less(&a, &b)") && text.contains(&format!("truth.rs:{}", line!() - 1)), "{text}");
        let text = message(|| tf::constant([1, 2]) != tf::constant([1, 2]));
        assert!(text.contains("tf::not_equal") && text.contains(&format!("truth.rs:{}", line!() - 1)), "{text}");
        let text = message(|| tf::constant(1) == tf::constant(1.0));
        assert!(text.contains("`cast`"), "{text}");
    }
}
