//! What one call shows to its caller, in a form that can be compared: bits, gradients, printed lines, errors.
//! The harness notes it for both ways of running a function.

use eagerflow::{DType, Tensor};
use eagerflow_tests::sources::line_of_the_library;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// A tensor down to its bits; all nans are one.
#[derive(Clone, PartialEq)]
pub struct Bits {
    dtype: DType,
    shape: Vec<usize>,
    bits: Vec<u64>,
    text: String,
}

impl Bits {
    pub fn of(tensor: &Tensor) -> Self {
        let wide = |value: f64| if value.is_nan() { u64::MAX } else { value.to_bits() };
        macro_rules! bits {
            ($t:ty, $bits:expr) => {
                tensor.to_vec::<$t>().into_iter().map($bits).collect()
            };
        }
        let bits = match tensor.dtype() {
            DType::F64 => bits!(f64, wide),
            DType::F32 => bits!(f32, |v| wide(v.into())),
            DType::Bool => bits!(bool, u64::from),
            DType::I32 => bits!(i32, |v| v as u64),
            DType::I64 => bits!(i64, |v| v as u64),
            DType::U8 => bits!(u8, u64::from),
            other => panic!("samples do not give {other}"),
        };
        let text = format!("{}{} {tensor}", tensor.dtype(), tensor.shape());
        Self { dtype: tensor.dtype(), shape: tensor.shape().dims().to_vec(), bits, text }
    }

    fn is_zero(&self) -> bool {
        self.bits.iter().all(|bits| bits << 1 == 0)
    }
}

impl std::fmt::Debug for Bits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// An error as a caller sees it: its kind and the user's line, or the text of a panic of Rust's own.
#[derive(Clone, Debug)]
pub struct Failure {
    pub kind: String,
    pub line: String,
    /// The whole message, which may name a graph's own sizes.
    #[allow(dead_code, reason = "shown where both ways differ")]
    pub text: String,
}

impl PartialEq for Failure {
    fn eq(&self, other: &Self) -> bool {
        (&self.kind, &self.line) == (&other.kind, &other.line)
    }
}

/// Everything that one call shows.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Outcome {
    pub values: Vec<Bits>,
    /// By the float inputs, then the variables.
    pub first: Vec<Option<Bits>>,
    pub second: Vec<Option<Bits>>,
    pub variables: Vec<Bits>,
    pub printed: String,
    pub failed: Option<Failure>,
}

/// Sums of several paths' gradients are not added up in the same order by both ways.
const ORDER_OF_SUMS: f64 = 8.0;

impl Bits {
    /// Whether the other gradient is this one, but for the order in which its parts were added up.
    fn sums_up_to(&self, other: &Self) -> bool {
        let epsilon = eagerflow_tests::compare::epsilon(self.dtype);
        (self.dtype, &self.shape) == (other.dtype, &other.shape)
            && self.bits.iter().zip(&other.bits).all(|(&a, &b)| {
                let (x, y) = (f64::from_bits(a), f64::from_bits(b));
                a == b || (x - y).abs() <= ORDER_OF_SUMS * epsilon * x.abs().max(y.abs()) || x == y
            })
    }
}

impl Outcome {
    /// A branch or loop of the graph gives zeros to what one of its ways depends on, where the way that eager mode ran does
    /// not: TensorFlow's rule, too. Such zeros count as no gradient.
    pub fn seen_beside(mut self, eager: &Self) -> Self {
        for (own, eager) in [(&mut self.first, &eager.first), (&mut self.second, &eager.second)] {
            // Of gradients that are zero in all places no further ones are taken in eager mode.
            if own.len() > eager.len() && eager.is_empty() {
                own.retain(|gradient| !gradient.as_ref().is_none_or(Bits::is_zero));
            }
            for (own, eager) in own.iter_mut().zip(eager) {
                match (&own, eager) {
                    (Some(mine), None) if mine.is_zero() => *own = None,
                    (Some(mine), Some(other)) if mine.sums_up_to(other) => own.clone_from(eager),
                    _ => {}
                }
            }
        }
        self
    }
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
    static PANICKED_AT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `body`; a panic becomes the kind of its error and the user's line.
pub fn attempt<T>(body: impl FnOnce() -> T) -> Result<T, Failure> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let at = info.location().map_or_else(String::new, |at| format!("{}:{}", at.file(), at.line()));
            PANICKED_AT.set(at);
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    QUIET.set(true);
    let result = catch_unwind(AssertUnwindSafe(body));
    QUIET.set(false);
    result.map_err(|payload| {
        let header = PANICKED_AT.with_borrow(String::clone);
        // A pause that ends where it must not is found by a destructor, which nobody calls.
        let of_the_user = line_of_the_library(&header).is_none() || header.starts_with("core/engine/src/tape/pause.rs");
        assert!(of_the_user, "the header names {header}");
        let text = match payload.downcast::<String>() {
            Ok(text) => *text,
            Err(payload) => payload.downcast::<&str>().map_or_else(|_| String::new(), |text| text.to_string()),
        };
        failure(&text)
    })
}

/// The kind and line in the text of a panic.
fn failure(text: &str) -> Failure {
    let at = text.lines().find_map(|line| line.trim().strip_prefix("at: "));
    let line = match at.and_then(|at| at.rsplit_once(':')) {
        Some((line, _column)) => line.to_owned(),
        None => PANICKED_AT.take(),
    };
    let first = text.lines().next().unwrap_or("");
    let kind = match first.split_once(": ") {
        Some((kind, rest)) if kind.chars().all(char::is_alphabetic) => {
            // The text of an assertion or panic is the user's, whichever way it got there.
            let panicked =
                rest.strip_prefix("panic: ").map(|rest| rest.split_once(" (").map_or(rest, |(text, _)| text));
            panicked.unwrap_or(kind).to_owned()
        }
        _ => first.to_owned(),
    };
    Failure { kind, line, text: text.to_owned() }
}
