//! Linear algebra in float64: single matrices and batches of small ones, beside NumPy with SciPy, and PyTorch, in turns.
//! `cargo bench -p eagerflow --bench linalg` prints a table; the peers take part where `EAGERFLOW_PYTHON` names a Python that has them
//! (`-- cholesky qr` measures these alone).
//!
//! Every time is that of the fastest round of seven; a round repeats the call for 30 ms, or makes it once. All use every processor they
//! are given (`EAGERFLOW_THREADS`, `OMP_NUM_THREADS`).

#[path = "support/data.rs"]
mod data;
#[path = "support/peers.rs"]
mod peers;

use eagerflow as tf;
use peers::Peers;
use std::hint::black_box;
use std::time::Instant;
use tf::{DType, Tensor};

type Call = fn(&Tensor, &Tensor);

/// The functions by name; the operands are matrices that are symmetric and far from singular, and right hand sides.
const FUNCTIONS: [(&str, Call); 10] = [
    ("cholesky", |a, _| drop(black_box(tf::linalg::cholesky(a)))),
    ("solve", |a, b| drop(black_box(tf::linalg::solve(a, b, false)))),
    ("inv", |a, _| drop(black_box(tf::linalg::inv(a, false)))),
    ("det", |a, _| drop(black_box(tf::linalg::det(a)))),
    ("lu", |a, _| drop(black_box(tf::linalg::lu(a)))),
    ("qr", |a, _| drop(black_box(tf::linalg::qr(a, false)))),
    ("svd", |a, _| drop(black_box(tf::linalg::svd(a, false)))),
    ("eigh", |a, _| drop(black_box(tf::linalg::eigh(a)))),
    ("eig", |a, _| drop(black_box(tf::linalg::eig(a)))),
    ("lstsq", |a, b| drop(black_box(tf::linalg::lstsq(a, b, 0.0, true)))),
];

/// Matrices in a batch, and rows of each.
const SIZES: [(usize, usize); 6] = [(1, 4), (1, 32), (1, 256), (1, 1024), (1024, 4), (64, 32)];

const ROUNDS: usize = 7;

/// Microseconds of one call in a round.
fn round(call: Call, a: &Tensor, b: &Tensor) -> f64 {
    let start = Instant::now();
    let mut calls = 0;
    while calls == 0 || start.elapsed().as_millis() < 30 {
        call(a, b);
        calls += 1;
    }
    start.elapsed().as_secs_f64() * 1e6 / f64::from(calls)
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let mut peers = Peers::start("linalg_peers.py");
    println!(
        "{:<10} {:>14} {:>12} {:>12} {:>12} {:>7} {:>7}",
        "function", "matrices", "eagerflow", "NumPy", "PyTorch", "/NumPy", "/PyTorch"
    );
    for (name, call) in FUNCTIONS.into_iter().filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|w| w == name))
    {
        for (batch, n) in SIZES {
            let shape: Vec<usize> = if batch == 1 { vec![n, n] } else { vec![batch, n, n] };
            let x = data::uniform(1, &shape, 0.0, 1.0).cast(DType::F64);
            let eye = tf::try_eye([n, n], DType::F64).expect("a matrix");
            let a = &x + &tf::linalg::matrix_transpose(&x) + eye * (2.0 * n as f64);
            let mut right = shape.clone();
            right[shape.len() - 1] = 1;
            let b = data::uniform(2, &right, 0.0, 1.0).cast(DType::F64);
            let (mut ours, mut theirs) = (f64::INFINITY, [f64::INFINITY; 2]);
            for _ in 0..ROUNDS {
                ours = ours.min(round(call, &a, &b));
                if let Some(peers) = &mut peers {
                    let times = peers.round(&format!("{name} {batch} {n}"));
                    theirs = [theirs[0].min(times[0]), theirs[1].min(times[1])];
                }
            }
            println!(
                "{name:<10} {:>14} {ours:>12.1} {:>12.1} {:>12.1} {:>7.2} {:>7.2}",
                format!("{batch}x{n}x{n}"),
                theirs[0],
                theirs[1],
                ours / theirs[0],
                ours / theirs[1]
            );
        }
    }
    if let Some(peers) = peers {
        peers.end();
    }
}
