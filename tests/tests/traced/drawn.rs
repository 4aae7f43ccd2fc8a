//! Random numbers that `init_scope` draws while a function is traced are the same in every call, of which a warning tells once; and
//! variables made of values that only the graph knows.

use eagerflow as tf;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use tf::layers::Dense;
use tf::{LazyVariable, Module, Tensor, Variable, tf_function};

/// What a call prints, and what it gives.
fn printed(call: impl FnOnce() -> Tensor) -> (Vec<f32>, String) {
    let (y, text) = tf::__testing::captured(call);
    (y.to_vec(), text)
}

#[tf_function]
fn noise(x: &Tensor) -> Tensor {
    let noise = tf::init_scope(|| tf::random::uniform([3], 0.0, 1.0));
    x + noise
}

#[test]
fn a_tensor_is_told_of_once() {
    let line = line!() - 6;
    let x = tf::zeros([3]);
    let (first, text) = printed(|| noise(&x));
    assert_eq!(text.matches("warning").count(), 1, "{text}");
    assert!(text.contains(&format!("drawn.rs:{line}")) && text.contains("`init_scope` drew them once"), "{text}");
    let (second, text) = printed(|| noise(&x));
    assert_eq!((first, text.as_str()), (second, ""));
    // Another trace draws again, and says nothing more.
    let (_, text) = printed(|| noise(&tf::zeros([1])));
    assert_eq!(text, "");
}

#[tf_function]
fn scaled_noise(x: &Tensor) -> Tensor {
    x * tf::init_scope(|| {
        let noise = tf::random::Generator::from_seed(1).normal([2], 0.0, 1.0);
        noise * 0.5 + 1.0
    })
}

#[test]
fn what_is_computed_of_it_is_told_of_too() {
    let (_, text) = printed(|| scaled_noise(&tf::ones([2])));
    assert!(text.contains("are the same in every call") && text.contains("drawn.rs:"), "{text}");
}

#[tf_function]
fn by_a_variable(x: &Tensor) -> Tensor {
    let start = tf::init_scope(|| Variable::new(tf::random::normal([2], 0.0, 1.0)));
    x * &start
}

#[test]
fn a_variable_that_nobody_keeps_is_told_of() {
    let x = tf::ones([2]);
    let (first, text) = printed(|| by_a_variable(&x));
    assert!(text.contains("are the same in every call") && text.contains("drawn.rs:"), "{text}");
    assert_eq!(printed(|| by_a_variable(&x)), (first, String::new()));
}

struct Kept {
    start: OnceLock<Variable>,
}

impl Module for Kept {
    fn visit(&self, _: &mut tf::Fields<'_>) {}
}

#[derive(Module)]
struct Net {
    dense: Dense,
    own: LazyVariable,
    #[module(skip)]
    kept: Kept,
}

#[tf_function]
fn by_kept_ones(net: &Net, x: &Tensor) -> Tensor {
    let own = net.own.get_or_build(|| Ok(Variable::new(tf::random::normal([2], 0.0, 1.0)))).unwrap();
    let kept = net.kept.start.get_or_init(|| tf::init_scope(|| Variable::new(tf::random::normal([2], 0.0, 1.0))));
    net.dense.call(x) * own + kept
}

#[tf_function]
fn drawn_in_the_graph(x: &Tensor) -> Tensor {
    let scale = tf::init_scope(|| tf::constant(2.0) * 3.0);
    x * scale + tf::random::uniform([2], 0.0, 1.0)
}

#[test]
fn what_lasts_and_what_is_drawn_in_each_call_is_not_told_of() {
    let net = Net { dense: Dense::new(2), own: LazyVariable::new(), kept: Kept { start: OnceLock::new() } };
    let (_, text) = printed(|| by_kept_ones(&net, &tf::ones([1, 2])));
    assert_eq!(text, "");
    let (first, text) = printed(|| drawn_in_the_graph(&tf::ones([2])));
    assert_eq!(text, "");
    assert_ne!(printed(|| drawn_in_the_graph(&tf::ones([2]))).0, first);
}

#[tf_function]
fn of_an_argument(x: &Tensor) -> Tensor {
    let v = Variable::new(x * 2.0);
    v.assign_add(&tf::constant(1.0));
    v.value()
}

#[test]
fn a_variable_of_an_argument_says_what_to_write() {
    let line = line!() - 7;
    let failed = catch_unwind(AssertUnwindSafe(|| of_an_argument(&tf::constant(1.0f32)))).unwrap_err();
    let text = failed.downcast_ref::<String>().expect("a text");
    for part in ["a variable is made of a value that is known only when the graph runs", "float32[]", "v.assign(&x)"] {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
    assert!(text.contains(&format!("at: tests/tests/traced/drawn.rs:{line}:")), "{text}");
}
