//! What does not fit, told when the graph runs or while it is recorded: the operation, the sizes as numbers, the user's line;
//! structures in the user's words.

use eagerflow as tf;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tf::data::Dataset;
use tf::optim::{Optimizer, SGD};
use tf::{GradientTape, Nest, Tensor, Variable, tf_function};

/// The message of a call that fails.
fn message(call: impl FnOnce() -> Tensor) -> String {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => panic!("no error, but {result:?}"),
        Err(panic) => panic.downcast_ref::<String>().cloned().unwrap_or_default(),
    }
}

/// Where the text of this file has `text` first, as messages name it.
fn place(text: &str) -> String {
    let file = include_str!("misfits.rs");
    let (line, found) = file.lines().enumerate().find(|(_, line)| line.contains(text)).unwrap();
    format!("{}:{}:{}", file!(), line + 1, found.find(text).unwrap() + 1)
}

/// The message as a graph, which must be the one of eager execution, but for the names of what did not fit.
fn same_message(call: &dyn Fn() -> Tensor) -> String {
    let (graph, eager) = (message(call), tf::config::with_eager_functions(|| message(call)));
    let unnamed: Vec<&str> = graph.lines().filter(|line| !line.starts_with("  variable: ")).collect();
    assert_eq!(unnamed, eager.lines().collect::<Vec<_>>());
    graph
}

/// The names in a message.
fn names(text: &str) -> &str {
    text.lines().find_map(|line| line.strip_prefix("  variable: ")).unwrap_or("")
}

#[tf_function]
fn growing(x: &Tensor, w: &Tensor, n: &Tensor) -> Tensor {
    let mut y = x.clone();
    for _ in tf::range(0, n, 1) {
        y = tf::matmul(&y, w);
        y = tf::concat(&[&y, &y], 1);
    }
    y
}

#[tf_function]
fn masked(x: &Tensor, w: &Tensor, n: &Tensor) -> Tensor {
    let mut sum = tf::zeros([2]);
    let mut i = tf::constant(0);
    while i < n {
        let y = tf::boolean_mask(x, x > i.cast(tf::DType::F32), 0);
        sum = sum + tf::tanh(&y) * w;
        i = i + 1;
    }
    sum
}

#[tf_function]
fn argument(x: &Tensor, w: &Tensor) -> Tensor {
    tf::matmul(x, w) * 2.0
}

#[test]
fn sizes() {
    let n = |n: i32| tf::constant(n);
    let (x, w) = (tf::ones([2, 3]), tf::ones([3, 2]));
    assert_eq!(growing(&x, &w, &n(1)).shape().dims(), [2, 4]);
    let text = same_message(&|| growing(&x, &w, &n(3)));
    assert!(text.contains("matmul: the inner dimensions differ") && text.contains("[2, 4] times [3, 2]"), "{text}");
    assert!(text.contains(&place("tf::matmul(&y, w)")), "{text}");
    assert_eq!(names(&text), "y, w");
    let (x, w) = (tf::constant([1.0, 3.0, 2.0]), tf::ones([2]));
    masked(&tf::constant([1.0, -3.0, 2.0]), &w, &n(1));
    let text = same_message(&|| masked(&x, &w, &n(2)));
    assert!(text.contains("multiply: shapes [3] and [2] do not broadcast"), "{text}");
    assert!(text.contains(&place("tf::tanh(&y) * w")), "{text}");
    // As many rounds as there are none: nothing is wrong.
    assert_eq!(masked(&x, &tf::ones([5]), &n(0)).to_vec::<f32>(), [0.0, 0.0]);
    let text = message(|| masked(&x, &tf::ones([5]), &n(1)));
    assert!(text.contains(&place("sum + tf::tanh")) && !text.contains("must be equal"), "{text}");
    argument(&tf::ones([2, 2]), &tf::ones([2, 2]));
    let text = same_message(&|| argument(&tf::ones([3, 4]), &tf::ones([2, 2])));
    assert!(text.contains("[3, 4] times [2, 2]: 4 and 2") && text.contains(&place("tf::matmul(x, w)")), "{text}");
    assert_eq!(names(&text), "x, w");
}

/// A step of the user's own.
fn step_of(h: &Tensor, w: &Tensor) -> Tensor {
    tf::matmul(h, w)
}

#[tf_function]
fn by_name(state: (Tensor, Tensor), tail: &Tensor, n: &Tensor) -> Tensor {
    let (mut h, w) = state;
    for _ in tf::range(0, n, 1) {
        h = step_of(&h, &w);
        h = tf::concat(&[&h, &h], 1);
    }
    step_of(&h, &(tail * 2.0)) + tf::concat(&[&h, tail], 0).sum()
}

/// Names of parts of arguments, and of what a loop leaves; none where a line stands for several things.
#[test]
fn names_of_operands() {
    let call =
        |tail: [usize; 2], n: i32| by_name((tf::ones([2, 3]), tf::ones([3, 2])), &tf::ones(tail), &tf::constant(n));
    assert_eq!(call([4, 4], 1).shape().dims(), [2, 4]);
    let text = same_message(&|| call([4, 4], 0));
    assert!(text.contains("[2, 3] times [4, 4]") && names(&text).is_empty(), "{text}");
    let text = same_message(&|| call([4, 5], 1));
    assert!(text.contains("concat") && names(&text) == "h, tail", "{text}");
}

#[tf_function]
fn branch_not_taken(x: &Tensor, w: &Tensor, n: &Tensor) -> Tensor {
    if n > 0 { tf::reduce_sum(x + w, ()) } else { tf::reduce_sum(x, ()) }
}

