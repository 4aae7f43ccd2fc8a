//! What a round costs where a loop takes a part of a large tensor, or changes one, at 100 to 100,000 rounds, with gradients:
//! `cargo bench -p eagerflow --bench growth` prints microseconds a round, which must stay level, and the peak of memory.
//! `-- --only rows,split` picks forms, `-- --most 10000` leaves out longer loops.

use eagerflow as tf;
use std::time::Instant;
use tf::{DType, GradientTape, Tensor, TensorArray, Variable, s, tf_function};

const ROUNDS: [usize; 4] = [100, 1_000, 10_000, 100_000];
const WIDTH: usize = 8;

/// Defines a traced function of a tensor of rows, and of how many there are.
macro_rules! traced {
    ($($name:ident($xs:ident, $n:ident) $body:block)*) => {
        $(#[tf_function]
        fn $name($xs: &Tensor, $n: &Tensor) -> Tensor $body)*
    };
}

traced! {
    rows(xs, _n) {
        let mut sum = tf::constant(0.0);
        for x in xs {
            sum = sum + tf::reduce_sum(&x * &x, ());
        }
        sum
    }

    at(xs, n) {
        let mut sum = tf::constant(0.0);
        for i in tf::range(0, n, 1) {
            let x = xs.at(&i);
            sum = sum + tf::reduce_sum(&x * &x, ());
        }
        sum
    }

    in_branch(xs, n) {
        let mut sum = tf::constant(0.0);
        for i in tf::range(0, n, 1) {
            if sum < 1.0e9 {
                sum = sum + tf::reduce_sum(xs.at(&i), ());
            }
        }
        sum
    }

    in_inner_loop(xs, n) {
        let mut sum = tf::constant(0.0);
        for i in tf::range(0, n, 1) {
            for _ in tf::range(0, &tf::minimum(n, 2), 1) {
                sum = sum + tf::reduce_sum(xs.at(&i), ());
            }
        }
        sum
    }

    gather(xs, n) {
        let mut sum = tf::constant(0.0);
        for i in tf::range(0, n, 1) {
            sum = sum + tf::reduce_sum(tf::gather(xs, &tf::reshape(&i, [1]), 0), ());
        }
        sum
    }

    gather_columns(xs, n) {
        let mut sum = tf::constant(0.0);
        let turned = tf::transpose(xs, [1, 0]) * 2.0;
        for i in tf::range(0, n, 1) {
            sum = sum + tf::reduce_sum(tf::gather(&turned, &tf::reshape(&i, [1]), 1), ());
        }
        sum
    }

    gather_nd(xs, n) {
        let mut sum = tf::constant(0.0);
        for i in tf::range(0, n, 1) {
            sum = sum + tf::reduce_sum(tf::gather_nd(xs, &tf::reshape(&i, [1, 1])), ());
        }
        sum
    }

    fixed_slice(xs, n) {
        let mut sum = tf::constant(0.0);
        for _ in tf::range(0, n, 1) {
            sum = sum + tf::reduce_sum(xs.at(s![3..5, ..]), ());
        }
        sum
    }

    strided_slice(xs, n) {
        let mut sum = tf::constant(0.0);
        for _ in tf::range(0, n, 1) {
            sum = sum + tf::reduce_sum(xs.at(s![2..10;3, 1..7;2]), ());
        }
        sum
    }

    split(xs, n) {
        let mut sum = tf::constant(0.0);
        for _ in tf::range(0, n, 1) {
            sum = sum + tf::reduce_sum(&tf::split(xs, [4, -1], 0)[0], ());
        }
        sum
    }

    pushed(xs, n) {
        let mut all = Vec::new();
        for i in tf::range(0, n, 1) {
            all.push(xs.at(&i) * 2.0);
        }
        tf::reduce_sum(tf::stack(&all, 0), ())
    }

    array_read_back(xs, n) {
        let mut all = TensorArray::new(DType::F32, n).write(0, &xs.at(0));
        for i in tf::range(1, n, 1) {
            let before = all.read(&(&i - 1));
            all = all.write(&i, &(before * 0.5));
        }
        tf::reduce_sum(all.read(&(n - 1)), ())
    }

    nested_tape(xs, n) {
        let mut sum = tf::reduce_sum(xs.at(0), ());
        for _ in tf::range(0, n, 1) {
            let mut tape = GradientTape::new();
            tape.watch(&sum);
            let y = &sum * &sum;
            let slope = tape.gradient(&y, &sum);
            sum = sum * 0.5 + slope * 0.1;
        }
        sum
    }

    nested_tape_on_a_row(xs, n) {
        let mut sum = tf::constant(0.0);
        for i in tf::range(0, n, 1) {
            let x = xs.at(&i);
            let mut tape = GradientTape::new();
            tape.watch(&x);
            let y = tf::reduce_sum(&x * &x * &x, ());
            let slope = tape.gradient(&y, &x);
            sum = sum + tf::reduce_sum(slope, ());
        }
        sum
    }

    scatter_update(xs, n) {
        let mut all = xs * 1.0;
        for i in tf::range(0, n, 1) {
            all = tf::tensor_scatter_nd_update(&all, &tf::reshape(&i, [1, 1]), &tf::reshape(&all.at(0), [1, WIDTH as isize]));
        }
        tf::reduce_sum(&all, ())
    }

    scatter_add(xs, n) {
        let mut all = xs * 1.0;
        for i in tf::range(0, n, 1) {
            all = tf::tensor_scatter_nd_add(&all, &tf::reshape(&i, [1, 1]), &tf::ones([1, WIDTH]));
        }
        tf::reduce_sum(&all, ())
    }
}

