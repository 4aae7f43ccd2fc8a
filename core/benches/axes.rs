//! What an element costs along any axis of any shape: `cargo bench -p eagerflow --bench axes` prints nanoseconds per element for each operation
//! and shape, and in brackets how many times that is what one long axis costs. `-- --only sum,softmax` picks operations, `-- --shape turned`
//! shapes whose names have that in them, beside the long axis, and `-- --traced` runs the same as traced functions.

use eagerflow as tf;
use std::time::Instant;
use tf::{DType, GradientTape, Tensor, tf_function};

/// An operation along an axis.
type Along = fn(&Tensor, isize) -> Tensor;

macro_rules! operations {
    ($($name:ident: |$x:ident, $axis:ident| $body:expr;)*) => {
        /// Operations as they are called at once.
        mod eager {
            use super::*;
            $(pub fn $name($x: &Tensor, $axis: isize) -> Tensor { $body })*
        }
        /// The same as graphs.
        mod traced {
            use super::*;
            $(#[tf_function] pub fn $name($x: &Tensor, $axis: isize) -> Tensor { $body })*
        }
        const OPERATIONS: &[(&str, Along, Along)] = &[$((stringify!($name), eager::$name, traced::$name)),*];
    };
}

operations! {
    sum: |x, axis| tf::reduce_sum(x, axis);
    mean: |x, axis| tf::reduce_mean(x, axis);
    max: |x, axis| tf::reduce_max(x, axis);
    argmax: |x, axis| tf::argmax(x, axis);
    logsumexp: |x, axis| tf::reduce_logsumexp(x, axis);
    variance: |x, axis| tf::reduce_variance(x, axis);
    softmax: |x, axis| tf::softmax(x, axis);
    centred: |x, axis| x - tf::reduce_mean(x, tf::keep_dims(axis));
    sum_of_squares: |x, axis| tf::reduce_sum(x * x, axis);
    cumsum: |x, axis| tf::cumsum(x, axis);
    max_with_gradient: |x, axis| {
        let mut tape = GradientTape::new();
        tape.watch(x);
        let y = tf::reduce_max(x, axis);
        tape.gradient(&y, x)
    };
}

/// Seconds of the fastest of some calls.
fn fastest(call: impl Fn()) -> f64 {
    call();
    let begin = Instant::now();
    let mut best = f64::INFINITY;
    let mut calls = 0;
    while calls < 5 || begin.elapsed().as_secs_f64() < 0.15 {
        let start = Instant::now();
        call();
        best = best.min(start.elapsed().as_secs_f64());
        calls += 1;
    }
    best
}

/// Sizes, the axis, and how the operand lies.
struct Shape {
    name: &'static str,
    sizes: &'static [usize],
    axis: isize,
    /// Every second element of a larger tensor along the last axis, or its axes in reverse order.
    lies: Lies,
}

#[derive(Clone, Copy)]
enum Lies {
    Dense,
    Apart,
    Turned,
}

const fn dense(name: &'static str, sizes: &'static [usize], axis: isize) -> Shape {
    Shape { name, sizes, axis, lies: Lies::Dense }
}

/// About three million elements each; the first is the long axis that the others are compared with.
const SHAPES: &[Shape] = &[
    dense("long", &[300, 10_000], 1),
    dense("inner 1", &[3_000_000, 1], 1),
    dense("inner 2", &[1_500_000, 2], 1),
    dense("inner 3", &[1_000_000, 3], 1),
    dense("inner 4", &[750_000, 4], 1),
    dense("inner 5", &[600_000, 5], 1),
    dense("inner 8", &[375_000, 8], 1),
    dense("inner 10", &[300_000, 10], 1),
    dense("inner 32", &[93_750, 32], 1),
    dense("inner 100", &[30_000, 100], 1),
    dense("outer 3", &[3, 1_000_000], 0),
    dense("outer 1000", &[1_000, 3_000], 0),
    dense("middle 3", &[1_000, 3, 1_000], 1),
    dense("middle 300", &[100, 300, 100], 1),
    dense("middle, inner 3", &[1_000, 1_000, 3], 1),
    dense("all but inner 3", &[1_000, 1_000, 3], 0),
    Shape { name: "inner 3, apart", sizes: &[1_000_000, 3], axis: 1, lies: Lies::Apart },
    Shape { name: "inner 3, turned", sizes: &[1_000_000, 3], axis: 1, lies: Lies::Turned },
    Shape { name: "long, turned", sizes: &[1_000, 3_000], axis: 1, lies: Lies::Turned },
];

impl Shape {
    fn operand(&self, dtype: DType) -> Tensor {
        let numbers = |sizes: &[usize]| {
            let count = sizes.iter().product::<usize>();
            let data: Vec<f32> = (0..count).map(|i| (i * 7919 % 1009) as f32 / 100.0 - 5.0).collect();
            Tensor::from(data).reshape(sizes).cast(dtype)
        };
        let mut sizes = self.sizes.to_vec();
        match self.lies {
            Lies::Dense => numbers(&sizes),
            Lies::Apart => {
                *sizes.last_mut().unwrap() *= 2;
                numbers(&sizes).at(tf::s![.., ..;2])
            }
            Lies::Turned => {
                sizes.reverse();
                tf::transpose(numbers(&sizes), [])
            }
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let option = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1));
    let only = option("--only").cloned().unwrap_or_default();
    let part = option("--shape").cloned().unwrap_or_default();
    let wanted = |name: &str| only.is_empty() || only.split(',').any(|o| o == name);
    let as_graph = args.iter().any(|a| a == "--traced");
    for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16, DType::I8] {
        let operations = OPERATIONS.iter().filter(|(name, ..)| wanted(name));
        let operations: Vec<_> = operations
            .filter(|(name, ..)| dtype != DType::I8 || matches!(*name, "sum" | "max" | "argmax"))
            .filter(|(name, ..)| dtype == DType::F32 || matches!(*name, "sum" | "max" | "argmax" | "softmax"))
            .collect();
        if operations.is_empty() {
            continue;
        }
        println!("{dtype}{}", if as_graph { ", traced" } else { "" });
        print!("{:<18}", "");
        operations.iter().for_each(|(name, ..)| print!("{name:>18}"));
        println!();
        let mut long = vec![0.0; operations.len()];
        for shape in SHAPES.iter().filter(|shape| shape.name == "long" || shape.name.contains(&part)) {
            let x = shape.operand(dtype);
            print!("{:<18}", shape.name);
            for ((_, eager, traced), long) in operations.iter().zip(&mut long) {
                let call = if as_graph { traced } else { eager };
                let time =
                    fastest(|| drop(call(&x, shape.axis))) * 1e9 / x.shape().dims().iter().product::<usize>() as f64;
                if shape.name == "long" {
                    *long = time;
                }
                print!("{:>18}", format!("{time:.3} ({:.1})", time / *long));
            }
            println!();
        }
    }
}
