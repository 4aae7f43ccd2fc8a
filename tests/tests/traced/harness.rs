//! Runs one traced function both ways, operation by operation and as a graph, and compares everything that can be seen:
//! values, gradients of first and second order, variables, printed lines and errors. The samples call [`eager_vs_graph`].

use eagerflow as tf;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use tf::{DType, GradientTape, Module, Nest, Tensor, Variable};

/// Runs a traced function on rows of inputs, eagerly and as a graph, and compares.
///
/// `eager_vs_graph!(f(x); x in [1.0, 2.0])` calls `f` with each input in turn; the trace that the first one made must
/// serve the others. Several inputs are tuples: `f(x, y); (x, y) in [(1.0, 2.0), (3.0, 4.0)]`. Variables and modules
/// stand before: `step(w, x); w = Variable::new(1.0); x in [1.0, 2.0]`; each way of running has its own, which all rows
/// change in turn. `traces 2` behind says how many traces there are in the end, if not one; calls that are no plain
/// function are written in braces, and their traces are not counted.
macro_rules! eager_vs_graph {
    ($function:ident($($arg:expr),* $(,)?); $($rest:tt)*) => {
        $crate::harness::run!([$function($($arg),*)] [Some(&|| tf::function($function).trace_count())] $($rest)*)
    };
    ($call:block; $($rest:tt)*) => {
        $crate::harness::run!([$call] [None] $($rest)*)
    };
}

macro_rules! run {
    ([$call:expr] [$count:expr] $($state:ident = $make:expr),+; $($rest:tt)*) => {
        $crate::harness::run!(@inputs [$call] [$count] [($($state,)+)] [($($make,)+)] $($rest)*)
    };
    ([$call:expr] [$count:expr] $($rest:tt)*) => {
        $crate::harness::run!(@inputs [$call] [$count] [()] [()] $($rest)*)
    };
    (@inputs [$call:expr] [$count:expr] [$state:pat] [$make:expr]
        ($($x:ident),+) in [$(($($value:expr),+)),+ $(,)?] $(; traces $traces:literal)?) => {
        $crate::harness::run!(@all [$call] [$count] [$state] [$make] [$($x)+]
            [$(vec![$($crate::harness::tensor($value)),+]),+] [$($traces)?])
    };
    (@inputs [$call:expr] [$count:expr] [$state:pat] [$make:expr]
        $x:ident in [$($value:expr),+ $(,)?] $(; traces $traces:literal)?) => {
        $crate::harness::run!(@all [$call] [$count] [$state] [$make] [$x]
            [$(vec![$crate::harness::tensor($value)]),+] [$($traces)?])
    };
    (@all [$call:expr] [$count:expr] [$state:pat] [$make:expr] [$($x:ident)+] [$($row:expr),+] [$($traces:literal)?]) => {
        $crate::harness::compare(
            $crate::harness::Sample { name: stringify!($call), count: $count, traces: &[$($traces)?] },
            &|| $make,
            &|$state, inputs| match inputs {
                [$($x),+] => $call,
                _ => unreachable!("a row has an input for each name"),
            },
            &[$($row),+],
        )
    };
}

pub(crate) use run;

/// What is known of a sample beside its function.
pub struct Sample<'a> {
    pub name: &'static str,
    /// Counts the traces of its function.
    pub count: Option<&'a dyn Fn() -> usize>,
    /// How many there must be in the end; one, if nothing is said.
    pub traces: &'a [usize],
}

