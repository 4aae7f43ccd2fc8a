//! Lists of variables that would be too short, and steps with none: refused with what to do, where training would do nothing.

use crate::panics::panics;
use crate::refused;
use eagerflow as tf;
use tf::layers::{Conv2D, Dense};
use tf::optim::{Adam, Optimizer, SGD};
use tf::{GradientTape, Module, Tensor, Variable, tf_function};

#[derive(Module)]
struct Net {
    body: Vec<Dense>,
    head: Option<Dense>,
    scale: Variable,
}

fn net() -> Net {
    Net { body: vec![Dense::new(4), Dense::new(4)], head: Some(Dense::new(1)), scale: Variable::new(2.0) }
}

impl Net {
    fn call(&self, x: &Tensor) -> Tensor {
        let mut y = x.clone();
        for layer in self.body.iter().chain(&self.head) {
            y = layer.call(&y);
        }
        y * &self.scale
    }
}

fn paths(list: Vec<(String, Variable)>) -> Vec<String> {
    list.into_iter().map(|(path, _)| path).collect()
}

#[test]
fn layers_that_are_not_built_are_named() {
    let net = net();
    for refused in [net.try_variables().unwrap_err(), net.try_trainable_variables().unwrap_err()] {
        let text = refused.to_string();
        assert!(
            text.starts_with("FailedPrecondition: ") && text.contains("the layer `body/0` is not built yet"),
            "{text}"
        );
        assert!(text.contains("`body/0/kernel`, `body/0/bias`, `body/1/kernel`, `body/1/bias` and 2 more"), "{text}");
        assert!(text.contains("call the model once") && text.contains("`build(input_shape)`"), "{text}");
        assert!(text.contains("modules.rs:"), "{text}");
    }
    assert!(net.try_named_variables().is_err());
    panics!(net.variables(), "variables: the layer `body/0` is not built yet");
    panics!(net.trainable_variables(), "trainable_variables: the layer `body/0` is not built yet");
    panics!(net.named_variables(), "named_variables: the layer `body/0` is not built yet");
    panics!(net.body[0].trainable_variables(), "the layer is not built yet");
    assert_eq!(paths(net.built_variables()), ["scale"]);
}

#[test]
fn a_built_net_lists_all() {
    let net = net();
    net.call(&tf::ones([2, 3]));
    let all = ["body/0/kernel", "body/0/bias", "body/1/kernel", "body/1/bias", "head/kernel", "head/bias", "scale"];
    assert_eq!(paths(net.named_variables()), all);
    assert_eq!((net.variables().len(), net.trainable_variables().len()), (7, 7));
    assert_eq!(paths(net.built_variables()), all);
}

#[test]
fn layers_may_be_built_by_a_shape() {
    let net = net();
    for (layer, size) in net.body.iter().chain(&net.head).zip([3, 4, 4]) {
        layer.build([1, size]);
    }
    let early = net.trainable_variables();
    assert_eq!(early.len(), 7);
    net.call(&tf::ones([2, 3]));
    let ids = |list: &[Variable]| list.iter().map(Variable::id).collect::<Vec<_>>();
    assert_eq!(ids(&early), ids(&net.trainable_variables()), "the call makes no others");
    let conv = Conv2D::new(2, 3);
    conv.build([8, 28, 28, 1]);
    assert_eq!(conv.kernel().unwrap().shape(), [3, 3, 1, 2]);
    let without = Dense::new(2).use_bias(false);
    without.build([1, 5]);
    assert_eq!(without.variables().len(), 1);
    let dense = Dense::new(2).name("dense");
    refused!(dense.try_build([5]), InvalidArgument, "dense", ["float32[5]", "[batch, …, features]"]);
    refused!(dense.try_build([1, -5]), InvalidArgument, "build", ["-5"]);
    panics!(Conv2D::new(2, 3).build([28, 28]), "[batch, rows, columns, channels]");
    dense.build([1, 5]);
    refused!(dense.try_build([1, 6]), InvalidArgument, "dense", ["[1, 6]", "[5, 2]"]);
}

#[test]
fn steps_without_variables_are_refused() {
    let none: Vec<Variable> = Vec::new();
    let w = [Variable::new(1.0)];
    let loss = |tape: &GradientTape| {
        assert!(tape.watched_variables().is_empty());
        w[0].value().square()
    };
    let tape = GradientTape::new();
    let y = loss(&tape);
    refused!(tape.try_gradient(&y, &none), InvalidArgument, "gradient", ["nothing to take the gradient by", "empty"]);
    let tape = GradientTape::new();
    let y = loss(&tape);
    panics!(tape.gradient(&y, &none[..]), "nothing to take the gradient by");
    let tape = GradientTape::persistent();
    let y = w[0].value().square();
    refused!(tape.try_gradient(&y, &none[..]), InvalidArgument, "gradient", ["empty list of sources"]);
    assert_eq!(tape.gradient(&y, &w[0]).item::<f32>(), 2.0);
    let empty = || Vec::<Tensor>::new().into_iter().collect();
    let (sgd, adam) = (SGD::new(0.1), Adam::new(0.1));
    refused!(sgd.try_apply_gradients(&empty(), &none), InvalidArgument, "SGD", ["there are no variables", "built"]);
    refused!(adam.try_apply_gradients(&empty(), &[]), InvalidArgument, "Adam", ["there are no variables"]);
    panics!(adam.apply_gradients(&empty(), &none), "there are no variables");
    assert_eq!(sgd.iterations().value().item::<i64>(), 0, "a refused step does not count");
}

#[tf_function]
fn listed_after_the_call(net: &Net, optimizer: &SGD, x: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let loss = tf::reduce_sum(net.call(x).square(), ());
    let variables = net.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    loss
}

#[tf_function]
fn listed_before_the_call(net: &Net, optimizer: &SGD, x: &Tensor) -> Tensor {
    let variables = net.trainable_variables();
    let tape = GradientTape::new();
    let loss = tf::reduce_sum(net.call(x).square(), ());
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    loss
}

#[test]
fn layers_built_in_the_first_trace() {
    let (net_, optimizer, x) = (net(), SGD::new(1e-3), tf::ones([2, 3]));
    let losses: Vec<f32> = (0..5).map(|_| listed_after_the_call(&net_, &optimizer, &x).item()).collect();
    assert!(losses.windows(2).all(|pair| pair[1] < pair[0]), "{losses:?}");
    assert_eq!(net_.trainable_variables().len(), 7);
    assert_eq!(tf::function(listed_after_the_call).trace_count(), 1);

    let net_ = net();
    let failed =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| listed_before_the_call(&net_, &optimizer, &x)));
    let text = failed.unwrap_err().downcast_ref::<String>().cloned().unwrap_or_default();
    assert!(text.contains("the layer `body/0` is not built yet") && text.contains("modules.rs:"), "{text}");
    net_.call(&x);
    let losses: Vec<f32> = (0..5).map(|_| listed_before_the_call(&net_, &optimizer, &x).item()).collect();
    assert!(losses.windows(2).all(|pair| pair[1] < pair[0]), "{losses:?}");
}
