//! `==`, `!=`, `<`, `<=`, `>`, `>=` of scalar tensors as Rust's `bool`, so that `while loss > target` is plain Rust.
//! On other tensors they panic at the caller's line and name the operation that compares element by element.

use super::compare::{Equal, Less, LessEqual, NotEqual};
use super::operand::{Operand, ToOperand};
use super::operators::run_comparison;
use crate::op::Op;
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::dtype::Complex;
use kernels::dtype::DType;
use kernels::error::{Error, OnTheWay, OrFail, Result, is_rusts_own};
use std::cell::Cell;
use std::cmp::Ordering;

/// One side of a comparison, by reference as Rust's traits hand it over.
trait Side {
    #[track_caller]
    fn side(&self) -> Operand<'_>;
    /// What it is and where it was made: Rust's library, which compares what references lead to, hides the user's line.
    fn described(&self) -> String;
}

impl Side for Tensor {
    fn side(&self) -> Operand<'_> {
        Operand::Borrowed(self)
    }
    fn described(&self) -> String {
        let made = self.location();
        if is_rusts_own(made) { self.ty().to_string() } else { format!("{}, made at {made}", self.ty()) }
    }
}

impl Side for Variable {
    #[track_caller]
    fn side(&self) -> Operand<'_> {
        self.to_operand()
    }
    fn described(&self) -> String {
        format!("{}{}, {}", self.dtype(), self.shape(), self.wording())
    }
}

impl<T: Side> Side for &T {
    #[track_caller]
    fn side(&self) -> Operand<'_> {
        (**self).side()
    }
    fn described(&self) -> String {
        (**self).described()
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

/// A comparison by the name that the user would write for tensors.
struct Comparison {
    name: &'static str,
    op: &'static dyn Op,
    /// Whether the operation takes the operands the other way round.
    turned: bool,
}

const EQUAL: Comparison = Comparison { name: "equal", op: &Equal, turned: false };
const NOT_EQUAL: Comparison = Comparison { name: "not_equal", op: &NotEqual, turned: false };
const LESS: Comparison = Comparison { name: "less", op: &Less, turned: false };
const LESS_EQUAL: Comparison = Comparison { name: "less_equal", op: &LessEqual, turned: false };
const GREATER: Comparison = Comparison { name: "greater", op: &Less, turned: true };
const GREATER_EQUAL: Comparison = Comparison { name: "greater_equal", op: &LessEqual, turned: true };

impl Comparison {
    /// Whether it holds of the operands in the user's order.
    #[inline]
    #[track_caller]
    fn holds<A: Side, B: Side>(&self, a: &A, b: &B) -> bool {
        self.decide(a.side(), b.side(), &|| format!("{}; and {}", a.described(), b.described())).or_fail()
    }

    /// The same; `written` says what the operands are.
    #[track_caller]
    fn decide(&self, a: Operand<'_>, b: Operand<'_>, written: &dyn Fn() -> String) -> Result<bool> {
        let dtype = Operand::common_dtype(&[&a, &b]);
        let (a, b) = (a.tensor(self.name, dtype)?, b.tensor(self.name, dtype)?);
        if BY_IDENTITY.get() {
            return Ok((a.id() == b.id()) != (self.name == "not_equal"));
        }
        if a.is_symbol() || b.is_symbol() {
            return Err(self.not_known_yet().got(written()));
        }
        if a.dtype() != b.dtype() {
            return Err(self.of_two_dtypes(a.dtype(), b.dtype()).got(written()));
        }
        if a.num_elements() != 1 || b.num_elements() != 1 {
            return Err(self.not_scalar().got(written()));
        }
        let operands: [&Tensor; 2] = if self.turned { [&b, &a] } else { [&a, &b] };
        match run_comparison(self.op, operands[0], operands[1]) {
            Ok(truth) => truth.try_item::<bool>(),
            Err(error) => Err(error.named(self.name).got(written())),
        }
    }

    #[cold]
    fn not_known_yet(&self) -> Error {
        Error::failed_precondition(self.name, "a value of a graph being recorded is not known yet").help(format!(
            "give a helper that decides by tensors `#[tf_function]` too, or let it return the tensor of `tf::{}`; \
             in a closure, write the types of its parameters, `|k: f32|`",
            self.name
        ))
    }

    #[cold]
    fn of_two_dtypes(&self, first: DType, second: DType) -> Error {
        Error::invalid_argument(self.name, "the operands have different dtypes")
            .expected("one dtype for both")
            .help(crate::op::cast_help(first, second))
    }

    #[cold]
    fn not_scalar(&self) -> Error {
        Error::invalid_argument(self.name, "only scalar tensors compare as one truth value")
            .expected("two tensors with one element")
            .help(format!(
                "`tf::{}(&a, &b)` compares element by element; `reduce_all` or `reduce_any` of that is one truth value",
                self.name
            ))
    }
}

#[track_caller]
fn order<A: Side, B: Side>(a: &A, b: &B) -> Option<Ordering> {
    if LESS.holds(a, b) {
        return Some(Ordering::Less);
    }
    if EQUAL.holds(a, b) {
        return Some(Ordering::Equal);
    }
    GREATER.holds(a, b).then_some(Ordering::Greater)
}

macro_rules! compared {
    ($($left:ty: $($right:ty)*;)*) => {$($(
        impl PartialEq<$right> for $left {
            #[track_caller]
            fn eq(&self, other: &$right) -> bool {
                EQUAL.holds(self, other)
            }

            #[track_caller]
            #[expect(clippy::partialeq_ne_impl, reason = "the provided one would lose the caller's line")]
            fn ne(&self, other: &$right) -> bool {
                NOT_EQUAL.holds(self, other)
            }
        }

        impl PartialOrd<$right> for $left {
            #[track_caller]
            fn partial_cmp(&self, other: &$right) -> Option<Ordering> {
                order(self, other)
            }

            #[track_caller]
            fn lt(&self, other: &$right) -> bool {
                LESS.holds(self, other)
            }

            #[track_caller]
            fn le(&self, other: &$right) -> bool {
                LESS_EQUAL.holds(self, other)
            }

            #[track_caller]
            fn gt(&self, other: &$right) -> bool {
                GREATER.holds(self, other)
            }

            #[track_caller]
            fn ge(&self, other: &$right) -> bool {
                GREATER_EQUAL.holds(self, other)
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
            fn described(&self) -> String {
                format!("the number {self:?}")
            }
        }
        compared! {
            Tensor: $t;
            &Tensor: $t;
            Variable: $t;
            &Variable: $t;
        }
    )*};
}

numbers!(f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool Complex<f32> Complex<f64>);

// A number on the left is `f64` or `i32`, as for the arithmetic operators: more would leave literals undecided.
// References on both sides are Rust's own: they compare what they lead to.
compared! {
    Tensor: Tensor &Tensor Variable &Variable;
    &Tensor: Tensor Variable;
    Variable: Tensor &Tensor Variable &Variable;
    &Variable: Tensor Variable;
    f64: Tensor &Tensor Variable &Variable;
    i32: Tensor &Tensor Variable &Variable;
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