/// A branch that is not taken may have sizes that do not fit, if only a call tells them.
#[test]
fn branches() {
    let call = |a: usize, n: i32| branch_not_taken(&tf::ones([a]), &tf::ones([3]), &tf::constant(n));
    assert_eq!(call(3, 1).item::<f32>(), 6.0);
    assert_eq!(call(2, 0).item::<f32>(), 2.0);
    assert_eq!(call(4, 0).item::<f32>(), 4.0);
    let text = message(|| call(4, 1));
    assert!(text.contains("add: shapes [4] and [3] do not broadcast"), "{text}");
    assert!(text.contains(&place("x + w, ()")) && names(&text) == "x, w", "{text}");
}

#[tf_function]
fn perhaps(x: &Tensor) -> Option<Tensor> {
    if x > 0.0 {
        return Some(x.clone());
    }
    None // the end
}

#[tf_function]
fn found(x: &Tensor) -> (Tensor, Option<Tensor>) {
    let mut i = tf::constant(0.0);
    while &i < x {
        if &i > 2.0 {
            return (i.clone(), None);
        }
        i = i + 1.0;
    }
    return (x.clone(), Some(i));
}

#[tf_function]
fn chosen(x: &Tensor) -> Tensor {
    let last = if x > 0.0 { Some(x.clone()) } else { None };
    last.unwrap_or_else(|| x.clone())
}

#[tf_function]
fn later(x: &Tensor) -> Tensor {
    let last;
    if x > 0.25 {
        last = Some(x.clone());
    } else {
        last = None;
    }
    last.unwrap_or_else(|| x.clone())
}

#[derive(Nest)]
enum Shape {
    Point(Tensor),
    Line(Tensor, Tensor),
}

#[tf_function]
fn changing(x: &Tensor) -> Tensor {
    let mut shape = Shape::Point(x.clone());
    while x > 100.0 {
        shape = Shape::Line(x.clone(), x.clone());
    }
    match shape {
        Shape::Point(x) => x,
        Shape::Line(x, y) => x + y,
    }
}

/// What differs, in which of two ways, at which line.
#[test]
fn structures() {
    let x = tf::constant(1.0);
    let is = |text: String, what: &str, at: &str| {
        assert!(text.contains(what) && text.contains(&format!("at: {}", place(at))), "{text}");
    };
    let first = format!("the result is `Some(..)` where {} returns, and `None` here", place("return Some(x.clone())"));
    is(message(|| perhaps(&x).unwrap()), &first, "None // the end");
    let first =
        format!("`.1` of the result is `None` where {} returns, and `Some(..)` here", place("return (i.clone()"));
    is(message(|| found(&x).0), &first, "return (x.clone(), Some(i))");
    is(message(|| chosen(&x)), "the value of this `if` is `Some(..)` after the first branch", "x > 0.0 { Some(");
    is(message(|| later(&x)), "`last` is `Some(..)` after the first branch of this `if`, and `None`", "x > 0.25");
    is(message(|| changing(&x)), "`shape` is `Shape::Point` before this loop, and `Shape::Line`", "x > 100.0");
}

#[tf_function]
fn element(x: &Tensor, i: &Tensor) -> Tensor {
    let mut sum = tf::constant(0.0);
    for k in tf::range(0, i, 1) {
        sum = sum + x.at(&k);
    }
    sum
}

#[tf_function]
fn from_the_end(x: &Tensor, i: &Tensor) -> Tensor {
    x.at(i) * 2.0
}

#[test]
fn indices() {
    let x = tf::constant([1.0, 2.0]);
    assert_eq!(element(&x, &tf::constant(2)).item::<f32>(), 3.0);
    let text = same_message(&|| element(&x, &tf::constant(4)));
    assert!(text.contains("the index is 2, outside the tensor") && text.contains("expected: 0..2"), "{text}");
    let text = same_message(&|| from_the_end(&x, &tf::constant(-1)));
    assert!(text.contains("the index is -1") && text.contains("counts from the start"), "{text}");
}

#[tf_function]
fn over(data: Dataset<Tensor>) -> Tensor {
    let mut sum = tf::constant(0.0);
    for x in data {
        sum = sum * 2.0 + x;
    }
    sum
}

/// A dataset by value.
#[test]
fn datasets() {
    let data = || Dataset::from_tensor_slices(tf::constant([1.0, 2.0, 3.0]));
    assert_eq!(over(data()).item::<f32>(), 11.0);
    assert_eq!(tf::config::with_eager_functions(|| over(data())).item::<f32>(), 11.0);
    assert!(tf::function(over).graph().unwrap().contains("while"));
    assert_eq!(data().into_iter().count(), 3);
}

#[tf_function]
fn step(w: &[Variable], x: &Tensor, optimizer: &SGD) -> Tensor {
    let tape = GradientTape::new();
    let loss = tf::reduce_sum((x * &w[0]).square(), ());
    let gradients = tape.gradient(&loss, w);
    let (clipped, norm) = tf::clip_by_global_norm(&gradients, 1.0);
    optimizer.apply_gradients(&clipped, w);
    for gradient in gradients {
        if let Some(gradient) = gradient {
            assert!(tf::reduce_all(gradient.is_finite(), ()));
        }
    }
    norm
}

/// What a tape gives is clipped as it is, with what is missing.
#[test]
fn gradients() {
    let run = || {
        let w = [Variable::new(2.0), Variable::new(7.0)];
        let optimizer = SGD::new(0.5);
        let norms = [1.0, 2.0].map(|x| step(&w, &tf::constant(x), &optimizer).item::<f32>());
        (norms, w.map(|w| w.value().item::<f32>()))
    };
    assert_eq!(run(), ([4.0, 12.0], [1.0, 7.0]));
    assert_eq!(tf::config::with_eager_functions(run), run());
}
