//! Memory over ten thousand calls of traced functions: alone, under tapes, with variables, lists and changing sizes.

use super::counted::{alone, growth};
use eagerflow as tf;
use tf::optim::{Adam, Optimizer};
use tf::{DType, GradientTape, Module, Tensor, TensorArray, Variable, tf_function};

/// Ten thousand calls that each lost the smallest tensor would hold 2.5 MB more; caches of threads are far smaller.
const SLACK: isize = 64 << 10;
const CALLS: usize = 10_000;

#[tf_function]
fn branches_and_loops(x: &Tensor, n: &Tensor) -> Tensor {
    let mut y = x.clone();
    for i in tf::range(0, n, 1) {
        if i % 2 == 0 {
            y = y.tanh() * 1.5;
        } else if tf::reduce_sum(&y, ()) > 100.0 {
            break;
        }
    }
    y
}

#[tf_function]
fn listed(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = TensorArray::new(DType::F32, n);
    let mut y = x.clone();
    for i in tf::range(0, n, 1) {
        y = y * 0.5 + x;
        all = all.write(&i, &y);
    }
    all.stack()
}

#[test]
fn plain_calls() {
    let _alone = alone();
    let (x, n) = (tf::ones([100]), tf::constant(5));
    let grown = growth(CALLS, |_| {
        assert_eq!(branches_and_loops(&x, &n).shape()[0], 100);
    });
    assert!(grown < SLACK, "grew by {grown} bytes");
    let grown = growth(CALLS, |_| {
        assert_eq!(listed(&x, &n).shape()[0], 5);
    });
    assert!(grown < SLACK, "with a list, grew by {grown} bytes");
}

#[test]
fn calls_under_tapes() {
    let _alone = alone();
    let (x, n) = (tf::ones([100]), tf::constant(5));
    for f in [branches_and_loops, listed] {
        let grown = growth(CALLS / 4, |_| {
            let mut outer = GradientTape::new();
            outer.watch(&x);
            let mut inner = GradientTape::new();
            inner.watch(&x);
            let y = f(&x, &n);
            let dx = inner.gradient(&tf::reduce_sum(y, ()), &x);
            // A gradient that is constant has none of its own.
            let _ = outer.gradient_or_none(&tf::reduce_sum(dx.square(), ()), &x);
        });
        assert!(grown < SLACK, "grew by {grown} bytes");
    }
}

#[test]
fn calls_of_other_sizes() {
    let _alone = alone();
    let n = tf::constant(5);
    let all: Vec<Tensor> = (2..42).map(|size| tf::ones([size])).collect();
    let grown = growth(CALLS, |i| {
        assert_eq!(branches_and_loops(&all[i % 40], &n).shape()[0], i % 40 + 2);
    });
    assert!(grown < SLACK, "grew by {grown} bytes");
}

#[derive(Module)]
struct Line {
    w: Variable,
    b: Variable,
    adam: Adam,
}

impl Line {
    #[tf_function]
    fn step(&self, x: &Tensor, y: &Tensor) -> Tensor {
        let tape = GradientTape::new();
        let mut prediction = x * &self.w + &self.b;
        if tf::reduce_max(prediction.abs(), ()) > 10.0 {
            prediction = prediction * 0.1;
        }
        let loss = tf::reduce_mean((prediction - y).square(), ());
        let variables = self.trainable_variables();
        self.adam.apply_gradients(&tape.gradient(&loss, &variables), &variables);
        loss
    }
}

#[test]
fn training_steps() {
    let _alone = alone();
    let line = Line { w: Variable::new(tf::ones([100])), b: Variable::new(0.5), adam: Adam::new(1e-3) };
    let (x, y) = (tf::ones([32, 100]), tf::zeros([32, 100]));
    let grown = growth(CALLS, |_| {
        assert!(line.step(&x, &y).item::<f32>().is_finite());
    });
    assert!(grown < SLACK, "grew by {grown} bytes");
    assert_eq!(tf::function(Line::step).trace_count(), 1);
}
