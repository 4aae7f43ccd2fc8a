//! The workloads of the comparison as traced functions: `cargo bench -p eagerflow --bench function` prints a table.
//! `-- --json` prints one JSON line per workload, mode `function`; `-- --loops` compares ten expressions with loops by hand;
//! `-- --plans` measures every step of the plans and prints them.

#[path = "support/data.rs"]
mod data;
#[path = "support/expressions.rs"]
mod expressions;
#[path = "support/loops.rs"]
mod loops;
#[path = "support/lstm.rs"]
mod lstm;
#[path = "support/measure.rs"]
mod measure;
#[path = "support/networks.rs"]
mod networks;

use data::*;
use eagerflow as tf;
use measure::Bench;
use tf::{GradientTape, Module, Tensor, Variable, tf_function};

fn sum(x: &Tensor) -> f64 {
    f64::from(tf::reduce_sum(x, ()).item::<f32>())
}

fn one(x: &Tensor) -> Vec<f64> {
    vec![sum(x)]
}

#[tf_function]
fn add(x: &Tensor, y: &Tensor) -> Tensor {
    x + y
}

#[tf_function]
fn product(x: &Tensor, y: &Tensor) -> Tensor {
    tf::matmul(x, y)
}

/// The loop is in the graph.
#[tf_function]
fn chain(x: &Tensor, times: &Tensor) -> Tensor {
    let mut x = x.clone();
    for _ in tf::range(0, times, 1) {
        x = tf::matmul(&x, &x);
    }
    x
}

#[derive(Module)]
struct Line {
    w: Variable,
    b: Variable,
}

impl Line {
    #[tf_function]
    fn step(&self, x: &Tensor, y: &Tensor) -> Tensor {
        let tape = GradientTape::new();
        let loss = tf::reduce_mean((y - (&self.w * x + &self.b)).square(), ());
        let (dw, db) = tape.gradient(&loss, (&self.w, &self.b));
        self.w.assign_sub(dw * 0.01);
        self.b.assign_sub(db * 0.01);
        loss
    }
}

fn small(b: &Bench) {
    let squares = || {
        let (start, times) = (idempotent(), tf::constant(200));
        move || chain(&start, &times)
    };
    b.run("w1_matmul_chain", false, squares, |r| vec![f64::from(r.as_slice::<f32>().unwrap()[0]), sum(r)]);
    for (name, [m, k, n], seed) in [("w1_matmul_64", [64, 64, 64], 111), ("w1_matmul_32x784x128", [32, 784, 128], 121)]
    {
        let products = || {
            let (x, y) = (uniform(seed, &[m, k], -1.0, 1.0), uniform(seed + 1, &[k, n], -1.0, 1.0));
            move || product(&x, &y)
        };
        b.run(name, false, products, one);
    }
    let sums = || {
        let (x, y) = (uniform(201, &[10], -1.0, 1.0), uniform(202, &[10], -1.0, 1.0));
        move || add(&x, &y)
    };
    b.run("w2_tiny_add", false, sums, one);
    let fit = || {
        let (x, y) = line();
        let line = Line { w: Variable::new(5.0), b: Variable::new(0.0) };
        move || line.step(&x, &y)
    };
    b.run("w3_linreg", true, fit, one);
}

#[tf_function]
fn formula(a: &Tensor, b: &Tensor, c: &Tensor) -> Tensor {
    tf::reduce_mean(tf::tanh(a * b + c) * tf::sigmoid(a) - tf::exp(-(b * b)), ())
}

#[tf_function]
fn slopes(a: &Tensor, b: &Tensor, c: &Tensor) -> (Tensor, Tensor, Tensor, Tensor) {
    let mut tape = GradientTape::new();
    [a, b, c].iter().for_each(|x| tape.watch(*x));
    let y = formula(a, b, c);
    let (da, db, dc) = tape.gradient(&y, (a, b, c));
    (y, da, db, dc)
}

fn fusion(b: &Bench) {
    for (n, tag) in [(1_000_000, "1e6"), (10_000_000, "1e7")] {
        let inputs = || [601, 602, 603].map(|seed| uniform(seed, &[n], -2.0, 2.0));
        let forward = || {
            let [x, y, z] = inputs();
            move || formula(&x, &y, &z)
        };
        b.run(&format!("w6_fusion_fwd_{tag}"), false, forward, one);
        let gradient = || {
            let [x, y, z] = inputs();
            move || slopes(&x, &y, &z)
        };
        let all = |(y, a, b, c): &(Tensor, Tensor, Tensor, Tensor)| [y, a, b, c].map(sum).to_vec();
        b.run(&format!("w6_fusion_grad_{tag}"), false, gradient, all);
    }
}

fn workloads() {
    let b = Bench::new("function");
    small(&b);
    networks::run(&b);
    fusion(&b);
    loops::run(&b);
    lstm::run(&b);
}

fn main() {
    let has = |name: &str| std::env::args().any(|a| a == name);
    if has("--loops") {
        return expressions::compare();
    }
    if !has("--plans") {
        return workloads();
    }
    tf::profile(workloads);
    let all = [tf::function(Line::step), tf::function(networks::step), tf::function(slopes), tf::function(lstm::step)];
    all.iter().filter_map(|function| function.plan()).for_each(|plan| println!("\n{plan}"));
}
