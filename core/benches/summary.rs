//! What summaries cost: a million scalars outside of traced functions, and a traced step with and without ten scalars in it.
//! `summary_peers.py` times the scalars in turns with `tf.summary`. `cargo bench -p eagerflow --bench summary` alone prints times; with
//! `-- --serve` a line on the input asks for one.

use eagerflow::{self as tf, Tensor, Variable, tf_function};
use std::io::BufRead;
use std::path::PathBuf;
use std::time::Instant;
use tf::summary::{self, SummaryWriter};

/// A folder that goes with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("eagerflow-bench-{name}-{}", std::process::id())))
    }

    fn writer(&self) -> SummaryWriter {
        summary::create_file_writer(&self.0)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Seconds for a million scalars, with all of them in the file; and what the calls alone took.
fn scalars(count: i64) -> (f64, f64) {
    let folder = Folder::new("scalars");
    let writer = folder.writer();
    let _default = writer.as_default();
    let start = Instant::now();
    for step in 0..count {
        summary::scalar("loss", 0.5, step);
    }
    let called = start.elapsed().as_secs_f64();
    writer.flush();
    (start.elapsed().as_secs_f64(), called)
}

#[tf_function]
fn plain(w: &Variable, x: &Tensor) -> Tensor {
    let y = tf::reduce_sum(tf::matmul(x, x) * w, ());
    w.assign_add(0.001);
    y
}

#[tf_function]
fn with_scalars(w: &Variable, x: &Tensor, step: &Variable) -> Tensor {
    let y = tf::reduce_sum(tf::matmul(x, x) * w, ());
    w.assign_add(0.001);
    for name in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"] {
        summary::scalar(name, &y, step);
    }
    step.assign_add(1);
    y
}

#[tf_function]
fn with_step(w: &Variable, x: &Tensor, step: &Variable) -> Tensor {
    let y = tf::reduce_sum(tf::matmul(x, x) * w, ());
    w.assign_add(0.001);
    step.assign_add(1);
    y
}

/// Microseconds of a call, the median of several runs.
fn micros(mut run: impl FnMut()) -> f64 {
    const CALLS: usize = 2000;
    (0..200).for_each(|_| run());
    let mut times: Vec<f64> = (0..15)
        .map(|_| {
            let start = Instant::now();
            (0..CALLS).for_each(|_| run());
            start.elapsed().as_secs_f64() * 1e6 / CALLS as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Microseconds of a step without and with ten scalars.
fn steps() -> (f64, f64, f64) {
    let (w, x) = (Variable::new(1.0), tf::ones([32, 32]));
    let folder = Folder::new("steps");
    let writer = folder.writer();
    let _default = writer.as_default();
    let step = Variable::new(Tensor::from(0_i64));
    let none = micros(|| drop(plain(&w, &x)));
    let counted = micros(|| drop(with_step(&w, &x, &step)));
    (none, counted, micros(|| drop(with_scalars(&w, &x, &step))))
}

fn main() {
    const COUNT: i64 = 1_000_000;
    if !std::env::args().any(|argument| argument == "--serve") {
        for _ in 0..3 {
            let (whole, called) = scalars(COUNT);
            let nanos = |seconds: f64| seconds * 1e9 / COUNT as f64;
            println!("a scalar: {:.0} ns in the file, {:.0} ns for its caller", nanos(whole), nanos(called));
        }
        let (plain, counted, with) = steps();
        println!("a step: {plain:.2} us; that counts: {counted:.2} us; and writes ten scalars: {with:.2} us");
        return;
    }
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        match line.as_str() {
            "scalars" => println!("{}", scalars(COUNT).0),
            "calls" => println!("{}", scalars(COUNT).1),
            "step" => println!("{}", steps().1 * 1e-6),
            "step with scalars" => println!("{}", steps().2 * 1e-6),
            _ => println!("nan"),
        }
    }
}
