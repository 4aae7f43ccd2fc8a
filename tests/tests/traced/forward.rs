//! Forward mode in and around traced functions: over branches, loops, calls and lists of the graph, and over tapes and other
//! accumulators: tangents of first and second order are those of the same text operation by operation.

use eagerflow as tf;
use tf::{DType, ForwardAccumulator, GradientTape, Tensor, TensorArray, Variable, custom_gradient, tf_function};

/// A branch, the Hessian by a vector inside of the function.
#[tf_function]
fn hvp_of_a_branch(x: &Tensor, v: &Tensor) -> Tensor {
    let acc = ForwardAccumulator::new(x, v);
    let mut tape = GradientTape::new();
    tape.watch(x);
    let mut y = x.square();
    if y.sum() > 1.0 {
        y = y.square() * x;
    } else {
        y = y.sin();
    }
    let g = tape.gradient(&y, x);
    acc.jvp(&g).unwrap()
}

/// A loop with a jump in a branch, and a captured variable.
#[tf_function]
fn hvp_of_a_loop(w: &Variable, x: &Tensor, v: &Tensor, n: &Tensor) -> Tensor {
    let acc = ForwardAccumulator::new(x, v);
    let mut tape = GradientTape::new();
    tape.watch(x);
    let mut y = x.square();
    for i in tf::range(0, n, 1) {
        y = y.sin() * w.value() + x;
        if y.sum() > 100.0 {
            break;
        }
        let mut j = tf::constant(0);
        while j < i {
            y = y.square() * 0.25 + w.value();
            j = j + 1;
        }
    }
    let g = tape.gradient(&y.sum(), x);
    acc.jvp(&g).unwrap()
}

/// Two accumulators, and the tangents of either by the other.
#[tf_function]
fn forward_over_forward(x: &Tensor, n: &Tensor) -> (Tensor, Tensor, Tensor) {
    let one = tf::ones_like(x);
    let outer = ForwardAccumulator::new(x, &one);
    let inner = ForwardAccumulator::new(x, &one);
    let mut y = x.square();
    for i in tf::range(0, n, 1) {
        y = y.sin() * x;
        if &i % 2 == 1 {
            y = y.exp() * 0.5;
        }
    }
    let first = inner.jvp(&y).unwrap();
    let second = outer.jvp(&first).unwrap();
    (first, second, outer.jvp(&y).unwrap())
}

/// Forward over reverse over reverse: the third derivative.
#[tf_function]
fn third(x: &Tensor, n: &Tensor) -> Tensor {
    let acc = ForwardAccumulator::new(x, &tf::ones_like(x));
    let mut outer = GradientTape::new();
    outer.watch(x);
    let mut inner = GradientTape::new();
    inner.watch(x);
    let mut y = x.square() * x;
    for _ in tf::range(0, n, 1) {
        if y < 2.0 {
            y = y.square() * x;
        }
    }
    let first = inner.gradient(&y, x);
    let second = outer.gradient(&first, x);
    acc.jvp(&second).unwrap()
}

/// Reverse over forward over reverse, a tape around all.
#[tf_function]
fn reverse_over_hvp(x: &Tensor, n: &Tensor) -> Tensor {
    let mut outer = GradientTape::new();
    outer.watch(x);
    let acc = ForwardAccumulator::new(x, &tf::ones_like(x));
    let mut tape = GradientTape::persistent();
    tape.watch(x);
    let mut y = x.square() * x.square();
    for _ in tf::range(0, n, 1) {
        y = y.sin() * x;
    }
    let g = tape.gradient(&y, x);
    outer.gradient(&acc.jvp(&g).unwrap(), x)
}

/// A variable as the primal.
#[tf_function]
fn hvp_of_a_variable(w: &Variable, n: &Tensor) -> Tensor {
    let acc = ForwardAccumulator::new(w, &tf::constant(1.0));
    let tape = GradientTape::new();
    let mut y = w.value().square();
    for _ in tf::range(0, n, 1) {
        y = y * w.value() + w.value().square();
    }
    let g = tape.gradient(&y, w);
    acc.jvp(&g).unwrap_or(tf::constant(0.0))
}

#[custom_gradient]
fn doubled(x: &Tensor) -> Tensor {
    let kept = x.clone();
    (x.square(), move |dy: &Tensor| dy * &kept * 2.0)
}

