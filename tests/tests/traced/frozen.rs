//! Variables that are frozen: functions are traced anew for them, tapes do not follow them, steps leave them alone. And models that are
//! built by a recorded call, and copied with their optimizer.

use eagerflow as tf;
use std::sync::Arc;
use tf::layers::{Conv2D, Dense, Dropout, Flatten};
use tf::optim::{Adam, Optimizer, SGD};
use tf::{Duplicate, GradientTape, Module, Tensor, Variable, tf_function};

#[derive(Module, Duplicate)]
struct Net {
    trunk: Dense,
    head: Dense,
}

impl Net {
    fn new() -> Self {
        Self { trunk: Dense::new(4).activation("tanh"), head: Dense::new(1) }
    }

    fn call(&self, x: &Tensor) -> Tensor {
        self.head.call(self.trunk.call(x))
    }
}

#[tf_function]
fn train(net: &Net, optimizer: &SGD, x: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    // So far from the target, and with so small steps, that no gradient fades, whatever the layers start with.
    let loss = (net.call(x) - 5.0).square().mean();
    let variables = net.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    loss
}

fn kernel(layer: &Dense) -> Vec<f32> {
    layer.kernel().unwrap().value().to_vec()
}

#[test]
fn a_function_is_traced_anew_for_what_is_frozen() {
    let (net, optimizer, x) = (Net::new(), SGD::new(0.01), tf::ones([2, 3]));
    train(&net, &optimizer, &x);
    train(&net, &optimizer, &x);
    assert_eq!(tf::function(train).trace_count(), 1, "built layers do not count");
    net.trunk.set_trainable(false);
    let before = (kernel(&net.trunk), kernel(&net.head));
    train(&net, &optimizer, &x);
    assert_eq!(tf::function(train).trace_count(), 2);
    assert_eq!(before.0, kernel(&net.trunk), "the step leaves what is frozen");
    assert_ne!(before.1, kernel(&net.head));
    let reason = tf::function(train).reasons().join("\n");
    assert!(reason.contains("variables of `net` were frozen, or are trained again"), "{reason}");
    net.trunk.set_trainable(true);
    train(&net, &optimizer, &x);
    assert_eq!(tf::function(train).trace_count(), 2, "the old trace is found again");
    assert_ne!(before.0, kernel(&net.trunk));
}

#[tf_function]
fn slope(w: &Variable, b: &Variable, x: &Tensor) -> Option<Tensor> {
    let tape = GradientTape::new();
    let loss = (w * x + b).square();
    tape.gradient(&loss, &[w.clone(), b.clone()]).get(0).map(|slope| slope + 0.0)
}

#[test]
fn a_variable_by_itself_is_part_of_the_signature() {
    let (w, b, x) = (Variable::new(2.0), Variable::new(1.0), tf::constant(3.0));
    assert_eq!(slope(&w, &b, &x).unwrap().item::<f32>(), 42.0);
    w.set_trainable(false);
    assert!(slope(&w, &b, &x).is_none());
    w.set_trainable(true);
    assert_eq!(slope(&w, &b, &x).unwrap().item::<f32>(), 42.0);
    assert_eq!(tf::function(slope).trace_count(), 2);
}

static FOUND: std::sync::LazyLock<Variable> = std::sync::LazyLock::new(|| Variable::new(2.0));

#[tf_function]
fn of_a_static(x: &Tensor) -> Option<Tensor> {
    let found: &Variable = &FOUND;
    let tape = GradientTape::new();
    let loss = found * x + 0.0;
    let all = [found.clone(), Variable::clone(&OTHER)];
    let loss = loss + &all[1];
    tape.gradient(&loss, &all).get(0).map(|slope| slope + 0.0)
}

static OTHER: std::sync::LazyLock<Variable> = std::sync::LazyLock::new(|| Variable::new(1.0));

#[test]
fn a_variable_that_the_function_finds_by_itself_is_looked_at_too() {
    let x = tf::constant(3.0);
    assert_eq!(of_a_static(&x).unwrap().item::<f32>(), 3.0);
    FOUND.set_trainable(false);
    assert!(of_a_static(&x).is_none());
    let reason = tf::function(of_a_static).reasons().join("\n");
    assert!(reason.contains("which is no argument, was frozen"), "{reason}");
    FOUND.set_trainable(true);
    assert_eq!(of_a_static(&x).unwrap().item::<f32>(), 3.0);
    assert_eq!(tf::function(of_a_static).trace_count(), 2);
}

#[tf_function]
fn product(w: &Variable, x: &Tensor) -> Tensor {
    w * x
}

