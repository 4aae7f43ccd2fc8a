//! Ten element-wise and reduction expressions as planned graphs beside loops written by hand over the same tensors.
//! The benchmark of planned graphs prints their times and ratios; the loops are what a careful user would write.

use super::data::uniform;
use eagerflow as tf;
use std::hint::black_box;
use std::time::Instant;
use tf::__measure::Recorded;
use tf::Tensor;

/// A loop by hand: three inputs, an output of as many elements, and the numbers of rows and columns.
type ByHand = fn(&[f32], &[f32], &[f32], &mut [f32], usize, usize);
type Expression = fn(&[Tensor]) -> Tensor;

const ROWS: usize = 1000;
const COLUMNS: usize = 1000;

/// Each output element from the inputs' at the same place.
macro_rules! each {
    (|$a:ident, $b:ident, $c:ident| $value:expr) => {
        |a, b, c, out, _, _| {
            for (((o, &$a), &$b), &$c) in out.iter_mut().zip(a).zip(b).zip(c) {
                *o = $value;
            }
        }
    };
}

/// A sum in as many chains as a vector register pair has lanes.
fn sum_of(n: usize, f: impl Fn(usize) -> f32) -> f32 {
    let mut lanes = [0f32; 64];
    for i in (0..n / 64 * 64).step_by(64) {
        for (j, lane) in lanes.iter_mut().enumerate() {
            *lane += f(i + j);
        }
    }
    lanes.iter().sum::<f32>() + (n / 64 * 64..n).map(f).sum::<f32>()
}

#[allow(clippy::needless_range_loop, reason = "the loop by hand that the machine is measured against")]
const EXPRESSIONS: [(&str, Expression, ByHand); 10] = [
    ("a*b + c", |x| &x[0] * &x[1] + &x[2], each!(|a, b, c| a * b + c)),
    ("relu(a - b) * c", |x| tf::relu(&x[0] - &x[1]) * &x[2], each!(|a, b, c| (a - b).max(0.0) * c)),
    (
        "a / sqrt(b*b + c*c + 1)",
        |x| &x[0] / tf::sqrt(&(&x[1] * &x[1] + &x[2] * &x[2] + 1.0)),
        each!(|a, b, c| a / (b * b + c * c + 1.0).sqrt()),
    ),
    (
        "polynomial of degree 5",
        |x| ((((&x[0] * 0.1 + 0.2) * &x[0] + 0.3) * &x[0] + 0.4) * &x[0] + 0.5) * &x[0] + 0.6,
        each!(|a, _b, _c| ((((a * 0.1 + 0.2) * a + 0.3) * a + 0.4) * a + 0.5) * a + 0.6),
    ),
    (
        "where(a > b, a, b*c)",
        |x| tf::where_(&tf::greater(&x[0], &x[1]), &x[0], &(&x[1] * &x[2])),
        each!(|a, b, c| if a > b { a } else { b * c }),
    ),
    (
        "abs(a) + abs(b) + abs(c)",
        |x| tf::abs(&x[0]) + tf::abs(&x[1]) + tf::abs(&x[2]),
        each!(|a, b, c| a.abs() + b.abs() + c.abs()),
    ),
    (
        "sum((a - b)^2)",
        |x| tf::reduce_sum((&x[0] - &x[1]).square(), ()),
        |a, b, _, out, _, _| out[0] = sum_of(a.len(), |i| (a[i] - b[i]) * (a[i] - b[i])),
    ),
    (
        "sum over rows of a*b",
        |x| tf::reduce_sum(&(&x[0] * &x[1]), 1),
        |a, b, _, out, rows, columns| {
            for r in 0..rows {
                let at = r * columns;
                let (a, b) = (&a[at..at + columns], &b[at..at + columns]);
                out[r] = sum_of(columns, |i| a[i] * b[i]);
            }
        },
    ),
    (
        "sum over columns of a*b + c",
        |x| tf::reduce_sum(&(&x[0] * &x[1] + &x[2]), 0),
        |a, b, c, out, rows, columns| {
            out[..columns].fill(0.0);
            for r in 0..rows {
                let at = r * columns..(r + 1) * columns;
                for (((o, a), b), c) in out.iter_mut().zip(&a[at.clone()]).zip(&b[at.clone()]).zip(&c[at]) {
                    *o += a * b + c;
                }
            }
        },
    ),
    (
        "max(a*c - b)",
        |x| tf::reduce_max(&(&x[0] * &x[2] - &x[1]), ()),
        |a, b, c, out, _, _| {
            let mut lanes = [f32::MIN; 64];
            for i in (0..a.len() / 64 * 64).step_by(64) {
                for (j, lane) in lanes.iter_mut().enumerate() {
                    let x = a[i + j] * c[i + j] - b[i + j];
                    *lane = if x > *lane { x } else { *lane };
                }
            }
            out[0] = lanes.iter().copied().fold(f32::MIN, f32::max);
        },
    ),
];

fn best(mut f: impl FnMut()) -> f64 {
    (0..200)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed().as_secs_f64() * 1e6
        })
        .fold(f64::INFINITY, f64::min)
}

/// Prints the times of all expressions: planned with all threads and with one, and by hand with one.
pub fn compare() {
    let x = [1, 2, 3].map(|seed| uniform(seed, &[ROWS, COLUMNS], -2.0, 2.0));
    println!(
        "{:<32} {:>10} {:>10} {:>10} {:>7}",
        "expression, 1e6 elements", "plan us", "1 thread", "by hand", "ratio"
    );
    for (name, expression, by_hand) in EXPRESSIONS {
        let recorded = Recorded::new(&[&x[0], &x[1], &x[2]], |p| vec![expression(p)]).expect("a plan");
        let call = || drop(black_box(recorded.call(&[&x[0], &x[1], &x[2]]).expect("a call that fits")));
        let all = best(call);
        tf::config::set_threads(1);
        let one = best(call);
        tf::config::set_threads(0);
        let slices = x.each_ref().map(|t| t.as_slice::<f32>().expect("dense"));
        let mut out = vec![0f32; ROWS * COLUMNS];
        let hand = best(|| by_hand(slices[0], slices[1], slices[2], black_box(&mut out), ROWS, COLUMNS));
        println!("{name:<32} {all:>10.1} {one:>10.1} {hand:>10.1} {:>7.2}", one / hand);
    }
}
