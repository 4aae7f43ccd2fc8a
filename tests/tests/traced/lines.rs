//! What is shown of a traced function names the user's lines: plans with all layers, losses, optimizers and metrics, forwards and
//! backwards, and the errors of the library's own networks.

use eagerflow as tf;
use eagerflow_tests::sources::line_of_the_library;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tf::layers::{Conv2D, Dense, Dropout, Flatten, GlobalAveragePooling2D, Layer, MaxPool2D};
use tf::losses::FromLogits;
use tf::metrics::{Accuracy, CategoricalAccuracy, Mean, SparseCategoricalAccuracy};
use tf::optim::{Adam, Optimizer, SGD};
use tf::{ForwardAccumulator, GradientTape, Module, Tensor, TensorArray, Variable, custom_gradient, tf_function};

/// Plans name no line of the library, but lines of this file.
#[track_caller]
fn lines_are_ours(plan: Option<String>) {
    let plan = plan.expect("the function has run as a plan");
    assert_eq!(line_of_the_library(&plan), None, "{plan}");
    assert!(plan.contains("lines.rs:"), "{plan}");
}

#[derive(Module)]
struct Images {
    convolution: Conv2D,
    pool: MaxPool2D,
    flatten: Flatten,
    dropout: Dropout,
    dense: Dense,
}

impl Images {
    fn new(activation: &'static str) -> Self {
        Self {
            convolution: Conv2D::new(2, 3).activation(activation),
            pool: MaxPool2D::new(2),
            flatten: Flatten::new(),
            dropout: Dropout::new(0.25),
            dense: Dense::new(3).activation(activation),
        }
    }

    fn forward(&self, x: &Tensor, training: bool) -> Tensor {
        let x = self.pool.call(&self.convolution.call(x));
        let x = self.dropout.call_training(&self.flatten.call(x), training);
        self.dense.call(x)
    }
}

#[tf_function]
fn train_images(net: &Images, optimizer: &Adam, mean: &Mean, right: &SparseCategoricalAccuracy, x: &Tensor) -> Tensor {
    let labels = tf::constant([0, 2]);
    let tape = GradientTape::new();
    let logits = net.forward(x, true);
    let loss = tf::losses::sparse_categorical_crossentropy(&labels, &logits, FromLogits::Yes).mean();
    let variables = net.trainable_variables();
    let gradients = tape.gradient(&loss, &variables[..]);
    let (clipped, _) = tf::clip_by_global_norm(&gradients, 1.0);
    optimizer.apply_gradients(&clipped, &variables);
    mean.update(&loss);
    right.update(&labels, &logits);
    mean.result() + right.result()
}

#[test]
fn a_network_of_images() {
    for activation in ["relu", "gelu", "softmax", "tanh"] {
        let net = Images::new(activation);
        let (optimizer, mean, right) = (Adam::new(0.01), Mean::new("mean"), SparseCategoricalAccuracy::new());
        for batch in [2, 2] {
            train_images(&net, &optimizer, &mean, &right, &tf::ones([batch, 8, 8, 1]));
        }
        lines_are_ours(tf::function(train_images).plan());
    }
}

#[derive(Module)]
struct Rows {
    table: Variable,
    layers: Vec<Dense>,
    pool: GlobalAveragePooling2D,
}

/// Losses of all kinds, layers behind a trait object, a momentum, embeddings, and the other metrics.
#[tf_function]
fn train_rows(net: &Rows, sgd: &SGD, all: &(Accuracy, CategoricalAccuracy), x: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let mut y = tf::gather(&net.table, x, 0);
    for layer in &net.layers {
        let layer: &dyn Layer = layer;
        y = layer.call_training(&y, true);
    }
    let images = tf::reshape(&y, [-1, 1, 1, 4]);
    let pooled = net.pool.call(&images);
    let shares = tf::softmax(&pooled, -1);
    let target = tf::one_hot(x, 4);
    let losses = [
        tf::losses::mean_squared_error(&target, &y),
        tf::losses::mean_absolute_error(&target, &y),
        tf::losses::categorical_crossentropy(&target, &shares, FromLogits::No),
        tf::losses::categorical_crossentropy(&target, &pooled, FromLogits::Yes),
        tf::losses::sparse_categorical_crossentropy(x, &shares, FromLogits::No),
    ];
    let loss = losses.iter().fold(tf::constant(0.0), |sum, loss| sum + loss.mean());
    let variables = net.trainable_variables();
    let gradients = tape.gradient(&loss, &variables[..]);
    sgd.apply_gradients(&gradients, &variables);
    all.0.update(x, tf::argmax(&shares, -1).cast(tf::DType::I32));
    all.1.update(&target, &shares);
    loss + all.0.result() + all.1.result()
}

