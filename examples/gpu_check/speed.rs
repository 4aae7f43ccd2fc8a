//! What single things cost on the GPU: an eager operation, a traced call, copies, fused kernels, matrix products.
//! `main` prints the rows.

use eagerflow as tf;
use std::time::Instant;
use tf::{DType, Result, Tensor, tf_function};

/// A line of the table.
pub type Row = (String, String);

/// Seconds per call, the fastest of several rounds of `calls` each; the device is waited for at the end of a round.
pub fn time<T>(calls: usize, mut call: impl FnMut() -> Result<T>) -> Result<f64> {
    let mut best = f64::INFINITY;
    for round in 0..6 {
        tf::config::synchronize("/gpu:0")?;
        let start = Instant::now();
        for _ in 0..calls {
            call()?;
        }
        tf::config::synchronize("/gpu:0")?;
        // The first round compiles kernels and records.
        if round > 0 {
            best = best.min(start.elapsed().as_secs_f64() / calls as f64);
        }
    }
    Ok(best)
}

#[tf_function]
fn one(a: &Tensor, b: &Tensor) -> Tensor {
    a + b
}

#[tf_function]
fn formula(a: &Tensor, b: &Tensor, c: &Tensor) -> Tensor {
    (a * b + c).tanh() * a.sigmoid() - (-(b * b)).exp()
}

#[tf_function]
fn folded(a: &Tensor, b: &Tensor, c: &Tensor) -> Tensor {
    tf::reduce_mean(&((a * b + c).tanh() * a.sigmoid() - (-(b * b)).exp()), ())
}

pub fn rows(quick: bool) -> Result<Vec<Row>> {
    let _there = tf::device("/gpu:0")?;
    let mut rows: Vec<Row> = Vec::new();
    let few = tf::random::normal([10], 0.0, 1.0);
    let calls = if quick { 50 } else { 5000 };
    let eager = time(calls, || few.try_add(&few))?;
    rows.push(("eager addition of 10 elements, host and device".into(), format!("{:.2} µs", eager * 1e6)));
    let start = Instant::now();
    for _ in 0..calls {
        few.try_add(&few)?;
    }
    let host = start.elapsed().as_secs_f64() / calls as f64;
    tf::config::synchronize("/gpu:0")?;
    rows.push(("the same, host only".into(), format!("{:.2} µs", host * 1e6)));
    let traced = time(calls, || Ok(one(&few, &few)))?;
    rows.push(("traced call of one operation".into(), format!("{:.2} µs", traced * 1e6)));

    let n = if quick { 100_000 } else { 100_000_000 };
    let [a, b, c] = [1, 2, 3].map(|seed| {
        tf::random::set_seed(seed);
        tf::random::normal([n], 0.0, 1.0)
    });
    let copy = time(10, || a.try_add(0.0))?;
    let rate = |bytes: f64, seconds: f64| bytes * 4.0 * n as f64 / seconds / 1e9;
    rows.push((format!("copy of {n} floats"), format!("{:.0} GB/s", rate(2.0, copy))));
    let fused = time(10, || Ok(formula(&a, &b, &c)))?;
    rows.push(("a formula of three operands, read and written".into(), format!("{:.0} GB/s", rate(4.0, fused))));
    let mean = time(10, || Ok(folded(&a, &b, &c)))?;
    rows.push(("its mean".into(), format!("{:.0} GB/s", rate(3.0, mean))));
    let sum = time(10, || tf::try_reduce_sum(&a, ()))?;
    rows.push(("a sum".into(), format!("{:.0} GB/s", rate(1.0, sum))));
    products(quick, &mut rows)?;
    Ok(rows)
}

fn products(quick: bool, rows: &mut Vec<Row>) -> Result<()> {
    let n = if quick { 64 } else { 8192 };
    for (dtype, exact) in [(DType::F32, true), (DType::F32, false), (DType::BF16, false), (DType::F16, false)] {
        let x = tf::random::normal([n, n], 0.0, 1.0).try_cast(dtype)?;
        tf::config::enable_tensor_float_32_execution(!exact);
        let seconds = time(5, || x.try_matmul(&x))?;
        tf::config::enable_tensor_float_32_execution(true);
        let name = if dtype == DType::F32 && !exact { "TF32".to_string() } else { dtype.to_string() };
        let rate = 2.0 * (n as f64).powi(3) / seconds / 1e12;
        rows.push((format!("product of {n} by {n}, {name}"), format!("{rate:.1} TFLOP/s")));
    }
    Ok(())
}
