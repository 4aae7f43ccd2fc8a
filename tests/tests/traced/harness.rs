//! Runs one traced function operation by operation, as a graph, and as that graph was recorded, before all passes; compares
//! values, gradients of first and second order, variables, printed lines and errors. The samples call [`eager_vs_graph`].

mod shown;

use eagerflow as tf;
use shown::{Bits, Outcome, attempt};
use std::panic::{AssertUnwindSafe, catch_unwind};
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

/// One text with the attribute and without.
macro_rules! twice {
    ($($name:ident($x:ident) { $($body:tt)* })*) => {$(
        mod $name {
            use super::*;

            pub fn plain($x: &Tensor) -> Tensor { $($body)* }

            #[tf_function]
            pub fn traced($x: &Tensor) -> Tensor { $($body)* }
        }
    )*};
}

/// Compares the ways of running such texts on scalars.
macro_rules! compare {
    ($($name:ident)*; $inputs:tt) => {$(
        use $name::traced as $name;
        eager_vs_graph!($name(x); x in $inputs);
        for x in $inputs {
            let x = tf::constant(x);
            assert_eq!($name::plain(&x).to_vec::<f32>(), $name(&x).to_vec::<f32>(), "{} of {x}", stringify!($name));
        }
    )*};
}

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

/// Compares the ways of running `call` on each row.
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
    // Each way has its own variables, which need a trace of their own.
    let traced = sample.count.map_or(0, |count| count()) - before;
    let recorded = tf::__testing::as_recorded(|| outcomes(make, call, rows));
    for (way, graph) in [("as a graph", graph), ("as a graph before the passes", recorded)] {
        for (row, (eager, graph)) in rows.iter().zip(eager.iter().zip(graph)) {
            let graph = graph.seen_beside(eager);
            assert!(
                graph == *eager,
                "{} for {row:?}\n{way} {graph:#?}\noperation by operation {eager:#?}",
                sample.name
            );
        }
    }
    if sample.count.is_some() {
        assert_eq!(traced, sample.traces.first().copied().unwrap_or(1), "traces of {}", sample.name);
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
    // On a GPU a failure comes to light when elements are read.
    let read = |result: Vec<Tensor>| result.iter().map(Tensor::cpu).collect::<Vec<_>>();
    let (result, printed) = tf::__testing::captured(|| attempt(|| read(call(row))));
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
        if inputs.is_empty() && variables.is_empty() {
            return Vec::new();
        }
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

/// What a call says, whatever the condition is; operation by operation there is no error.
pub fn refusal(call: &dyn Fn(&Tensor) -> Tensor) -> String {
    let all = [0.5f32, 1.5, 2.5].map(|x| {
        let x = tf::constant(x);
        tf::config::with_eager_functions(|| call(&x));
        match catch_unwind(AssertUnwindSafe(|| call(&x))) {
            Ok(result) => panic!("no error, but {result:?}"),
            Err(panic) => panic.downcast_ref::<String>().cloned().unwrap_or_default(),
        }
    });
    assert!(all.iter().all(|text| *text == all[0]), "{all:?}");
    all[0].clone()
}
