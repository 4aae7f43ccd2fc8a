//! The workloads of the comparison, op by op: `cargo bench -p eagerflow --bench eager` prints a table.
//! `-- --json` prints one JSON line per workload in the form that the other frameworks' harnesses use.

#[path = "support/data.rs"]
mod data;
#[path = "support/measure.rs"]
mod measure;

use data::*;
use eagerflow as tf;
use measure::Bench;
use tf::optim::{Adam, Optimizer};
use tf::{GradientTape, Tensor, Variable};

fn sum(x: &Tensor) -> f64 {
    f64::from(tf::reduce_sum(x, ()).item::<f32>())
}

fn one(x: &Tensor) -> Vec<f64> {
    vec![sum(x)]
}

fn matrix_products(b: &Bench) {
    let chain = || {
        let start = idempotent();
        move || (0..200).fold(start.clone(), |x, _| x.matmul(&x))
    };
    b.run("w1_matmul_chain", false, chain, |r| vec![f64::from(r.as_slice::<f32>().unwrap()[0]), sum(r)]);
    for (name, [m, k, n], seed) in [("w1_matmul_64", [64, 64, 64], 111), ("w1_matmul_32x784x128", [32, 784, 128], 121)]
    {
        let product = || {
            let (x, y) = (uniform(seed, &[m, k], -1.0, 1.0), uniform(seed + 1, &[k, n], -1.0, 1.0));
            move || x.matmul(&y)
        };
        b.run(name, false, product, one);
    }
}

fn tiny(b: &Bench) {
    let add = || {
        let (x, y) = (uniform(201, &[10], -1.0, 1.0), uniform(202, &[10], -1.0, 1.0));
        move || &x + &y
    };
    b.run("w2_tiny_add", false, add, one);
    let gradient = || {
        let w = Variable::new(3.0);
        move || {
            let tape = GradientTape::new();
            let y = &w * &w;
            tape.gradient(&y, &w)
        }
    };
    b.run("w2_tiny_grad", false, gradient, one);
}

fn line_fit(b: &Bench) {
    let step = || {
        let (x, y) = line();
        let (w, bias) = (Variable::new(5.0), Variable::new(0.0));
        move || {
            let tape = GradientTape::new();
            let loss = tf::reduce_mean((&y - (&w * &x + &bias)).square(), ());
            let (dw, db) = tape.gradient(&loss, (&w, &bias));
            w.assign_sub(dw * 0.01);
            bias.assign_sub(db * 0.01);
            loss
        }
    };
    b.run("w3_linreg", true, step, one);
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
    let step = || {
        move || {
            let tape = GradientTape::new();
            let logits = model(&x, &v);
            let loss = tf::reduce_mean(tf::sparse_softmax_cross_entropy_with_logits(&y, &logits), ());
            adam.apply_gradients(&tape.gradient(&loss, &v), &v);
            loss
        }
    };
    b.run(name, true, step, one);
}

fn networks(b: &Bench) {
    let shapes: [&[usize]; 6] = [&[3, 3, 1, 16], &[16], &[3, 3, 16, 16], &[16], &[16, 10], &[10]];
    let images = uniform(491, &[32, 28, 28, 1], 0.0, 1.0);
    train(b, "w4_mnist_cnn", images, labels(492, 32, 10), parameters(400, &shapes), |x, v| {
        let h = tf::relu(tf::bias_add(tf::conv2d(x, &v[0], [1, 1], tf::Padding::Valid), &v[1]));
        let h = tf::relu(tf::bias_add(tf::conv2d(h, &v[2], [1, 1], tf::Padding::Valid), &v[3]));
        tf::bias_add(tf::matmul(tf::reduce_mean(h, [1, 2]), &v[4]), &v[5])
    });
    let shapes: [&[usize]; 6] = [&[784, 512], &[512], &[512, 512], &[512], &[512, 10], &[10]];
    let rows = uniform(591, &[128, 784], 0.0, 1.0);
    train(b, "w5_mlp", rows, labels(592, 128, 10), parameters(500, &shapes), |x, v| {
        let h = tf::relu(tf::bias_add(tf::matmul(x, &v[0]), &v[1]));
        let h = tf::relu(tf::bias_add(tf::matmul(h, &v[2]), &v[3]));
        tf::bias_add(tf::matmul(h, &v[4]), &v[5])
    });
}

fn fusion(b: &Bench) {
    let f = |a: &Tensor, b: &Tensor, c: &Tensor| {
        tf::reduce_mean(tf::tanh(a * b + c) * tf::sigmoid(a) - tf::exp(-(b * b)), ())
    };
    for (n, tag) in [(1_000_000, "1e6"), (10_000_000, "1e7")] {
        let inputs = || [601, 602, 603].map(|seed| uniform(seed, &[n], -2.0, 2.0));
        let forward = || {
            let [x, y, z] = inputs();
            move || f(&x, &y, &z)
        };
        b.run(&format!("w6_fusion_fwd_{tag}"), false, forward, one);
        let gradient = || {
            let v = inputs();
            move || {
                let mut tape = GradientTape::new();
                tape.watch(&v[..]);
                let y = f(&v[0], &v[1], &v[2]);
                let [a, b, c] = tape.gradient(&y, [&v[0], &v[1], &v[2]]);
                [y, a, b, c]
            }
        };
        b.run(&format!("w6_fusion_grad_{tag}"), false, gradient, |r| r.iter().map(sum).collect());
    }
}

/// Operations over whole rows and columns of tables that no cache holds, and of one whose rows are long.
fn tables(b: &Bench) {
    for (tag, shape, seed) in [("4096x4096", [4096, 4096], 701), ("64x32000", [64, 32_000], 702)] {
        let table = || uniform(seed, &shape, -4.0, 4.0);
        let softmax = || {
            let x = table();
            move || tf::softmax(&x, -1)
        };
        b.run(&format!("table_softmax_{tag}"), false, softmax, one);
        let gradient = || {
            let (x, weights) = (table(), table());
            move || {
                let mut tape = GradientTape::new();
                tape.watch(&x);
                let y = tf::reduce_sum(tf::softmax(&x, -1) * &weights, ());
                tape.gradient(&y, &x)
            }
        };
        b.run(&format!("table_softmax_grad_{tag}"), false, gradient, |dx| vec![sum(&dx.abs())]);
        for (name, axis) in [("rows", 1isize), ("columns", 0)] {
            let total = || {
                let x = table();
                move || tf::reduce_sum(&x, axis)
            };
            b.run(&format!("table_sum_{name}_{tag}"), false, total, one);
            let greatest = || {
                let x = table();
                move || tf::reduce_max(&x, axis)
            };
            b.run(&format!("table_max_{name}_{tag}"), false, greatest, one);
        }
    }
}

fn main() {
    let b = Bench::new("eager");
    matrix_products(&b);
    tiny(&b);
    line_fit(&b);
    networks(&b);
    fusion(&b);
    tables(&b);
}
