//! What a round costs where a loop takes a part of a large tensor, or changes one, at 100 to 100,000 rounds, with gradients:
//! `cargo bench -p eagerflow --bench growth` prints microseconds a round, which must stay level, and the peak of memory.
//! `-- --only rows,split` picks forms by how their names begin, and `rnn`, `-- --most 10000` leaves out longer loops.

use eagerflow as tf;
use std::time::Instant;
use tf::{DType, GradientTape, Tensor, TensorArray, Variable, s, tf_function};

const ROUNDS: [usize; 4] = [100, 1_000, 10_000, 100_000];
const WIDTH: usize = 8;

#[path = "../../tests/tests/growth/eager_forms.rs"]
mod eager_forms;
#[path = "../../tests/tests/growth/forms.rs"]
mod forms;
use eager_forms::{eager_forms, index, total};
use forms::graph_forms;

/// Seconds that a step of so many rounds took.
type Step = Box<dyn Fn(&Tensor, usize) -> f64>;

macro_rules! traced_with_gradient {
    ($($name:ident($xs:ident, $n:ident) $body:block)*) => {
        $(#[tf_function]
        fn $name($xs: &Tensor, $n: &Tensor) -> Tensor $body)*

        fn graphs() -> Vec<(String, Step)> {
            vec![$((stringify!($name).to_owned(), gradient(graph($name)))),*]
        }
    };
}
graph_forms!(traced_with_gradient);

macro_rules! eager_with_gradient {
    ($($name:ident($xs:ident, $n:ident) $body:block)*) => {
        fn eager() -> Vec<(String, Step)> {
            $(fn $name($xs: &Tensor, $n: usize) -> Tensor $body)*
            vec![$((concat!("eager ", stringify!($name)).to_owned(), gradient($name))),*]
        }
    };
}
eager_forms!(eager_with_gradient);

#[tf_function]
fn rows_of_a_variable(v: &Variable, n: &Tensor) -> Tensor {
    let mut sum = tf::constant(0.0);
    for i in tf::range(0, n, 1) {
        sum = sum + tf::reduce_sum(tf::embedding_lookup(v, &tf::reshape(&i, [1])), ());
    }
    sum
}

/// A recurrent network over the first dimension of `[steps, batch, features]`, and the gradient by all of it.
#[tf_function]
fn rnn_rows(xs: &Tensor, w: &Tensor) -> Tensor {
    let mut h = tf::zeros([32, 128]);
    for x in xs {
        h = tf::tanh(x + tf::matmul(&h, w));
    }
    tf::reduce_sum(&h, ())
}

/// The same over a `TensorArray` of the steps.
#[tf_function]
fn rnn_array(xs: &Tensor, w: &Tensor) -> Tensor {
    let steps = TensorArray::unstack(xs);
    let mut h = tf::zeros([32, 128]);
    for i in tf::range(0, tf::shape(xs).at(0), 1) {
        h = tf::tanh(steps.read(&i) + tf::matmul(&h, w));
    }
    tf::reduce_sum(&h, ())
}

fn rnn() {
    let ms = |network: fn(&Tensor, &Tensor) -> Tensor, n: usize| {
        let xs = tf::random::normal([n, 32, 128], 0.0, 0.1);
        let w = tf::random::normal([128, 128], 0.0, 0.05);
        let step = gradient(move |xs, _| network(xs, &w));
        times(&*step, &xs, n) * 1e3
    };
    for n in [100, 800, 3200] {
        println!("rnn of [{n}, 32, 128], ms: {:.1} by rows, {:.1} by a TensorArray", ms(rnn_rows, n), ms(rnn_array, n));
    }
}

/// The best of three after one that makes the trace; of one alone where that takes seconds.
fn times(step: &dyn Fn(&Tensor, usize) -> f64, xs: &Tensor, n: usize) -> f64 {
    let first = step(xs, n);
    if first > 2.0 {
        return first;
    }
    (0..3).map(|_| step(xs, n)).fold(f64::INFINITY, f64::min)
}

fn forward(f: impl Fn(&Tensor, usize) -> Tensor + 'static) -> Step {
    Box::new(move |xs, n| {
        let start = Instant::now();
        std::hint::black_box(f(xs, n));
        start.elapsed().as_secs_f64()
    })
}

fn gradient(f: impl Fn(&Tensor, usize) -> Tensor + 'static) -> Step {
    Box::new(move |xs, n| {
        let start = Instant::now();
        let mut tape = GradientTape::new();
        tape.watch(xs);
        let y = f(xs, n);
        std::hint::black_box(tape.gradient(&y, xs));
        start.elapsed().as_secs_f64()
    })
}

fn graph(f: impl Fn(&Tensor, &Tensor) -> Tensor) -> impl Fn(&Tensor, usize) -> Tensor {
    move |xs, n| f(xs, &tf::constant(n as i32))
}

fn of_a_variable() -> Step {
    let variables = ROUNDS.map(|n| (n, Variable::new(tf::ones([n.max(16), WIDTH]))));
    Box::new(move |_, n| {
        let v =
            variables.iter().find(|(rounds, _)| *rounds == n).map(|(_, v)| v).expect("one for each number of rounds");
        let n = tf::constant(n as i32);
        let start = Instant::now();
        let tape = GradientTape::new();
        let y = rows_of_a_variable(v, &n);
        std::hint::black_box(tape.gradient(&y, v));
        start.elapsed().as_secs_f64()
    })
}

fn asked_often() -> Step {
    Box::new(|xs, n| {
        let mut tape = GradientTape::persistent();
        tape.watch(xs);
        let mut y = xs.at(0);
        (0..n).for_each(|_| y = &y * 1.0001);
        let start = Instant::now();
        (0..10).for_each(|_| drop(std::hint::black_box(tape.gradient(&y, xs))));
        start.elapsed().as_secs_f64() / 10.0
    })
}

/// Lets the system forget how much memory the process has held at the most, where it can.
fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The most memory that the process has held since, in MB, as far as the system tells.
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
    let mut forms = graphs();
    forms.push(("rows_of_a_variable".to_owned(), of_a_variable()));
    forms.push(("updates_alone forward".to_owned(), forward(graph(updates_alone))));
    forms.push(("scatter_add forward".to_owned(), forward(graph(scatter_add))));
    forms.extend(eager());
    forms.push(("eager persistent tape, each of 10".to_owned(), asked_often()));
    println!("{:<40}{}   peak MB", "us a round, of rounds", ROUNDS.map(|n| format!("{n:>10}")).join(""));
    for (name, step) in &forms {
        if !only.is_empty() && !only.iter().any(|o| name.starts_with(o)) {
            continue;
        }
        print!("{name:<40}");
        reset_peak();
        for n in ROUNDS.into_iter().filter(|&n| n <= most) {
            let xs = tf::ones([n.max(16), WIDTH]) * 0.5;
            print!("{:>10.2}", times(&**step, &xs, n) / n as f64 * 1e6);
            use std::io::Write;
            let _ = std::io::stdout().flush();
        }
        println!("{:>10.0}", peak());
    }
    if only.is_empty() || only.contains(&"rnn") {
        rnn();
    }
}