#[test]
fn tapes_follow_what_was_trained_when_it_was_read() {
    let (w, b) = (Variable::new(3.0), Variable::new(1.0));
    let both = [w.clone(), b.clone()];
    let slopes = |before: &dyn Fn(&mut GradientTape), between: &dyn Fn()| {
        let mut tape = GradientTape::new();
        before(&mut tape);
        let loss = &w * &b;
        between();
        let slopes = tape.gradient(&loss, &both);
        [0, 1].map(|i| slopes.get(i).map(|slope| slope.item::<f32>()))
    };
    assert_eq!(slopes(&|_| w.set_trainable(false), &|| ()), [None, Some(3.0)]);
    assert_eq!(slopes(&|tape| tape.watch(&w), &|| ()), [Some(1.0), Some(3.0)], "asked for");
    assert_eq!(slopes(&|_| (), &|| w.set_trainable(true)), [None, Some(3.0)], "it was frozen when it was read");
    assert_eq!(slopes(&|_| (), &|| w.set_trainable(false)), [Some(1.0), Some(3.0)], "frozen after the read");
    // Under a tape of the caller the function has one trace.
    let through = |tape: GradientTape| {
        let y = product(&w, &b.value());
        tape.gradient(&y, &both).get(0).map(|slope| slope.item::<f32>())
    };
    assert_eq!(through(GradientTape::new()), None);
    w.set_trainable(true);
    assert_eq!(through(GradientTape::new()), Some(1.0));
}

#[test]
fn an_optimizer_moves_what_it_is_given() {
    let w = Variable::new(1.0);
    w.set_trainable(false);
    SGD::new(0.5).apply_gradients(&[tf::constant(1.0)].into_iter().collect(), std::slice::from_ref(&w));
    assert_eq!(w.value().item::<f32>(), 0.5);
}

#[derive(Module)]
struct Images {
    conv: Conv2D,
    flatten: Flatten,
    dropout: Dropout,
    net: Net,
}

#[tf_function]
fn inner(net: &Net, x: &Tensor) -> Tensor {
    if tf::reduce_sum(x, ()) > 0.0 { net.call(x) } else { net.call(&(x * 2.0)) }
}

impl Images {
    fn new() -> Self {
        Self { conv: Conv2D::new(2, 3), flatten: Flatten::new(), dropout: Dropout::new(0.5), net: Net::new() }
    }

    fn call(&self, x: &Tensor, scale: &Tensor) -> Tensor {
        let x = self.flatten.call(self.conv.call(x));
        inner(&self.net, &(self.dropout.call_training(x, true) * scale))
    }
}

#[test]
fn a_whole_model_is_built_by_a_recorded_call() {
    let (built, called) = (Images::new(), Images::new());
    tf::random::set_seed(7);
    tf::build(&built, ([None, Some(5), Some(5), Some(1)], [1, 1]), |net, (x, scale)| net.call(x, scale));
    tf::random::set_seed(7);
    called.call(&tf::ones([3, 5, 5, 1]), &tf::ones([1, 1]));
    let shapes = |net: &Images| -> Vec<String> {
        net.named_variables().into_iter().map(|(path, v)| format!("{path} {}", v.shape())).collect()
    };
    assert_eq!(shapes(&built), shapes(&called));
    assert_eq!(built.count_params().total(), 20 + 18 * 4 + 4 + 4 + 1);
    let y = built.call(&tf::ones([4, 5, 5, 1]), &tf::ones([1, 1]));
    assert_eq!(y.shape(), [4, 1]);
    // Also while a function is traced.
    let late = Net::new();
    assert_eq!(builds(&late, &tf::ones([2, 3])).shape(), [2, 1]);
    assert_eq!(late.variables().len(), 4);
    let refused = tf::try_build(&late, [None, Some(5)], |net, x| net.trunk.try_call(x, false)).unwrap_err();
    assert!(refused.to_string().contains("dense"), "{refused}");
}

#[tf_function]
fn builds(net: &Net, x: &Tensor) -> Tensor {
    tf::build(net, [None, Some(3)], |net, x| net.call(x));
    let variables = net.trainable_variables();
    net.call(x) + variables.len() as f32
}

fn step(net: &Net, optimizer: &impl Optimizer) -> f32 {
    let tape = GradientTape::new();
    let loss = net.call(&tf::ones([2, 3])).square().mean();
    let variables = net.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    loss.item()
}

#[test]
fn a_copy_of_a_model_and_its_optimizer_goes_on_by_itself() {
    for model_first in [true, false] {
        let (net, optimizer) = (Arc::new(Net::new()), Arc::new(Adam::new(0.1)));
        (0..3).for_each(|_| assert!(step(&net, &*optimizer).is_finite()));
        let (copy, adam) = match model_first {
            true => (net.clone(), optimizer.clone()).duplicate(),
            false => {
                let (adam, copy) = (optimizer.clone(), net.clone()).duplicate();
                (copy, adam)
            }
        };
        // The same steps from here on: values and moments are equal, and nothing is shared.
        let one: Vec<f32> = (0..3).map(|_| step(&net, &*optimizer)).collect();
        let other: Vec<f32> = (0..3).map(|_| step(&copy, &*adam)).collect();
        assert_eq!(one, other);
        assert_eq!(adam.variables().len(), optimizer.variables().len(), "no moments were made anew");
        // An optimizer alone keeps what it has for the variables that there are.
        let alone = optimizer.duplicate();
        let before = alone.variables().len();
        step(&net, &*alone);
        assert_eq!(alone.variables().len(), before);
    }
}
