//! What a trace refuses, in the words of the user's program: conditions of several values, recursion without end, host values that
//! hold tensors, variables of one call.

use eagerflow as tf;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use tf::{DType, Nest, Tensor, Variable, tf_function};

/// The message of a call that fails.
fn message(call: &dyn Fn() -> Tensor) -> String {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => panic!("no error, but {result:?}"),
        Err(panic) => panic.downcast_ref::<String>().cloned().unwrap_or_default(),
    }
}

/// Every text is in the message, and its line is that on which `at` first stands.
#[track_caller]
fn says(text: &str, texts: &[&str], at: &str) {
    for part in texts {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
    let (line, found) = include_str!("refusals.rs").lines().enumerate().find(|(_, line)| line.contains(at)).unwrap();
    let place = format!("at: {}:{}:{}", file!(), line + 1, found.find(at).unwrap() + 1);
    assert!(text.contains(&place), "`{place}` is not in\n{text}");
}

#[tf_function]
fn several_rounds(v: &Tensor) -> Tensor {
    let mut y = v.clone();
    while &y > 0.0 {
        y = y - 1.0;
    }
    y
}

#[tf_function]
fn several_ways(v: &Tensor) -> Tensor {
    if tf::less(v, 0.0) { v * 2.0 } else { -v }
}

#[tf_function]
fn number(x: &Tensor) -> Tensor {
    let n = x.cast(DType::I32);
    let mut y = x.clone();
    while &n {
        y = y + 1.0;
    }
    y
}

#[tf_function]
fn one_of_one(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    while y < 3.0 {
        y = y + 1.0;
    }
    if y > 3.5 { y * 2.0 } else { y }
}

/// A condition is one truth value, as it is without tracing.
#[test]
fn conditions() {
    let v = tf::constant([1.0, -2.0]);
    let same = |call: &dyn Fn() -> Tensor, at: &str, got: &str| {
        let text = message(call);
        assert_eq!(tf::config::with_eager_functions(|| message(call)), text);
        says(&text, &["a condition is one truth value", got, "reduce_all"], at);
    };
    same(&|| several_rounds(&v), "&y > 0.0 {", "bool[2]");
    same(&|| several_ways(&v), "tf::less(v, 0.0) {", "bool[2]");
    same(&|| number(&v.at(0)), "&n {", "int32[]");
    eager_vs_graph!(one_of_one(x); x in [[0.5], [5.0], [2.75]]);
}

#[tf_function]
fn halved(x: &Tensor) -> Tensor {
    if x > 1.0 { halved(&(x / 2.0)) } else { x.clone() }
}

#[tf_function]
fn even(x: &Tensor) -> Tensor {
    if x > 0.0 { odd(&(x - 1.0)) } else { tf::constant(1.0) }
}

#[tf_function]
fn odd(x: &Tensor) -> Tensor {
    if x > 0.0 { even(&(x - 1.0)) } else { tf::constant(0.0) }
}

#[tf_function]
fn counted(x: &Tensor, depth: usize) -> Tensor {
    if depth == 0 {
        return x.clone();
    }
    let x = if x > 100.0 { x * 0.5 } else { x + 1.0 };
    counted(&x, depth - 1)
}

/// Both ways of a branch are recorded, so that a recursion which only a tensor ends has no end.
#[test]
fn recursion() {
    let x = tf::constant(5.0);
    says(&message(&|| halved(&x)), &["`halved` calls itself without end", "write a loop"], "halved(x: &Tensor)");
    let text = message(&|| even(&x));
    assert!(text.contains("calls itself without end"), "{text}");
    assert_eq!(tf::config::with_eager_functions(|| halved(&x)).item::<f32>(), 0.625);
    eager_vs_graph!({ counted(x, 12) }; x in [1.0, 99.0]);
}

#[tf_function]
fn queue(x: &Tensor) -> Tensor {
    let mut all = VecDeque::from([x.clone(), x * 2.0]);
    for _ in tf::range(0, 3, 1) {
        all.rotate_left(1);
    }
    all[0].clone()
}

#[derive(Clone, PartialEq)]
struct Plain {
    t: Tensor,
}

#[tf_function]
fn plain(x: &Tensor) -> Tensor {
    let mut p = Plain { t: x.clone() };
    if x > 1.125 {
        p = Plain { t: x * 3.0 };
    }
    p.t * 2.0
}

/// It stays as it is, so there is nothing to refuse.
#[tf_function]
fn plain_beside(x: &Tensor) -> Tensor {
    let mut p = Plain { t: x.clone() };
    let mut y = x.clone();
    while y < 10.0 {
        y = y * 2.0 + &p.t;
        let other = &mut p;
        *other = other.clone();
    }
    y
}

#[derive(Clone, Nest)]
struct Counter {
    t: Tensor,
    rounds: usize,
}

#[tf_function]
fn rounds(x: &Tensor) -> Tensor {
    let mut c = Counter { t: x.clone(), rounds: 0 };
    while &c.t < 10.0 {
        c = Counter { t: c.t * 2.0, rounds: c.rounds + 1 };
    }
    c.t + c.rounds as f32
}

#[tf_function]
fn factor(x: &Tensor) -> Tensor {
    let by = if x > 1.0 { 2 } else { 3 };
    x * by as f32
}

#[derive(Clone, Copy, PartialEq, Nest)]
enum Turn {
    Up,
    Down,
}

#[tf_function]
fn turns(x: &Tensor) -> Tensor {
    let mut turn = Turn::Up;
    let mut y = x.clone();
    while y < 10.5 {
        y = if turn == Turn::Up { y + 3.0 } else { y - 1.0 };
        turn = Turn::Down;
    }
    y
}

#[test]
fn host_values() {
    let x = tf::constant(2.0);
    says(
        &message(&|| queue(&x)),
        &["the host value `all` is not the same", "the tensors of a `Vec`"],
        "tf::range(0, 3, 1)",
    );
    says(&message(&|| plain(&x)), &["the host value `p` is not the same", "derive `Nest`"], "x > 1.125 {");
    eager_vs_graph!(plain_beside(x); x in [1.0, 20.0]);
    says(&message(&|| rounds(&x)), &["the host value `c.rounds`", "make `c.rounds` a tensor"], "&c.t < 10.0");
    says(&message(&|| factor(&x)), &["the value of this `if`, a host value, is not the same"], "x > 1.0 { 2 }");
    says(&message(&|| turns(&x)), &["`turn` is `Turn::Up` before this loop", "tf::constant(0)"], "y < 10.5 {");
}

fn by_reference(x: &Tensor) -> bool {
    x > tf::constant(0.0)
}

#[tf_function]
fn with_a_helper(x: &Tensor) -> Tensor {
    if by_reference(x) { x * 2.0 } else { -x }
}

/// A line of Rust's own library is no place to look at.
#[test]
fn helpers() {
    let text = message(&|| with_a_helper(&tf::constant(1.0)));
    assert!(text.contains("`#[tf_function]` too") && !text.contains("/rustc/"), "{text}");
}

#[tf_function]
fn counts_anew(x: &Tensor) -> Tensor {
    let total = Variable::new(0.0);
    for _ in tf::range(0, 4, 1) {
        total.assign_add(x);
    }
    total.value()
}

#[tf_function]
fn through_another(x: &Tensor) -> Tensor {
    counts_anew(&(x * 2.0)) + 1.0
}

/// Nobody changes it, so each call could as well make it.
#[tf_function]
fn reads_anew(x: &Tensor) -> Tensor {
    let two = Variable::new(2.0);
    x * &two
}

#[tf_function]
fn counts_on(x: &Tensor) -> Tensor {
    static TOTAL: OnceLock<Variable> = OnceLock::new();
    let total = TOTAL.get_or_init(|| Variable::new(0.0));
    total.assign_add(x);
    total.value()
}

/// A graph is made once, so a variable that each call makes anew would go on from call to call.
#[test]
fn variables_of_one_call() {
    let x = tf::constant(1.5);
    let text = message(&|| counts_anew(&x));
    says(&text, &["a variable that it makes itself and does not keep", "make it outside"], "tf::range(0, 4, 1)");
    message(&|| through_another(&x));
    eager_vs_graph!(reads_anew(x); x in [1.0, 20.0]);
    let totals: Vec<f32> = (0..3).map(|_| counts_on(&x).item()).collect();
    assert_eq!(totals, [1.5, 3.0, 4.5]);
}
