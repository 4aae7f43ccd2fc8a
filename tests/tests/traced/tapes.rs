//! Tapes around, inside and across traced functions; gradients of the user's own; training steps.

use eagerflow as tf;
use tf::layers::Dense;
use tf::optim::{Adam, Optimizer, SGD};
use tf::{GradientTape, Module, Tensor, Variable, custom_gradient, tf_function};

/// A gradient inside the function, as its result.
#[tf_function]
fn slope(x: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let y = if x > 1.0 { x.square() * x } else { x.sin() };
    tape.gradient(&y, x)
}

/// The gradient of a loop, inside the function.
#[tf_function]
fn slope_of_a_loop(x: &Tensor, n: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let mut y = x.clone();
    for _ in tf::range(0, n, 1) {
        y = y.sin() + x;
    }
    tape.gradient(&y, x)
}

/// A gradient in each round of a loop: descent to the minimum.
#[tf_function]
fn descent(x: &Tensor, rounds: &Tensor) -> Tensor {
    let mut x = x.clone();
    for _ in tf::range(0, rounds, 1) {
        let mut tape = GradientTape::new();
        tape.watch(&x);
        let y = (&x - 2.0).square() + x.cos();
        let dx = tape.gradient(&y, &x);
        x = x - dx * 0.125;
    }
    x
}

/// A tape in a branch.
#[tf_function]
fn tape_in_a_branch(x: &Tensor) -> Tensor {
    if x > 0.0 {
        let mut tape = GradientTape::new();
        tape.watch(x);
        let y = x.exp() * x;
        tape.gradient(&y, x)
    } else {
        x * 2.0
    }
}

/// A tape in a tape.
#[tf_function]
fn curvature(x: &Tensor) -> Tensor {
    let mut outer = GradientTape::new();
    outer.watch(x);
    let mut inner = GradientTape::new();
    inner.watch(x);
    let y = if x < 0.0 { x.exp() } else { x.square() * x.square() };
    let first = inner.gradient(&y, x);
    outer.gradient(&first, x)
}

/// A persistent tape, asked twice.
#[tf_function]
fn persistent(x: &Tensor, y: &Tensor) -> (Tensor, Tensor) {
    let mut tape = GradientTape::persistent();
    tape.watch([x, y]);
    let product = if x > y { x * y } else { x * x };
    let root = (&product + y).square();
    let a = tape.gradient(&product, x);
    let b = tape.gradient(&root, y);
    (a, b)
}

/// Recording stopped for a part of the function.
#[tf_function]
fn stopped(x: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let a = x.square();
    let b = {
        let _stopped = tape.stop_recording();
        x * 3.0
    };
    let y = a * b;
    tape.gradient(&y, x)
}

/// `stop_gradient` in a loop.
#[tf_function]
fn cut(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    let mut i = tf::constant(0);
    while i < 3 {
        y = &y * x + tf::stop_gradient(&y) * 0.5;
        i = i + 1;
    }
    y
}

#[custom_gradient]
fn clipped(x: &Tensor, limit: f32) -> Tensor {
    (x * 1.0, move |dy: &Tensor| tf::clip_by_value(dy, -limit, limit))
}

/// A gradient of the user's own, in a branch in a loop.
#[tf_function]
fn own_gradient(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    let mut i = tf::constant(0);
    while i < 3 {
        if y > 1.0 {
            y = clipped(&(&y * &y), 1.5);
        } else {
            y = y + 0.75;
        }
        i = i + 1;
    }
    y
}

#[tf_function]
fn inner(w: &Variable, x: &Tensor) -> Tensor {
    let mut y = x * w;
    while y < 5.0 {
        y = y * w;
    }
    y
}

/// A tape inside, over a call of another traced function.
#[tf_function]
fn across(w: &Variable, x: &Tensor) -> (Tensor, Tensor) {
    let tape = GradientTape::new();
    let y = inner(w, x);
    let dw = tape.gradient(&y, w);
    (y, dw)
}

/// A training step by hand.
#[tf_function]
fn step(w: &Variable, b: &Variable, x: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let y = x * w + b;
    let loss = if y > 3.0 { (&y - 3.0).square() } else { (3.0 - &y) * 2.0 };
    let (dw, db) = tape.gradient(&loss, (w, b));
    w.assign_sub(dw * 0.1);
    b.assign_sub(db * 0.1);
    loss
}

#[derive(Module)]
struct Training<O> {
    net: Dense,
    optimizer: O,
}

fn training<O>(optimizer: O) -> Training<O> {
    let net = Dense::new(2).activation("tanh").kernel_initializer(tf::initializers::Ones);
    Training { net, optimizer }
}

/// A training step with a layer, a loss and an optimizer.
#[tf_function]
fn train<O: Module + Optimizer>(training: &Training<O>, x: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let y = training.net.call(x);
    let mut loss = tf::reduce_mean((y - 0.25).square(), ());
    if loss > 0.125 {
        loss = loss * 0.5;
    }
    let variables = training.net.trainable_variables();
    let gradients = tape.gradient(&loss, &variables);
    training.optimizer.apply_gradients(&gradients, &variables);
    loss
}

/// Several steps in a loop of the graph.
#[tf_function]
fn steps(w: &Variable, x: &Tensor, n: &Tensor) -> Tensor {
    let mut last = tf::constant(0.0);
    for _ in tf::range(0, n, 1) {
        let tape = GradientTape::new();
        let loss = (x * w - 1.0).square();
        let dw = tape.gradient(&loss, w);
        w.assign_sub(dw * 0.0625);
        last = loss;
    }
    last
}

#[test]
fn tapes_inside() {
    eager_vs_graph!(slope(x); x in [0.5, 4.0]);
    eager_vs_graph!(slope_of_a_loop(x, n); (x, n) in [(0.5, 3), (2.0, 0)]);
    eager_vs_graph!(descent(x, n); (x, n) in [(0.5, 3), (2.0, 0)]);
    eager_vs_graph!(tape_in_a_branch(x); x in [0.5, -4.0]);
    eager_vs_graph!(curvature(x); x in [0.5, -4.0]);
    eager_vs_graph!(persistent(x, y); (x, y) in [(2.0, 1.0), (1.0, 2.0)]);
    eager_vs_graph!(stopped(x); x in [0.5, -4.0]);
    eager_vs_graph!(across(w, x); w = Variable::new(1.5); x in [0.5, 4.0]);
}

#[test]
fn own_rules() {
    eager_vs_graph!(cut(x); x in [0.5, -2.0]);
    eager_vs_graph!(own_gradient(x); x in [0.5, 2.0]);
}

#[test]
fn training_steps() {
    eager_vs_graph!(step(w, b, x); w = Variable::new(1.5), b = Variable::new(0.0); x in [0.5, 4.0, 2.0]);
    eager_vs_graph!(steps(w, x, n); w = Variable::new(1.5); (x, n) in [(0.5, 3), (2.0, 0), (1.5, 2)]);
    eager_vs_graph!({ train(t, x) }; t = training(SGD::new(0.1)); x in [[[0.5, 1.0]], [[-1.0, 0.25]]]);
    eager_vs_graph!({ train(t, x) }; t = training(SGD::new(0.1).momentum(0.9)); x in [[[0.5, 1.0]], [[-1.0, 0.25]]]);
    eager_vs_graph!({ train(t, x) }; t = training(Adam::new(0.1)); x in [[[0.5, 1.0]], [[-1.0, 0.25]]]);
}