/// An input of a sample.
pub fn tensor(value: impl tf::IntoTensor) -> Tensor {
    value.into_tensor()
}

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
    fn seen_beside(mut self, eager: &Self) -> Self {
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

/// Compares both ways of running `call` on each row.
pub fn compare<S: Module, R: Nest>(
    sample: Sample<'_>,
    make: &dyn Fn() -> S,
    call: &dyn Fn(&S, &[Tensor]) -> R,
    rows: &[Vec<Tensor>],
) {
    let before = sample.count.map_or(0, |count| count());
    let eager = tf::config::with_eager_functions(|| outcomes(make, call, rows));
    assert_eq!(sample.count.map_or(0, |count| count()), before, "{}: traced while functions run eagerly", sample.name);
    let graph = outcomes(make, call, rows);
    for (row, (eager, graph)) in rows.iter().zip(eager.iter().zip(graph)) {
        let graph = graph.seen_beside(eager);
        assert!(
            graph == *eager,
            "{} for {row:?}\nas a graph {graph:#?}\noperation by operation {eager:#?}",
            sample.name
        );
    }
    if let Some(count) = sample.count {
        let traces = sample.traces.first().copied().unwrap_or(1);
        assert_eq!(count() - before, traces, "traces of {}", sample.name);
    }
}

fn outcomes<S: Module, R: Nest>(
    make: &dyn Fn() -> S,
    call: &dyn Fn(&S, &[Tensor]) -> R,
    rows: &[Vec<Tensor>],
) -> Vec<Outcome> {
    let state = make();
    rows.iter().map(|row| outcome(&state, &|inputs| tensors(&call(&state, inputs)), row)).collect()
}

/// The tensors of a result.
pub fn tensors(result: &impl Nest) -> Vec<Tensor> {
    let mut all = Vec::new();
    let _ = result.map(&mut |tensor| {
        all.push(tensor.clone());
        tensor.clone()
    });
    all
}

fn outcome<S: Module>(state: &S, call: &dyn Fn(&[Tensor]) -> Vec<Tensor>, row: &[Tensor]) -> Outcome {
    let bits = |tensors: &[Tensor]| tensors.iter().map(Bits::of).collect();
    let values = |variables: Vec<Variable>| -> Vec<Bits> { variables.iter().map(|v| Bits::of(&v.value())).collect() };
    let mut outcome = Outcome::default();
    let (result, printed) = tf::__testing::captured(|| attempt(|| call(row)));
    outcome.printed = printed;
    match result {
        Ok(result) => outcome.values = bits(&result),
        Err(failure) => outcome.failed = Some(failure),
    }
    outcome.variables = values(state.variables());
    if outcome.failed.is_none() {
        let (gradients, printed) = tf::__testing::captured(|| attempt(|| gradients(state, call, row)));
        outcome.printed.push_str(&printed);
        match gradients {
            Ok((first, second)) => (outcome.first, outcome.second) = (first, second),
            Err(failure) => outcome.failed = Some(failure),
        }
        outcome.variables.extend(values(state.variables()));
    }
    outcome
}

type Orders = (Vec<Option<Bits>>, Vec<Option<Bits>>);

/// The gradients of a weighted sum of the results, and those of a weighted sum of the gradients.
fn gradients<S: Module>(state: &S, call: &dyn Fn(&[Tensor]) -> Vec<Tensor>, row: &[Tensor]) -> Orders {
    let inputs: Vec<&Tensor> = row.iter().filter(|x| x.dtype().is_floating()).collect();
    let variables = state.trainable_variables();
    let by = |tape: GradientTape, target: &Tensor| -> Vec<Option<Tensor>> {
        let tape = tape.gradient(target, &sources(&inputs, &variables));
        (0..inputs.len() + variables.len()).map(|i| tape.get(i)).collect()
    };
    let mut outer = GradientTape::new();
    outer.watch(&inputs);
    let mut inner = GradientTape::new();
    inner.watch(&inputs);
    let results = call(row);
    let Some(target) = weighted(results.iter()) else { return (Vec::new(), Vec::new()) };
    let first = by(inner, &target);
    let bits = |all: &[Option<Tensor>]| all.iter().map(|t| t.as_ref().map(Bits::of)).collect();
    let second = weighted(first.iter().flatten()).map_or_else(Vec::new, |target| by(outer, &target));
    (bits(&first), bits(&second))
}

/// Inputs and variables as one list.
fn sources<'a>(inputs: &[&'a Tensor], variables: &'a [Variable]) -> Vec<Handle<'a>> {
    inputs.iter().map(|x| Handle::Input(x)).chain(variables.iter().map(Handle::Variable)).collect()
}

enum Handle<'a> {
    Input(&'a Tensor),
    Variable(&'a Variable),
}

impl tf::Differentiable for Handle<'_> {
    fn handle(&self) -> &Tensor {
        match self {
            Self::Input(x) => x,
            Self::Variable(v) => v.handle(),
        }
    }
}

/// The sum of all elements of the float tensors, each tensor with a weight of its own.
fn weighted<'a>(tensors: impl Iterator<Item = &'a Tensor>) -> Option<Tensor> {
    let floats = tensors.filter(|t| t.dtype().is_floating()).enumerate();
    floats.map(|(i, t)| tf::reduce_sum(tf::cast(t, DType::F64), ()) * (1.0 + i as f64)).reduce(|a, b| a + b)
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
    static PANICKED_AT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `body`; a panic becomes the kind of its error and the user's line.
fn attempt<T>(body: impl FnOnce() -> T) -> Result<T, Failure> {
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
