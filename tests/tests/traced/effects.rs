//! Effects happen at each call, in program order, in the branch that is taken and as often as the loop runs.

use eagerflow as tf;
use tf::random::Generator;
use tf::{Tensor, Variable, tf_function};

/// Lines of text and values, in a loop with branches.
#[tf_function]
fn printing(x: &Tensor, name: &str) -> Tensor {
    println!("{name} starts with {x}");
    let mut y = x.clone();
    let mut i = tf::constant(0);
    while i < 3 {
        if y > 2.0 {
            println!("round {i}: {y:.2} is large, {:>6}", &y * 2.0);
            y = y / 4.0;
        } else {
            print!("round {i}: ");
            println!("{y:?}");
            y = y * 3.0;
        }
        i = i + 1;
    }
    println!();
    eprintln!("{{ends}} with {0} and {0:.3}", y);
    y
}

/// `dbg!` gives its value on.
#[tf_function]
fn debugging(x: &Tensor) -> Tensor {
    let y = dbg!(x * 2.0) + 1.0;
    if dbg!(y > 4.0) { dbg!(y.sqrt()) } else { y }
}

/// `tf::print` takes its place among the lines.
#[tf_function]
fn two_kinds_of_printing(x: &Tensor) -> Tensor {
    println!("before");
    tf::print("x is {}", &[x]);
    println!("behind");
    x + 1.0
}

/// Assertions of all forms; none fails.
#[tf_function]
fn asserting(x: &Tensor, n: usize) -> Tensor {
    assert!(n > 1);
    assert!(x > 0.0, "x is not positive");
    assert_eq!(x * 2.0, x + x);
    assert_ne!(x, -1.0, "x is {}", x);
    debug_assert!(x < 1000.0);
    tf::debugging::assert_positive(x, "all of x");
    x.sqrt()
}

/// Each round of a loop checks.
#[tf_function]
fn assert_in_a_loop(x: &Tensor) -> Tensor {
    let mut x = x.clone();
    for i in tf::range(0, 5, 1) {
        println!("round {i}");
        assert!(x < 20.0, "too large in round");
        x = x * 1.5;
    }
    x
}

/// An assertion in the branch that is not taken does not fail.
#[tf_function]
fn assert_in_a_branch(x: &Tensor) -> Tensor {
    if x > 0.0 {
        assert!(x > 1.0, "small");
        return x.log();
    }
    assert!(x < -1.0, "near zero");
    -x
}

/// `panic!` in a branch of the graph.
#[tf_function]
fn panicking(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    if x > 10.0 {
        println!("about to panic");
        panic!("x is far too large");
    }
    y = y + 1.0;
    println!("y is {y}");
    y
}

/// Reads and writes of a variable keep their order.
#[tf_function]
fn reads_and_writes(v: &Variable, x: &Tensor) -> Vec<Tensor> {
    let before = v.value();
    v.assign_add(x);
    let between = v.value();
    v.assign(&between * &between);
    let after = v * 1.0;
    v.assign_sub(&tf::constant(0.5));
    vec![before, between, after]
}

/// A variable written in one branch, read behind it.
#[tf_function]
fn written_in_a_branch(v: &Variable, x: &Tensor) -> Tensor {
    let scaled = x * v;
    if &scaled > 2.0 {
        v.assign(x);
    } else {
        v.assign_add(x * 2.0);
    }
    scaled + v.value()
}

/// A variable as the state of a loop: read in the condition, written in the body.
#[tf_function]
fn written_in_a_loop(v: &Variable, x: &Tensor) -> Tensor {
    let mut sum = tf::constant(0.0);
    while v.value() < 10.0 {
        v.assign_add(x);
        if v.value() > 6.0 {
            continue;
        }
        sum = sum + v.value() * x;
    }
    sum
}

/// Two variables that swap.
#[tf_function]
fn swapping(a: &Variable, b: &Variable, x: &Tensor) -> Tensor {
    let old = a.value();
    a.assign(b * x);
    b.assign(old);
    a - b
}

/// The same variable under two names.
#[tf_function]
fn aliased(a: &Variable, b: &Variable, x: &Tensor) -> Tensor {
    a.assign_add(x);
    let y = b.value();
    b.assign(&y * 2.0);
    a * 1.0 + y
}

/// A variable compared, printed and asserted about.
#[tf_function]
fn observed(v: &Variable, x: &Tensor) -> Tensor {
    println!("v is {v}");
    if v > x {
        v.assign_sub(x);
    }
    assert!(v < 100.0);
    println!("v is now {}", v.value());
    x * v
}

