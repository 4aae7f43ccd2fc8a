//! The dynamic recurrent network of the comparison, W8: an LSTM whose loop over time is a loop of the graph.
//! Outputs go into a `TensorArray`; gradients flow back through the loop into plain gradient descent.

use crate::data::*;
use crate::measure::Bench;
use crate::networks::Parameters;
use eagerflow as tf;
use tf::{DType, GradientTape, Tensor, TensorArray, Variable, tf_function};

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

pub fn run(b: &Bench) {
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
