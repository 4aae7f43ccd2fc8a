//! The workloads of the comparison as planned graphs: `cargo bench -p eagerflow --bench function` prints a table.
//! `-- --json` prints one JSON line per workload, mode `function`; `-- --loops` compares ten expressions with loops by hand.

#[path = "support/data.rs"]
mod data;
#[path = "support/expressions.rs"]
mod expressions;
#[path = "support/loops.rs"]
mod loops;
#[path = "support/measure.rs"]
mod measure;

use data::*;
use eagerflow as tf;
use measure::Bench;
use tf::__testing::Recorded;
use tf::optim::{Adam, Optimizer};
use tf::{GradientTape, Tensor, Variable};

fn sum(x: &Tensor) -> f64 {
    f64::from(tf::reduce_sum(x, ()).item::<f32>())
}

/// A step that calls a recorded function on the same inputs.
fn step<'a>(inputs: Vec<Tensor>, f: impl FnOnce(&[Tensor]) -> Vec<Tensor> + 'a) -> impl FnMut() -> Vec<Tensor> {
    let examples: Vec<&Tensor> = inputs.iter().collect();
    let recorded = Recorded::new(&examples, f).expect("a graph of known sizes");
    if std::env::var_os("SHOW").is_some() {
        eprintln!("{}", recorded.text());
    }
    drop(examples);
    move || {
        let inputs: [Option<&Tensor>; 3] = [0, 1, 2].map(|i| inputs.get(i));
        let result = match inputs {
            [Some(a), Some(b), Some(c)] => recorded.call(&[a, b, c]),
            [Some(a), Some(b), None] => recorded.call(&[a, b]),
            [Some(a), ..] => recorded.call(&[a]),
            _ => recorded.call(&[]),
        };
        result.expect("a call that fits").into_vec()
    }
}

#[allow(clippy::ptr_arg, reason = "it is passed where a function of the vector itself is wanted")]
fn first(r: &Vec<Tensor>) -> Vec<f64> {
    vec![sum(&r[0])]
}

fn small(b: &Bench) {
    let add = || step(vec![uniform(201, &[10], -1.0, 1.0), uniform(202, &[10], -1.0, 1.0)], |p| vec![&p[0] + &p[1]]);
    b.run("w2_tiny_add", false, add, first);
    let fit = || {
        let (x, y) = line();
        let (w, bias) = (Variable::new(5.0), Variable::new(0.0));
        step(vec![x, y], move |p| {
            let tape = GradientTape::new();
            let loss = tf::reduce_mean((&p[1] - (&w * &p[0] + &bias)).square(), ());
            let (dw, db) = tape.gradient(&loss, (&w, &bias));
            w.assign_sub(dw * 0.01);
            bias.assign_sub(db * 0.01);
            vec![loss]
        })
    };
    b.run("w3_linreg", true, fit, first);
}

/// Parameters in the comparison's order: glorot for matrices and kernels, zeros for vectors.
fn parameters(seed: u64, shapes: &[&[usize]]) -> Vec<Variable> {
    let start = |(i, shape): (usize, &&[usize])| match shape.len() {
        1 => Variable::new(tf::zeros(*shape)),
        _ => Variable::new(glorot(seed + i as u64, shape)),
    };
    shapes.iter().enumerate().map(start).collect()
}

/// One step of training: loss, gradients, Adam.
fn train(b: &Bench, name: &str, x: Tensor, y: Tensor, v: Vec<Variable>, model: fn(&Tensor, &[Variable]) -> Tensor) {
    let adam = Adam::new(1e-3).epsilon(1e-7);
    let make = || {
        // The optimizer's slots are made before recording, without a step.
        let zeros: tf::Gradients = v.iter().map(|v| tf::zeros(v.shape())).collect();
        adam.apply_gradients(&zeros, &v);
        adam.iterations().assign(&Tensor::from(0i64));
        step(vec![x, y], move |p| {
            let tape = GradientTape::new();
            let logits = model(&p[0], &v);
            let loss = tf::reduce_mean(tf::sparse_softmax_cross_entropy_with_logits(&p[1], &logits), ());
            adam.apply_gradients(&tape.gradient(&loss, &v), &v);
            vec![loss]
        })
    };
    b.run(name, true, make, first);
}

fn networks(b: &Bench) {
    for (name, c) in [("w4_mnist_cnn", 16), ("w4_mnist_cnn_24", 24), ("w4_mnist_cnn_48", 48)] {
        let shapes: [&[usize]; 6] = [&[3, 3, 1, c], &[c], &[3, 3, c, c], &[c], &[c, 10], &[10]];
        let images = uniform(491, &[32, 28, 28, 1], 0.0, 1.0);
        train(b, name, images, labels(492, 32, 10), parameters(400, &shapes), |x, v| {
            let h = tf::relu(tf::bias_add(tf::conv2d(x, &v[0], [1, 1], tf::Padding::Valid), &v[1]));
            let h = tf::relu(tf::bias_add(tf::conv2d(h, &v[2], [1, 1], tf::Padding::Valid), &v[3]));
            tf::bias_add(tf::matmul(tf::reduce_mean(h, [1, 2]), &v[4]), &v[5])
        });
    }
    for (name, batch) in [("w5_mlp", 128), ("w5_mlp_100", 100)] {
        let shapes: [&[usize]; 6] = [&[784, 512], &[512], &[512, 512], &[512], &[512, 10], &[10]];
        let rows = uniform(591, &[batch, 784], 0.0, 1.0);
        train(b, name, rows, labels(592, batch, 10), parameters(500, &shapes), |x, v| {
            let h = tf::relu(tf::bias_add(tf::matmul(x, &v[0]), &v[1]));
            let h = tf::relu(tf::bias_add(tf::matmul(h, &v[2]), &v[3]));
            tf::bias_add(tf::matmul(h, &v[4]), &v[5])
        });
    }
}

fn fusion(b: &Bench) {
    let f = |a: &Tensor, b: &Tensor, c: &Tensor| {
        tf::reduce_mean(tf::tanh(a * b + c) * tf::sigmoid(a) - tf::exp(-(b * b)), ())
    };
    for (n, tag) in [(1_000_000, "1e6"), (10_000_000, "1e7")] {
        let inputs = || [601, 602, 603].map(|seed| uniform(seed, &[n], -2.0, 2.0)).to_vec();
        let forward = || step(inputs(), |p| vec![f(&p[0], &p[1], &p[2])]);
        b.run(&format!("w6_fusion_fwd_{tag}"), false, forward, first);
        let gradient = || {
            step(inputs(), |p| {
                let mut tape = GradientTape::new();
                tape.watch(p);
                let y = f(&p[0], &p[1], &p[2]);
                let [a, b, c] = tape.gradient(&y, [&p[0], &p[1], &p[2]]);
                vec![y, a, b, c]
            })
        };
        b.run(&format!("w6_fusion_grad_{tag}"), false, gradient, |r| r.iter().map(sum).collect());
    }
}

fn main() {
    if std::env::args().any(|a| a == "--loops") {
        return expressions::compare();
    }
    let b = Bench::new("function");
    small(&b);
    networks(&b);
    fusion(&b);
    loops::run(&b);
}