/// A gradient of the user's own in a branch.
#[tf_function]
fn hvp_of_a_custom_gradient(x: &Tensor) -> Tensor {
    let acc = ForwardAccumulator::new(x, &tf::ones_like(x));
    let mut tape = GradientTape::new();
    tape.watch(x);
    let mut y = x * 1.0;
    if x > 1.0 {
        y = doubled(&y) * x;
    }
    let g = tape.gradient(&(y * x), x);
    acc.jvp(&g).unwrap()
}

#[test]
fn second_orders_through_branches_and_loops() {
    eager_vs_graph!(hvp_of_a_branch(x, v); (x, v) in [(0.5, 1.0), (1.5, 1.0), (0.75, -2.0)]);
    eager_vs_graph!(hvp_of_a_branch(x, v); (x, v) in [([0.5, 0.25], [1.0, 0.5]), ([1.5, 0.5], [0.0, 1.0])]);
    eager_vs_graph!(hvp_of_a_branch(x, v); (x, v) in [(wide(0.5), wide(1.0)), (wide(1.5), wide(1.0))]);
    eager_vs_graph!(hvp_of_a_loop(w, x, v, n); w = Variable::new(wide(0.75)); (x, v, n) in [
        (wide(0.5), wide(1.0), 0), (wide(0.5), wide(1.0), 1), (wide(0.25), wide(2.0), 2), (wide(0.5), wide(1.0), 4)]);
    eager_vs_graph!(forward_over_forward(x, n); (x, n) in [(0.5, 0), (0.5, 1), (1.25, 2), (0.75, 5)]);
    eager_vs_graph!(forward_over_forward(x, n); (x, n) in [(wide(0.5), 1), (wide(0.75), 3)]);
    eager_vs_graph!(third(x, n); (x, n) in [(0.5, 0), (0.5, 1), (1.25, 1), (1.125, 3)]);
    eager_vs_graph!(reverse_over_hvp(x, n); (x, n) in [(wide(0.5), 0), (wide(0.5), 1), (wide(1.25), 3)]);
    eager_vs_graph!(hvp_of_a_variable(w, n); w = Variable::new(0.75); n in [0, 1, 3]);
    eager_vs_graph!(hvp_of_a_custom_gradient(x); x in [0.5, 1.5]);
}

fn wide(x: f32) -> Tensor {
    tf::constant(x).cast(DType::F64)
}

#[tf_function]
fn called(x: &Tensor, n: &Tensor) -> Tensor {
    let mut y = x.sin() + x.square();
    let mut i = tf::constant(0);
    while i < *n {
        if y > 1.0 {
            y = y.sqrt() * x;
        } else {
            y = y.exp() * x;
        }
        i = i + 1;
    }
    y
}

/// A call in a traced function.
#[tf_function]
fn hvp_of_a_call(x: &Tensor, n: &Tensor) -> Tensor {
    hvp(called, x, n)
}

fn hvp(f: impl Fn(&Tensor, &Tensor) -> Tensor, x: &Tensor, n: &Tensor) -> Tensor {
    let acc = ForwardAccumulator::new(x, &tf::ones_like(x));
    let mut tape = GradientTape::new();
    tape.watch(x);
    let y = f(x, n);
    acc.jvp(&tape.gradient(&y, x)).unwrap()
}

fn twice(f: impl Fn(&Tensor, &Tensor) -> Tensor, x: &Tensor, n: &Tensor) -> Tensor {
    let outer = ForwardAccumulator::new(x, &tf::ones_like(x));
    let inner = ForwardAccumulator::new(x, &tf::ones_like(x));
    let y = f(x, n);
    outer.jvp(&inner.jvp(&y).unwrap()).unwrap()
}

fn close(a: &Tensor, b: &Tensor) {
    let (a, b) = (a.item::<f64>(), b.item::<f64>());
    assert!((a - b).abs() < 1e-9 * b.abs().max(1.0), "{a} against {b}");
}

#[test]
fn second_orders_through_calls() {
    for (x, n) in [(0.5, 0), (0.5, 1), (0.75, 2), (1.5, 3), (0.25, 4)] {
        let (x, n) = (wide(x), tf::constant(n));
        let exact = tf::config::with_eager_functions(|| hvp(called, &x, &n));
        close(&hvp(called, &x, &n), &exact);
        close(&hvp_of_a_call(&x, &n), &exact);
        close(&twice(called, &x, &n), &exact);
    }
}