#[tf_function]
fn variable_rows(v: &Variable, n: &Tensor) -> Tensor {
    let mut sum = tf::constant(0.0);
    for i in tf::range(0, n, 1) {
        sum = sum + tf::reduce_sum(tf::embedding_lookup(v, &tf::reshape(&i, [1])), ());
    }
    sum
}

/// The same operation by operation.
mod eager {
    use super::*;

    pub fn rows(xs: &Tensor, _: usize) -> Tensor {
        let mut sum = tf::constant(0.0);
        for x in xs {
            sum = sum + tf::reduce_sum(&x * &x, ());
        }
        sum
    }

    pub fn gather(xs: &Tensor, n: usize) -> Tensor {
        let mut sum = tf::constant(0.0);
        for i in 0..n {
            sum = sum + tf::reduce_sum(tf::gather(xs, &tf::constant([i as i32]), 0), ());
        }
        sum
    }

    pub fn gather_nd(xs: &Tensor, n: usize) -> Tensor {
        let mut sum = tf::constant(0.0);
        for i in 0..n {
            sum = sum + tf::reduce_sum(tf::gather_nd(xs, &tf::constant([[i as i32]])), ());
        }
        sum
    }

    pub fn split(xs: &Tensor, n: usize) -> Tensor {
        let mut sum = tf::constant(0.0);
        for _ in 0..n {
            sum = sum + tf::reduce_sum(&tf::split(xs, [4, -1], 0)[0], ());
        }
        sum
    }

    pub fn strided_slice(xs: &Tensor, n: usize) -> Tensor {
        let mut sum = tf::constant(0.0);
        for _ in 0..n {
            sum = sum + tf::reduce_sum(xs.at(s![2..10;3, 1..7;2]), ());
        }
        sum
    }

    pub fn pushed(xs: &Tensor, n: usize) -> Tensor {
        let all: Vec<Tensor> = (0..n).map(|i| xs.at(i) * 2.0).collect();
        tf::reduce_sum(tf::stack(&all, 0), ())
    }

    pub fn array_read_back(xs: &Tensor, n: usize) -> Tensor {
        let mut all = TensorArray::new(DType::F32, n as i32).write(0, &xs.at(0));
        for i in 1..n as i32 {
            let before = all.read(i - 1);
            all = all.write(i, &(before * 0.5));
        }
        tf::reduce_sum(all.read(n as i32 - 1), ())
    }

    pub fn scatter_update(xs: &Tensor, n: usize) -> Tensor {
        let mut all = xs * 1.0;
        for i in 0..n {
            all = tf::tensor_scatter_nd_update(all, &tf::constant([[i as i32]]), &tf::ones([1, WIDTH]));
        }
        tf::reduce_sum(&all, ())
    }

    pub fn nested_tape(xs: &Tensor, n: usize) -> Tensor {
        let mut sum = tf::reduce_sum(xs.at(0), ());
        for _ in 0..n {
            let mut tape = GradientTape::new();
            tape.watch(&sum);
            let y = &sum * &sum;
            let slope = tape.gradient(&y, &sum);
            sum = sum * 0.5 + slope * 0.1;
        }
        sum
    }
}

type Form<'a> = (&'a str, &'a dyn Fn(&Tensor, usize) -> f64);

/// Seconds of a step without and with the gradient, the best of three after one that makes the trace.
fn times(step: &dyn Fn(&Tensor, usize) -> f64, xs: &Tensor, n: usize) -> f64 {
    step(xs, n);
    (0..3).map(|_| step(xs, n)).fold(f64::INFINITY, f64::min)
}

