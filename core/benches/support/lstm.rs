//! The dynamic recurrent network of the comparison, W8: an LSTM whose loop over time is a loop of the graph.
//! Outputs go into a `TensorArray`; gradients flow back through the loop into plain gradient descent.

use crate::data::*;
use crate::measure::Bench;
use crate::networks::Parameters;
use eagerflow as tf;
use tf::layers::{GRU, LSTM};
use tf::{DType, GradientTape, Module, Tensor, TensorArray, Variable, tf_function};

fn cell(v: &[Variable], x: &Tensor, h: &Tensor, c: &Tensor) -> (Tensor, Tensor) {
    let z = tf::bias_add(tf::matmul(x, &v[0]) + tf::matmul(h, &v[1]), &v[2]);
    let gates = tf::split(&z, 4, 1);
    let c = tf::sigmoid(&gates[1]) * c + tf::sigmoid(&gates[0]) * tf::tanh(&gates[2]);
    (tf::sigmoid(&gates[3]) * tf::tanh(&c), c)
}

#[tf_function]
fn outputs(parameters: &Parameters, x: &Tensor) -> Tensor {
    let v = parameters.all();
    let steps = tf::shape(x).at(0);
    let start = tf::zeros([x.shape()[1], v[1].shape()[0]]);
    let (mut h, mut c) = (start.clone(), start);
    let mut all = TensorArray::new(DType::F32, &steps);
    for t in tf::range(0, &steps, 1) {
        (h, c) = cell(v, &tf::gather(x, &t, 0), &h, &c);
        all = all.write(&t, &h);
    }
    all.stack()
}

#[tf_function]
pub fn step(parameters: &Parameters, x: &Tensor, target: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let loss = tf::reduce_mean((outputs(parameters, x) - target).square(), ());
    let (w, u, bias) = parameters.lstm();
    let (dw, du, dbias) = tape.gradient(&loss, (w, u, bias));
    w.assign_sub(dw * 0.1);
    u.assign_sub(du * 0.1);
    bias.assign_sub(dbias * 0.1);
    loss
}

/// The same step of the loop by hand for examples first, as layers take them.
#[tf_function]
fn turned_step(parameters: &Parameters, x: &Tensor, target: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let y = tf::transpose(outputs(parameters, &tf::transpose(x, [1, 0, 2])), [1, 0, 2]);
    let loss = tf::reduce_mean((y - target).square(), ());
    let (w, u, bias) = parameters.lstm();
    let (dw, du, dbias) = tape.gradient(&loss, (w, u, bias));
    w.assign_sub(dw * 0.1);
    u.assign_sub(du * 0.1);
    bias.assign_sub(dbias * 0.1);
    loss
}

/// The same step with the library's layer, which takes examples first.
#[tf_function]
fn layer_step(layer: &Recurrent, x: &Tensor, target: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let loss = tf::reduce_mean((layer.call(x) - target).square(), ());
    let variables = layer.trainable_variables();
    let gradients = tape.gradient(&loss, &variables);
    variables.iter().enumerate().for_each(|(at, v)| v.assign_sub(gradients.get(at).unwrap() * 0.1));
    loss
}

/// A recurrent layer.
#[derive(Module)]
enum Recurrent {
    Lstm(LSTM),
    Gru(GRU),
}

impl Recurrent {
    fn call(&self, x: &Tensor) -> Tensor {
        match self {
            Self::Lstm(layer) => layer.call(x),
            Self::Gru(layer) => layer.call(x),
        }
    }
}

/// The hand-written loop beside the layer, as graphs and operation by operation.
fn beside_the_layer(b: &Bench) {
    const UNITS: usize = 128;
    for (mode, steps, eagerly) in [("graph", 50, false), ("eager", 50, true), ("graph_200", 200, false)] {
        tf::config::run_functions_eagerly(eagerly);
        let data = || {
            let x = uniform(891, &[steps, 32, 128], -1.0, 1.0);
            (x, uniform(892, &[steps, 32, UNITS], -0.5, 0.5))
        };
        let parameters = || Parameters::new(800, &[&[128, 4 * UNITS], &[UNITS, 4 * UNITS], &[4 * UNITS]]);
        let by_hand = || {
            let ((x, target), parameters) = (data(), parameters());
            move || step(&parameters, &x, &target)
        };
        let turned = |x: Tensor| tf::identity(tf::transpose(&x, [1, 0, 2]));
        let by_hand_turned = || {
            let ((x, target), parameters) = (data(), parameters());
            let (x, target) = (turned(x), turned(target));
            move || turned_step(&parameters, &x, &target)
        };
        let by_layer = || {
            let (x, target) = data();
            let (x, target, layer) = (turned(x), turned(target), LSTM::new(UNITS).return_sequences(true));
            layer.build([32, steps, 128]);
            let own = layer.trainable_variables();
            own.iter().zip(parameters().all()).for_each(|(variable, value)| variable.assign(value.value()));
            let layer = Recurrent::Lstm(layer);
            move || layer_step(&layer, &x, &target)
        };
        let by_gru = || {
            let (x, target) = data();
            let (x, target, layer) = (turned(x), turned(target), GRU::new(UNITS).return_sequences(true));
            layer.build([32, steps, 128]);
            let layer = Recurrent::Gru(layer);
            move || layer_step(&layer, &x, &target)
        };
        let loss = |loss: &Tensor| vec![f64::from(loss.item::<f32>())];
        b.run(&format!("w8_by_hand_{mode}"), true, by_hand, loss);
        b.run(&format!("w8_by_hand_examples_first_{mode}"), true, by_hand_turned, loss);
        b.run(&format!("w8_layer_{mode}"), true, by_layer, loss);
        b.run(&format!("w8_gru_layer_{mode}"), true, by_gru, loss);
    }
    tf::config::run_functions_eagerly(false);
}

pub fn run(b: &Bench) {
    beside_the_layer(b);
    for (name, hidden, steps) in
        [("w8_lstm_loop", 128, 50), ("w8_lstm_loop_100", 100, 50), ("w8_lstm_loop_37", 128, 37)]
    {
        let make = || {
            let x = uniform(891, &[steps, 32, 128], -1.0, 1.0);
            let target = uniform(892, &[steps, 32, hidden], -0.5, 0.5);
            let parameters = Parameters::new(800, &[&[128, 4 * hidden], &[hidden, 4 * hidden], &[4 * hidden]]);
            move || step(&parameters, &x, &target)
        };
        b.run(name, true, make, |loss| vec![f64::from(loss.item::<f32>())]);
    }
}