/// A list that is written, read and stacked.
#[tf_function]
fn array(x: &Tensor) -> (Tensor, Tensor, Tensor) {
    let acc = ForwardAccumulator::new(x, &tf::ones_like(x));
    let ta = TensorArray::new(DType::F32, 3).write(0, &tf::constant(2.0)).write(2, x.square());
    let next = ta.read(2) * x;
    let ta = ta.write(1, next);
    let y = ta.read(1) + x;
    (acc.jvp(&y).unwrap(), acc.jvp(&ta.stack()).unwrap(), acc.jvp(&ta.read(2)).unwrap())
}

/// A list that grows in a loop after an item that depends on nothing.
#[tf_function]
fn pushed(x: &Tensor, n: &Tensor) -> (Tensor, Tensor) {
    let acc = ForwardAccumulator::new(x, &tf::ones_like(x));
    let mut all = vec![tf::constant(2.0)];
    let mut y = x * 1.0;
    for _ in tf::range(0, n, 1) {
        y = y * x;
        all.push(y.clone());
    }
    all.push(x.sin());
    let stacked = tf::stack(&all, 0);
    (acc.jvp(&stacked).unwrap(), acc.jvp(&(stacked.at(1) * x)).unwrap())
}

/// An array that grows, read and written in turn, with items that depend on nothing.
#[tf_function]
fn grown(x: &Tensor, n: &Tensor) -> (Tensor, Tensor) {
    let acc = ForwardAccumulator::new(x, &tf::ones_like(x));
    let mut ta = TensorArray::new(DType::F32, 1).dynamic().write(0, &tf::constant(2.0));
    for i in tf::range(0, n, 1) {
        let next = ta.read(&i) * x;
        ta = ta.write(&i + 1, next);
        if &i % 2 == 1 {
            ta = ta.write(&i, x.sin());
        }
    }
    let y = ta.read(0) * x + ta.read(n);
    (acc.jvp(&y).unwrap(), acc.jvp(&(ta.stack() * x)).unwrap())
}

/// A list of what two branches make, at second order.
#[tf_function]
fn hvp_of_a_list(x: &Tensor, n: &Tensor) -> Tensor {
    let acc = ForwardAccumulator::new(x, &tf::ones_like(x));
    let mut tape = GradientTape::new();
    tape.watch(x);
    let mut all = vec![x.square()];
    let mut last = x * 1.0;
    for i in tf::range(0, n, 1) {
        if &i % 2 == 0 {
            last = last.sin() * x;
            all.push(last.clone());
        } else {
            last = last.square();
            all.push(&last * x);
        }
    }
    let y = tf::stack(&all, 0).sum() + last * x;
    acc.jvp(&tape.gradient(&y, x)).unwrap()
}

/// Two accumulators over a list.
#[tf_function]
fn list_twice(x: &Tensor, n: &Tensor) -> (Tensor, Tensor) {
    let outer = ForwardAccumulator::new(x, &tf::ones_like(x));
    let inner = ForwardAccumulator::new(x, &tf::ones_like(x));
    let mut ta = TensorArray::new(DType::F32, 6).write(0, x.square());
    for i in tf::range(0, n, 1) {
        let next = ta.read(&i) * x;
        ta = ta.write(&i + 1, next);
    }
    let first = inner.jvp(&ta.stack()).unwrap();
    (outer.jvp(&first).unwrap(), first)
}

/// What is pushed, joined along its own axis.
#[tf_function]
fn joined(x: &Tensor, n: &Tensor) -> Tensor {
    let acc = ForwardAccumulator::new(x, &tf::ones_like(x));
    let mut all = vec![x * 2.0, tf::ones_like(x)];
    for _ in tf::range(0, n, 1) {
        all.push(x.square());
        all.push(x.sin());
    }
    acc.jvp(&tf::concat(&all, 0)).unwrap()
}

#[test]
fn through_lists_of_the_graph() {
    eager_vs_graph!(array(x); x in [3.0, 0.5]);
    eager_vs_graph!(pushed(x, n); (x, n) in [(3.0, 0), (3.0, 1), (0.5, 3), (0.5, 12)]);
    eager_vs_graph!(grown(x, n); (x, n) in [(3.0, 0), (0.5, 1), (0.75, 2), (0.75, 12)]);
    eager_vs_graph!(hvp_of_a_list(x, n); (x, n) in [(0.5, 0), (1.5, 1), (0.75, 4)]);
    eager_vs_graph!(list_twice(x, n); (x, n) in [(0.5, 0), (1.5, 1), (0.75, 4)]);
    eager_vs_graph!(joined(x, n); (x, n) in [([0.5, 2.0], 0), ([1.5, 0.25], 1), ([0.75, 1.0], 3)]);
}