/// Prints and writes of nested functions stand where they are called.
#[tf_function]
fn inner(v: &Variable, x: &Tensor) -> Tensor {
    println!("inner {x}");
    v.assign_add(x);
    x * 2.0
}

#[tf_function]
fn outer(v: &Variable, x: &Tensor) -> Tensor {
    println!("outer {}", v.value());
    let mut y = inner(v, x);
    for _ in 0..2 {
        if y < 20.0 {
            y = inner(v, &y);
        }
    }
    println!("outer {}", v.value());
    y * v
}

/// Random numbers from a generator: new ones at each call, the same as in eager mode.
#[tf_function]
fn noisy(generator: &Generator, x: &Tensor) -> Tensor {
    let mut y = x + generator.uniform([2], -1.0, 1.0);
    for _ in tf::range(0, 3, 1) {
        y = y + generator.normal([2], 0.0, 0.5);
    }
    if tf::reduce_sum(&y, ()) > 0.0 {
        y = y * generator.uniform([2], 0.0, 1.0);
    }
    y
}

/// Stateless random numbers from a seed that is a tensor.
#[tf_function]
fn seeded(seed: &Tensor, x: &Tensor) -> Tensor {
    let mut y = x.clone();
    for i in tf::range(0, 3, 1) {
        let seed = tf::random::fold_in(seed, &i);
        y = y + tf::random::stateless_normal([3], &seed, 0.0, 1.0);
    }
    y
}

/// `init_scope` leaves the graph: what is in it happens once.
#[tf_function]
fn lifted(x: &Tensor) -> Tensor {
    let scale = tf::init_scope(|| tf::constant(2.0) * 3.0);
    if x > 1.0 { x * &scale } else { x + &scale }
}

#[test]
fn printed_lines() {
    eager_vs_graph!({ printing(x, "it") }; x in [1.5, 4.0]);
    eager_vs_graph!(debugging(x); x in [1.0, 4.0]);
    eager_vs_graph!(two_kinds_of_printing(x); x in [1.0, 4.0]);
}

#[test]
fn assertions() {
    eager_vs_graph!({ asserting(x, 2) }; x in [4.0, 0.5, -3.0]);
    eager_vs_graph!(assert_in_a_loop(x); x in [1.0, 10.0, 30.0]);
    eager_vs_graph!(assert_in_a_branch(x); x in [2.0, 0.5, -2.0, -0.5]);
    eager_vs_graph!(panicking(x); x in [2.0, 20.0, 3.0]);
}

#[test]
fn variables() {
    eager_vs_graph!(reads_and_writes(v, x); v = Variable::new(1.5); x in [0.5, -1.0]);
    eager_vs_graph!(written_in_a_branch(v, x); v = Variable::new(1.5); x in [0.5, 1.0, 2.0]);
    eager_vs_graph!(written_in_a_loop(v, x); v = Variable::new(0.5); x in [1.5, 1.0]);
    eager_vs_graph!(swapping(a, b, x); a = Variable::new(1.0), b = Variable::new(2.0); x in [1.5, -1.0]);
    eager_vs_graph!({ aliased(v, v, x) }; v = Variable::new(1.0); x in [1.5, -1.0]);
    eager_vs_graph!(observed(v, x); v = Variable::new(5.0); x in [1.5, 2.5]);
    eager_vs_graph!(outer(v, x); v = Variable::new(5.0); x in [1.5, 2.5]);
}

#[test]
fn random_numbers() {
    eager_vs_graph!(noisy(g, x); g = Generator::from_seed(7); x in [[1.0, 2.0], [-3.0, -4.0], [0.0, 0.0]]);
    // Another generator has a stream of its own.
    let x = tf::constant([1.0, 2.0]);
    let by_hand = tf::config::with_eager_functions(|| noisy(&Generator::from_seed(8), &x));
    assert_eq!(noisy(&Generator::from_seed(8), &x).to_vec::<f32>(), by_hand.to_vec::<f32>());
    eager_vs_graph!(seeded(seed, x); (seed, x) in [([1, 2], [1.0, 2.0, 3.0]), ([3, 4], [0.0, 0.0, 0.0])]);
}

#[test]
fn outside_of_the_graph() {
    eager_vs_graph!(lifted(x); x in [0.5, 4.0]);
}