#[test]
fn embeddings_losses_and_momentum() {
    for momentum in [0.0, 0.5] {
        let layers = vec![Dense::new(4).use_bias(false), Dense::new(4).activation("sigmoid")];
        let net = Rows { table: Variable::new(tf::ones([5, 4])), layers, pool: GlobalAveragePooling2D::new() };
        let sgd = SGD::new(0.1).momentum(momentum);
        let metrics = (Accuracy::new(), CategoricalAccuracy::new());
        train_rows(&net, &sgd, &metrics, &tf::constant([1, 3]));
        train_rows(&net, &sgd, &metrics, &tf::constant([0, 2]));
        lines_are_ours(tf::function(train_rows).plan());
    }
}

#[custom_gradient]
fn steep(x: &Tensor) -> Tensor {
    let e = x.exp();
    (e.clone(), move |dy: &Tensor| dy * &e * 2.0)
}

/// Gradients of branches, loops, lists, lists of the graph, jacobians, and forward mode.
#[tf_function]
fn slopes(x: &Tensor, n: &Tensor) -> Tensor {
    let mut outer = GradientTape::persistent();
    outer.watch(x);
    let mut tape = GradientTape::persistent();
    tape.watch(x);
    let forward = ForwardAccumulator::new(x, &tf::ones_like(x));
    let mut y = x.clone();
    let mut all = TensorArray::new(tf::DType::F32, n);
    let mut rows = Vec::new();
    for i in tf::range(0, n, 1) {
        if tf::reduce_sum(&y, ()) > 2.0 {
            y = steep(&y) * 0.125;
        } else {
            y = tf::tanh(&y) + x;
        }
        all = all.write(&i, &y);
        rows.push(y.square());
    }
    let z = tf::reduce_sum(all.stack(), ()) + tf::reduce_max(&tf::stack(&rows, 0), ());
    let first = tape.gradient(&z, x);
    let second = outer.gradient(&first.square(), x);
    let jacobian = tape.jacobian(&y, x);
    first + second + tf::reduce_sum(&jacobian, ()) + forward.jvp(&y).unwrap()
}

#[test]
fn gradients_of_control_flow() {
    slopes(&tf::constant([0.5, 0.25]), &tf::constant(3));
    lines_are_ours(tf::function(slopes).plan());
}

#[tf_function]
fn misfit(net: &Dense, x: &Tensor) -> Tensor {
    net.call(x)
}

fn message(call: impl FnOnce() -> Tensor) -> String {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => panic!("no error, but {result:?}"),
        Err(panic) => panic.downcast_ref::<String>().cloned().unwrap_or_default(),
    }
}

/// Errors of the library's networks, in a trace and out of it.
#[test]
fn errors() {
    let dense = Dense::new(3);
    dense.call(tf::ones([2, 4]));
    let images = Images::new("relu");
    images.forward(&tf::ones([1, 8, 8, 1]), false);
    let (variable, adam) = (Variable::new([1.0, 2.0]), Adam::new(0.1));
    let calls: [(&str, &dyn Fn() -> Tensor); 8] = [
        ("a dense layer in a trace", &|| misfit(&dense, &tf::ones([2, 5]))),
        ("a dense layer", &|| dense.call(tf::ones([2, 5]))),
        ("a convolution", &|| images.convolution.call(tf::ones([2, 8, 8, 3]))),
        ("a convolution of rows", &|| images.convolution.call(tf::ones([2, 2]))),
        ("a pool", &|| images.pool.call(tf::ones([2, 5]))),
        ("a loss", &|| tf::losses::mean_squared_error(tf::ones([2]), tf::ones([3]))),
        ("a metric", &|| {
            Accuracy::new().update(tf::constant([1, 2]), tf::constant([1]));
            tf::constant(0.0)
        }),
        ("an optimizer", &|| {
            let gradients = [tf::ones([3])].into_iter().collect();
            adam.apply_gradients(&gradients, std::slice::from_ref(&variable));
            tf::constant(0.0)
        }),
    ];
    for (what, call) in calls {
        let text = message(call);
        assert!(text.contains("lines.rs:") && line_of_the_library(&text).is_none(), "{what}: {text}");
    }
}

/// What a round hands on as it got it: the loop's own parameter.
#[tf_function]
fn handed_on(x: &Tensor) -> Tensor {
    let (mut all, mut b) = (vec![x * 0.5], x * 1.0);
    for r in tf::range(0, tf::constant(3), 1) {
        if &r < 1 {
            if x > 1.0 {
                b = &b * 2.0;
                all.push(x * 2.0);
                continue;
            }
            all = vec![b.clone()];
        }
    }
    tf::stack(&all, 0)
}

#[test]
fn lists() {
    handed_on(&tf::constant(0.5f32));
    lines_are_ours(tf::function(handed_on).plan());
}
