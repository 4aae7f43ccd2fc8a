//! What the library offers inside traced functions: lists, prints, custom gradients, layers, losses and optimizers.

use eagerflow as tf;
use tf::layers::Dense;
use tf::optim::{Adam, Optimizer};
use tf::{DType, GradientTape, Module, Tensor, TensorArray, custom_gradient, tf_function};

/// The dynamic RNN of the guide: a loop over time, states collected in a list.
#[tf_function]
fn dynamic_rnn(kernel: &Tensor, input: &Tensor, initial: &Tensor) -> Tensor {
    let input = tf::transpose(input, [1, 0, 2]);
    let steps = tf::shape(&input).at(0);
    let mut states = TensorArray::new(DType::F32, &steps);
    let mut state = initial.clone();
    for i in tf::range(0, &steps, 1) {
        state = tf::tanh(&(input.at(&i) + state.matmul(kernel)));
        states = states.write(&i, &state);
    }
    tf::transpose(states.stack(), [1, 0, 2])
}

fn rnn_by_hand(kernel: &Tensor, input: &Tensor, initial: &Tensor) -> Tensor {
    let input = tf::transpose(input, [1, 0, 2]);
    let mut all = Vec::new();
    let mut state = initial.clone();
    for row in &input {
        state = tf::tanh(&(row + state.matmul(kernel)));
        all.push(state.clone());
    }
    tf::transpose(tf::stack(&all, 0), [1, 0, 2])
}

#[test]
fn the_guides_dynamic_rnn() {
    let kernel = tf::constant([[0.1, 0.2], [-0.3, 0.4]]);
    for steps in [3, 5, 9] {
        let input = tf::random::uniform([2, steps, 2], -1.0, 1.0);
        let initial = tf::zeros([2, 2]);
        let both: Vec<(Tensor, Tensor, Tensor)> = [dynamic_rnn, rnn_by_hand]
            .iter()
            .map(|f| {
                let mut tape = GradientTape::new();
                tape.watch(&kernel);
                tape.watch(&input);
                let y = f(&kernel, &input, &initial);
                let loss = tf::reduce_sum(&y.square(), ());
                let grads = tape.gradient(&loss, [&kernel, &input]);
                (y, grads[0].clone(), grads[1].clone())
            })
            .collect();
        assert_eq!(both[0].0.to_vec::<f32>(), both[1].0.to_vec::<f32>());
        for (a, b) in [(&both[0].1, &both[1].1), (&both[0].2, &both[1].2)] {
            for (a, b) in a.to_vec::<f32>().iter().zip(b.to_vec::<f32>()) {
                assert!((a - b).abs() < 1e-5, "{a} {b}");
            }
        }
    }
    assert!(tf::function(dynamic_rnn).trace_count() <= 2);
}

#[custom_gradient]
fn log1pexp(x: &Tensor) -> Tensor {
    let e = x.exp();
    ((1.0 + &e).log(), move |dy: &Tensor| dy * (1.0 - 1.0 / (1.0 + &e)))
}

#[tf_function]
fn steep(x: &Tensor, n: &Tensor) -> Tensor {
    let mut y = x.clone();
    for _ in tf::range(0, n, 1) {
        if y > 0.0 {
            y = log1pexp(&y);
        }
    }
    y
}

#[test]
fn custom_gradients_inside() {
    let x = tf::constant(100.0);
    let mut tape = GradientTape::new();
    tape.watch(&x);
    let y = steep(&x, &tf::constant(1));
    assert_eq!(tape.gradient(&y, &x).item::<f32>(), 1.0);
}

#[derive(Module)]
struct Net {
    hidden: Dense,
    out: Dense,
}

#[tf_function]
fn train_step(net: &Net, optimizer: &Adam, x: &Tensor, labels: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let logits = net.out.call(&tf::relu(&net.hidden.call(x)));
    let loss =
        tf::reduce_mean(tf::losses::sparse_categorical_crossentropy(labels, &logits, tf::losses::FromLogits::Yes), ());
    let variables = net.trainable_variables();
    let gradients = tape.gradient(&loss, &variables[..]);
    optimizer.apply_gradients(&gradients, &variables);
    loss
}

#[test]
fn twenty_batch_sizes_need_two_traces() {
    let net = Net { hidden: Dense::new(8), out: Dense::new(3) };
    let optimizer = Adam::new(0.01);
    let mut losses = Vec::new();
    for round in 0..3 {
        for batch in 2..22 {
            let x = tf::random::uniform([batch, 4], -1.0, 1.0);
            let labels = tf::argmax(&x, 1).cast(DType::I32);
            let labels = tf::minimum(&labels, 2);
            losses.push((round, train_step(&net, &optimizer, &x, &labels).item::<f32>()));
        }
    }
    let mean = |r: usize| losses.iter().filter(|(round, _)| *round == r).map(|(_, l)| l).sum::<f32>() / 20.0;
    assert!(mean(2) < mean(0), "{} {}", mean(0), mean(2));
    let info = tf::function(train_step);
    assert_eq!(info.trace_count(), 2, "{:?}", info.reasons());
    assert_eq!(info.pins(), Vec::<String>::new());
}
