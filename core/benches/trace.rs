//! What the first call of a traced function costs, by the size of its graph: `cargo bench -p eagerflow --bench trace` prints
//! ms of tracing, passes and plan, and us a node of the recorded graph. `-- --only line,rnn` picks workloads by the begin of their names, `-- --most 3000` bounds the lines.

#[path = "support/data.rs"]
mod data;
#[path = "support/resnet.rs"]
mod resnet;

use data::*;
use eagerflow as tf;
use std::time::Instant;
use tf::optim::{Adam, Optimizer};
use tf::{GradientTape, Module, Tensor, Variable, tf_function};

type Product = fn(&Tensor, &Tensor) -> Tensor;

/// A product of matrices, which a pass over memory ends at.
fn of_matrices(x: &Tensor, y: &Tensor) -> Tensor {
    tf::matmul(x, y)
}

/// A product element by element: the whole line is passes as long as they may be.
fn of_elements(x: &Tensor, y: &Tensor) -> Tensor {
    x * y
}

/// A straight line of `n` operations, every third of which is a product.
#[tf_function]
fn line(n: usize, product: Product, x: &Tensor, y: &Tensor) -> Tensor {
    straight(n, product, x, y)
}

#[tf_function]
fn line_gradient(n: usize, product: Product, x: &Tensor, y: &Tensor) -> (Tensor, Tensor) {
    let mut tape = GradientTape::new();
    tape.watch(x);
    tape.watch(y);
    let z = tf::reduce_sum(straight(n, product, x, y), ());
    tape.gradient(&z, (x, y))
}

fn straight(n: usize, product: Product, x: &Tensor, y: &Tensor) -> Tensor {
    let mut x = x.clone();
    for i in 0..n {
        x = if i % 3 == 2 { product(&x, y) } else { tf::tanh(y + &x) };
    }
    x
}

#[derive(Module)]
struct Cell {
    w: Variable,
    u: Variable,
    b: Variable,
}

/// A recurrent network whose rounds are unrolled, with its gradient.
#[tf_function]
fn rnn(rounds: usize, cell: &Cell, x: &Tensor, h: &Tensor) -> Vec<Tensor> {
    let tape = GradientTape::new();
    let mut h = h.clone();
    for _ in 0..rounds {
        h = tf::tanh(tf::matmul(x, &cell.w) + tf::matmul(&h, &cell.u) + &cell.b);
    }
    let loss = tf::reduce_mean(h.square(), ());
    let (w, u, b) = tape.gradient(&loss, (&cell.w, &cell.u, &cell.b));
    vec![loss, w, u, b]
}

#[derive(Module)]
struct Deep(Vec<Variable>);

/// A training step of a network of dense layers: a matrix and a row of biases each.
#[tf_function]
fn deep(net: &Deep, adam: &Adam, x: &Tensor, y: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let mut h = x.clone();
    for layer in net.0.chunks(2) {
        h = tf::relu(tf::bias_add(tf::matmul(&h, &layer[0]), &layer[1]));
    }
    let loss = tf::reduce_mean((h - y).square(), ());
    adam.apply_gradients(&tape.gradient(&loss, &net.0), &net.0);
    loss
}

/// Milliseconds that this thread has computed: others may use the machine meanwhile.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn computed() -> f64 {
    unsafe extern "C" {
        // From the C library that `std` itself is linked to.
        fn clock_gettime(clock: i32, time: *mut [i64; 2]) -> i32;
    }
    const THREAD: i32 = 3;
    let mut time = [0; 2];
    // SAFETY: seconds and nanoseconds have room there.
    unsafe { clock_gettime(THREAD, &raw mut time) };
    time[0] as f64 * 1e3 + time[1] as f64 / 1e6
}

/// Milliseconds since the first call of this.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn computed() -> f64 {
    static BEGIN: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    BEGIN.elapsed().as_secs_f64() * 1e3
}

