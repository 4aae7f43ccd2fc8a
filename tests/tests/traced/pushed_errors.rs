//! What a list of the graph does not tell while it is recorded, and what the message says to write instead.

use eagerflow as tf;
use tf::{DType, Tensor, tf_function};

/// The length as a number of Rust.
#[tf_function]
fn length(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = Vec::new();
    for _ in tf::range(0, n, 1) {
        all.push(x * 2.0);
    }
    x * all.len() as f32
}

/// One item, by a number of Rust.
#[tf_function]
fn indexed(x: &Tensor, n: &Tensor) -> Tensor {
    let mut states = vec![x.clone()];
    for _ in tf::range(0, n, 1) {
        states.push(x * 2.0);
    }
    &states[0] + 1.0
}

/// `for` over the items.
#[tf_function]
fn iterated(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = vec![x.clone()];
    for _ in tf::range(0, n, 1) {
        all.push(x * 2.0);
    }
    let mut sum = tf::constant(0.0);
    for item in &all {
        sum = sum + item;
    }
    sum
}

/// Handed out as the `Vec` that it was.
#[tf_function]
fn returned(x: &Tensor, n: &Tensor) -> Vec<Tensor> {
    let mut all = vec![x.clone()];
    for _ in tf::range(0, n, 1) {
        all.push(x * 2.0);
    }
    all
}

fn largest(all: &[Tensor]) -> Tensor {
    all.iter().fold(tf::constant(0.0), |a, b| tf::maximum(&a, b))
}

/// Handed to a function of Rust.
#[tf_function]
fn handed_on(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = vec![x.clone()];
    for _ in tf::range(0, n, 1) {
        all.push(x * 2.0);
    }
    largest(&all)
}

/// Items that do not go together.
#[tf_function]
fn mixed(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = vec![x.clone()];
    for i in tf::range(0, n, 1) {
        all.push(i);
    }
    tf::stack(&all, 0)
}

/// A list in a structure.
#[tf_function]
fn in_a_structure(x: &Tensor, n: &Tensor) -> Tensor {
    let mut state = (vec![x.clone()], x.clone());
    for _ in tf::range(0, n, 1) {
        state.0.push(&state.1 * 2.0);
    }
    tf::stack(&state.0, 0)
}

/// Items that are no tensors.
#[tf_function]
fn numbers(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = vec![1.0];
    for _ in tf::range(0, n, 1) {
        all.push(2.0);
    }
    x * all[0]
}

/// A stack before anything was pushed.
#[tf_function]
fn too_early(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = Vec::new();
    for _ in tf::range(0, n, 1) {
        let sum = tf::reduce_sum(tf::stack(&all, 0), ());
        all.push(x + sum);
    }
    tf::stack(&all, 0)
}

/// The message of the panic.
fn message<R>(call: impl FnOnce(&Tensor, &Tensor) -> R) -> String {
    let (x, n) = (tf::constant(1.5), tf::constant(2));
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(call(&x, &n))));
    *caught.unwrap_err().downcast::<String>().unwrap()
}

#[track_caller]
fn says(message: &str, line: u32, words: &[&str]) {
    let place = format!("pushed_errors.rs:{line}");
    for word in words.iter().copied().chain([place.as_str()]) {
        assert!(message.contains(word), "`{word}` is not in\n{message}");
    }
}

#[test]
fn lengths_and_items() {
    says(&message(length), 13, &["`all`", "its length", "tf::shape(&tf::stack(&all, 0)).at(0)"]);
    says(&message(indexed), 23, &["`states`", "tf::stack(&states, 0)", "TensorArray"]);
    says(&message(iterated), 34, &["`all`", "for row in tf::stack(&all, 0)"]);
    says(&message(returned), 47, &["`all`", "the `Vec` itself", "tf::stack(&all, 0)"]);
    says(&message(handed_on), 61, &["`all`", "tf::stack(&all, 0)"]);
}

#[test]
fn items() {
    says(&message(mixed), 69, &["variable: all", "another type", "int32", "float32"]);
    says(&message(in_a_structure), 78, &["`state.0`", "variable of its own", "TensorArray"]);
    says(&message(numbers), 88, &["`all`", "Vec<f64>"]);
    says(&message(too_early), 99, &["variable: all", "nothing was pushed"]);
}

/// Outside of the graph all of it works.
#[test]
fn eagerly() {
    tf::config::with_eager_functions(|| {
        let (x, n) = (tf::constant(1.5), tf::constant(2));
        assert_eq!(length(&x, &n).item::<f32>(), 3.0);
        assert_eq!(indexed(&x, &n).item::<f32>(), 2.5);
        assert_eq!(iterated(&x, &n).item::<f32>(), 7.5);
        assert_eq!(returned(&x, &n).len(), 3);
        assert_eq!(handed_on(&x, &n).item::<f32>(), 3.0);
        assert_eq!(in_a_structure(&x, &n).shape(), [3]);
        assert_eq!(numbers(&x.cast(DType::F32), &n).item::<f32>(), 1.5);
    });
}