fn forward(f: impl Fn(&Tensor, usize) -> Tensor) -> impl Fn(&Tensor, usize) -> f64 {
    move |xs, n| {
        let start = Instant::now();
        std::hint::black_box(f(xs, n));
        start.elapsed().as_secs_f64()
    }
}

fn gradient(f: impl Fn(&Tensor, usize) -> Tensor) -> impl Fn(&Tensor, usize) -> f64 {
    move |xs, n| {
        let start = Instant::now();
        let mut tape = GradientTape::new();
        tape.watch(xs);
        let y = f(xs, n);
        std::hint::black_box(tape.gradient(&y, xs));
        start.elapsed().as_secs_f64()
    }
}

fn graph(f: impl Fn(&Tensor, &Tensor) -> Tensor) -> impl Fn(&Tensor, usize) -> Tensor {
    move |xs, n| f(xs, &tf::constant(n as i32))
}

/// The most memory that the process has held, in MB, as far as the system tells.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or("VmHWM: 0");
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let value = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1));
    let only: Vec<&str> = value("--only").map(|v| v.split(',').collect()).unwrap_or_default();
    let most: usize = value("--most").and_then(|v| v.parse().ok()).unwrap_or(100_000);
    let variables = ROUNDS.map(|n| Variable::new(tf::ones([n.max(16), WIDTH])));
    let of_variable = |_: &Tensor, n: usize| {
        let v = &variables[ROUNDS.iter().position(|&rounds| rounds == n).unwrap_or(0)];
        let n = tf::constant(n as i32);
        let start = Instant::now();
        let tape = GradientTape::new();
        let y = variable_rows(v, &n);
        std::hint::black_box(tape.gradient(&y, v));
        start.elapsed().as_secs_f64()
    };
    let asked_often = |xs: &Tensor, n: usize| {
        let mut tape = GradientTape::persistent();
        tape.watch(xs);
        let mut y = xs.at(0);
        (0..n).for_each(|_| y = &y * 1.0001);
        let start = Instant::now();
        (0..10).for_each(|_| drop(std::hint::black_box(tape.gradient(&y, xs))));
        start.elapsed().as_secs_f64() / 10.0
    };
    let forms: &[Form<'_>] = &[
        ("rows", &gradient(graph(rows))),
        ("at", &gradient(graph(at))),
        ("in_branch", &gradient(graph(in_branch))),
        ("in_inner_loop", &gradient(graph(in_inner_loop))),
        ("gather", &gradient(graph(gather))),
        ("gather_columns", &gradient(graph(gather_columns))),
        ("gather_nd", &gradient(graph(gather_nd))),
        ("fixed_slice", &gradient(graph(fixed_slice))),
        ("strided_slice", &gradient(graph(strided_slice))),
        ("split", &gradient(graph(split))),
        ("pushed", &gradient(graph(pushed))),
        ("variable_rows", &of_variable),
        ("array_read_back", &gradient(graph(array_read_back))),
        ("nested_tape", &gradient(graph(nested_tape))),
        ("nested_tape_on_a_row", &gradient(graph(nested_tape_on_a_row))),
        ("scatter_update forward", &forward(graph(scatter_update))),
        ("scatter_update", &gradient(graph(scatter_update))),
        ("scatter_add forward", &forward(graph(scatter_add))),
        ("scatter_add", &gradient(graph(scatter_add))),
        ("eager rows", &gradient(eager::rows)),
        ("eager gather", &gradient(eager::gather)),
        ("eager gather_nd", &gradient(eager::gather_nd)),
        ("eager split", &gradient(eager::split)),
        ("eager strided_slice", &gradient(eager::strided_slice)),
        ("eager pushed", &gradient(eager::pushed)),
        ("eager array_read_back", &gradient(eager::array_read_back)),
        ("eager nested_tape", &gradient(eager::nested_tape)),
        ("eager scatter_update forward", &forward(eager::scatter_update)),
        ("eager scatter_update", &gradient(eager::scatter_update)),
        ("eager persistent tape, each of 10", &asked_often),
    ];
    println!("{:<34}{}   peak MB", "us a round, of rounds", ROUNDS.map(|n| format!("{n:>10}")).join(""));
    for (name, step) in forms {
        if !only.is_empty() && !only.iter().any(|o| name.starts_with(o)) {
            continue;
        }
        print!("{name:<34}");
        for n in ROUNDS.into_iter().filter(|&n| n <= most) {
            let xs = tf::ones([n.max(16), WIDTH]) * 0.5;
            print!("{:>10.2}", times(step, &xs, n) / n as f64 * 1e6);
            use std::io::Write;
            let _ = std::io::stdout().flush();
        }
        println!("{:>10.0}", peak());
    }
}