struct Bench {
    only: Vec<String>,
}

impl Bench {
    fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| name.starts_with(only.as_str()))
    }

    /// Times a first call and the one after it; what lies between is tracing, passes and the plan.
    fn first(&self, name: &str, info: impl Fn() -> tf::FunctionInfo, mut call: impl FnMut()) {
        if !self.wants(name) {
            return;
        }
        let mut time = || {
            let start = computed();
            call();
            computed() - start
        };
        // Optimizers make their variables in the first trace of all, and the caches of the process are cold.
        let start = Instant::now();
        time();
        let first = start.elapsed().as_secs_f64() * 1e3;
        let best =
            |time: &mut dyn FnMut() -> f64, times: usize| (0..times).map(|_| time()).fold(f64::INFINITY, f64::min);
        let calls = if first > 5000.0 { 1 } else { 3 };
        let again = best(&mut time, calls);
        let anew = &mut || {
            info().clear();
            time()
        };
        let traced = best(anew, calls);
        let nodes = info().node_count();
        let start = computed();
        info().clear();
        let freed = computed() - start;
        let trace = traced - again;
        println!(
            "{name:<22} {nodes:>8} {first:>12.2} {trace:>12.2} {:>12.2} {again:>12.3} {freed:>10.2}",
            trace * 1e3 / nodes as f64
        );
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1));
    let only = value("--only").map(|v| v.split(',').map(str::to_string).collect()).unwrap_or_default();
    let most: usize = value("--most").and_then(|v| v.parse().ok()).unwrap_or(usize::MAX);
    let b = Bench { only };
    println!(
        "{:<22} {:>8} {:>12} {:>12} {:>12} {:>12} {:>10}",
        "workload", "nodes", "first ms", "trace ms", "us a node", "call ms", "free ms"
    );
    let (x, y) = (uniform(1, &[8, 8], -1.0, 1.0), uniform(2, &[8, 8], -1.0, 1.0));
    for (name, product) in [("line", of_matrices as Product), ("fused", of_elements)] {
        for n in [100, 200, 400, 800, 1600, 3000, 20_000].into_iter().filter(|&n| n <= most) {
            b.first(&format!("{name}_{n}"), || tf::function(line), || drop(line(n, product, &x, &y)));
            let gradient = || drop(line_gradient(n, product, &x, &y));
            b.first(&format!("{name}_grad_{n}"), || tf::function(line_gradient), gradient);
        }
    }
    let matrix = |seed: u64, m: usize, n: usize| Variable::new(uniform(seed, &[m, n], -0.3, 0.3));
    let cell = Cell { w: matrix(3, 8, 16), u: matrix(4, 16, 16), b: Variable::new(uniform(5, &[16], -0.3, 0.3)) };
    let (x, h) = (uniform(6, &[4, 8], -1.0, 1.0), uniform(7, &[4, 16], -1.0, 1.0));
    for rounds in [125, 1000] {
        b.first(&format!("rnn_{rounds}"), || tf::function(rnn), || drop(rnn(rounds, &cell, &x, &h)));
    }
    for layers in [25, 200] {
        let each = |i: usize| [matrix(10 + i as u64, 16, 16), Variable::new(tf::zeros([16]))];
        let net = Deep((0..layers).flat_map(each).collect());
        let (x, y) = (uniform(8, &[4, 16], -1.0, 1.0), uniform(9, &[4, 16], -1.0, 1.0));
        let adam = Adam::new(1e-3);
        b.first(&format!("deep_{layers}"), || tf::function(deep), || drop(deep(&net, &adam, &x, &y)));
    }
    let (net, adam) = (resnet::Net::new(16), Adam::new(1e-3));
    let (images, answers) = (uniform(20, &[1, 32, 32, 3], 0.0, 1.0), labels(21, 1, 10));
    b.first("resnet18", || tf::function(resnet::step), || drop(resnet::step(&net, &adam, &images, &answers)));
}
