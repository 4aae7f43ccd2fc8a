//! The functions of `golden/make_functions.py` in Rust: values and gradients are those of TensorFlow's AutoGraph.
//! Each file has some of them, under the names that they have there, and lists them as its `TWINS`.

mod branches;
mod gradients;
mod jumps;
mod lists;
mod loops;
mod numbers;
mod variables;

use crate::harness::tensors;
use eagerflow as tf;
use eagerflow_tests::compare::{Bound, differences, magnitude, show};
use eagerflow_tests::golden::{Array, records};
use tf::{DType, GradientTape, Nest, Tensor, Variable};

/// A function under its name: the number of its variables, and a call with these and the other inputs.
type Twin = (&'static str, usize, fn(&[Variable], &[Tensor]) -> Vec<Tensor>);

/// A twin of so many inputs, after so many variables.
macro_rules! twin {
    ($name:ident($($x:ident),*)) => {
        twin!($name(; $($x),*))
    };
    ($name:ident($($v:ident),*; $($x:ident),*)) => {
        (stringify!($name), <[&str]>::len(&[$(stringify!($v)),*]), |variables, inputs| match (variables, inputs) {
            ([$($v),*], [$($x),*]) => crate::tensorflow::flat($name($($v,)* $($x),*)),
            _ => panic!("{} has other inputs", stringify!($name)),
        })
    };
}

use twin;

fn flat(results: impl Nest) -> Vec<Tensor> {
    tensors(&results)
}

/// Epsilons of the value, and of the largest magnitude around: loops add up what differs in their operations.
const BOUND: Bound = Bound::sums(64.0, 8.0);

fn twins() -> Vec<Twin> {
    let files = [branches::TWINS, loops::TWINS, numbers::TWINS, jumps::TWINS, lists::TWINS];
    [&files[..], &[variables::TWINS, gradients::TWINS]].concat().concat()
}

/// What a record holds.
struct Answer {
    inputs: Vec<Array>,
    outputs: Vec<Array>,
    gradients: Vec<Option<Array>>,
}

fn answers(name: &str) -> Vec<Answer> {
    let arrays = |value: &serde_json::Value| -> Vec<Option<Array>> {
        value.as_array().expect("a list").iter().map(|a| (!a.is_null()).then(|| Array::parse(a))).collect()
    };
    let of = records("functions.json").into_iter().filter(|record| record["function"] == name);
    of.map(|record| Answer {
        inputs: arrays(&record["inputs"]).into_iter().flatten().collect(),
        outputs: arrays(&record["outputs"]).into_iter().flatten().collect(),
        gradients: arrays(&record["gradients"]),
    })
    .collect()
}

fn check(complaints: &mut Vec<String>, what: &str, got: &Array, want: &Array, scale: f64) {
    match differences(got, want, BOUND, scale) {
        Err(types) => complaints.push(format!("{what}: {types}")),
        Ok(places) if !places.is_empty() => complaints.push(format!("{what}: {}", show(got, want, &places))),
        Ok(_) => {}
    }
}

/// Calls the twin as the script calls its function, and compares.
fn compare((name, count, call): Twin, answer: &Answer, eager: bool) -> Vec<String> {
    let mut complaints = Vec::new();
    let inputs: Vec<Tensor> = answer.inputs.iter().map(Array::tensor).collect();
    let (first, rest) = inputs.split_at(count);
    let variables: Vec<Variable> = first.iter().map(|value| Variable::new(value.clone())).collect();
    let what = format!("{name}{inputs:?}");
    let mut tape = GradientTape::new();
    tape.watch(rest);
    let mut outputs = call(&variables, rest);
    let floats = outputs.iter().filter(|y| y.dtype() == DType::F64).enumerate();
    let target = floats.map(|(i, y)| tf::reduce_sum(y, ()) * (i as f64 + 1.0)).reduce(|a, b| a + b);
    let scale = magnitude(answer.inputs.iter().chain(&answer.outputs));
    if let Some(target) = target {
        let sources: Vec<&dyn tf::Differentiable> =
            variables.iter().map(|v| v as &dyn tf::Differentiable).chain(rest.iter().map(|x| x as _)).collect();
        let handles: Vec<Tensor> = sources.iter().map(|s| s.handle().clone()).collect();
        let gradients = tape.gradient(&target, &handles);
        for (i, want) in answer.gradients.iter().enumerate().filter(|(i, _)| inputs[*i].dtype() == DType::F64) {
            match (gradients.get(i), want) {
                (Some(got), Some(want)) => {
                    check(&mut complaints, &format!("gradient {i} of {what}"), &Array::of(&got), want, scale);
                }
                (None, None) => {}
                // Operation by operation only what ran is connected, as in TensorFlow's own eager mode.
                (None, Some(want)) if eager && want.to_f64().iter().all(|dx| *dx == 0.0) => {}
                (got, want) => complaints.push(format!("gradient {i} of {what}: {got:?}, expected {want:?}")),
            }
        }
    }
    outputs.extend(variables.iter().map(Variable::value));
    if outputs.len() != answer.outputs.len() {
        complaints.push(format!("{what}: {} results, expected {}", outputs.len(), answer.outputs.len()));
    }
    for (i, (got, want)) in outputs.iter().zip(&answer.outputs).enumerate() {
        check(&mut complaints, &format!("result {i} of {what}"), &Array::of(got), want, scale);
    }
    complaints
}

#[test]
fn twins_give_what_tensorflow_gives() {
    let twins = twins();
    assert!(twins.len() >= 60, "{} twins", twins.len());
    let mut complaints = Vec::new();
    for twin in twins {
        let answers = answers(twin.0);
        assert!(!answers.is_empty(), "{} is not in functions.json", twin.0);
        for answer in answers {
            let graph = std::panic::catch_unwind(|| compare(twin, &answer, false));
            let eager = || tf::config::with_eager_functions(|| compare(twin, &answer, true));
            let recorded = || tf::__testing::as_recorded(|| compare(twin, &answer, false));
            for outcome in [graph, std::panic::catch_unwind(eager), std::panic::catch_unwind(recorded)] {
                complaints.extend(outcome.unwrap_or_else(|_| vec![format!("{} panics", twin.0)]));
            }
        }
    }
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn every_function_has_a_twin() {
    let twins = twins();
    for record in records("functions.json") {
        let name = record["function"].as_str().expect("a name");
        assert!(twins.iter().any(|twin| twin.0 == name), "`{name}` has no twin in Rust");
    }
}
