//! Matrix products through the library's operation and by cublasLt called directly in the same run, in turns.
//! The results of both are compared; the best rates are the peaks of the bound for training steps.

use crate::report::{Mark, Report, Row};
use crate::timing::{Rounds, time_both};
use eagerflow as tf;
use tf::__measure::DirectProduct;
use tf::{DType, Error, Result, Tensor, tf_function};

/// The share of the direct call's speed that products of the largest size have to reach.
const MARK: f64 = 0.95;

/// Sizes from which the mark is asked for.
const LARGE: usize = 2048;

/// Turns TensorFloat-32 back on when it goes.
struct Exact;

impl Drop for Exact {
    fn drop(&mut self) {
        tf::config::enable_tensor_float_32_execution(true);
    }
}

/// The kinds of products: name, dtype, and whether `float32` may be rounded.
const KINDS: [(&str, DType, bool); 4] = [
    ("float32", DType::F32, false),
    ("TF32", DType::F32, true),
    ("bfloat16", DType::BF16, false),
    ("float16", DType::F16, false),
];

/// Measures all products; the best rate with TF32 in operations per second.
pub fn run(report: &mut Report, peak: &mut f64) {
    let sizes: &[usize] = if report.quick { &[64, 48] } else { &[512, 2048, 4096, 8192] };
    for (name, dtype, fast) in KINDS {
        for &n in sizes {
            report.check(&format!("product of {n} by {n}, {name}"), 10, |report| {
                let rate = one(report, name, dtype, fast, n)?;
                if name == "TF32" {
                    *peak = peak.max(rate);
                }
                Ok(())
            });
        }
    }
    report.check("product with a bias, TF32", 5, layer);
}

fn one(report: &mut Report, name: &str, dtype: DType, fast: bool, n: usize) -> Result<f64> {
    let _there = tf::try_device("/gpu:0")?;
    let _exact = Exact;
    tf::config::enable_tensor_float_32_execution(fast);
    let [a, b] = [1, 2].map(|seed| {
        tf::random::set_seed(seed);
        tf::random::normal([n, n], 0.0, 1.0).try_cast(dtype)
    });
    let (a, b) = (a?, b?);
    let direct = DirectProduct::new(&a, &b, fast)?;
    let [ours, theirs] =
        time_both(Rounds::new(report.quick), &mut || a.try_matmul(&b).map(drop), &mut || direct.run())?;
    let (mine, other) = (a.try_matmul(&b)?.try_cast(DType::F32)?, direct.result().try_cast(DType::F32)?);
    let apart = tf::try_reduce_max((&mine - &other).abs(), ())?.try_item::<f32>()?;
    let scale = tf::try_reduce_max(mine.abs(), ())?.try_item::<f32>()?;
    // Another algorithm adds in another order, and 16 bits round the end.
    let within = if dtype == DType::F32 && !fast { 1e-5 } else { 1e-2 };
    if !(scale > 0.0 && apart <= within * scale) {
        return Err(Error::internal("matmul", "the product is not that of the direct call")
            .got(format!("a difference of {apart} where the largest element is {scale}")));
    }
    let operations = 2.0 * (n as f64).powi(3);
    let (rate, ratio) = (ours.rate(operations), theirs.median / ours.median);
    let row = Row::new(format!("product of {n} by {n}, {name}: {:.1} TFLOP/s", rate / 1e12), ours.show())
        .beside(format!("cublasLt directly {}", theirs.show()), ratio);
    report.row(if n >= LARGE { row.mark(ratio, Mark::AtLeast(MARK)) } else { row });
    Ok(rate)
}

#[tf_function]
fn dense(x: &Tensor, w: &Tensor, bias: &Tensor) -> Tensor {
    tf::matmul(x, w) + bias
}

/// A dense layer's product with its bias, which the library adds on the way.
fn layer(report: &mut Report) -> Result<()> {
    let _there = tf::try_device("/gpu:0")?;
    let n = if report.quick { 32 } else { 4096 };
    let (x, w) = (tf::random::normal([n, n], 0.0, 1.0), tf::random::normal([n, n], 0.0, 1.0));
    let bias = tf::random::normal([n], 0.0, 1.0);
    let direct = DirectProduct::new(&x, &w, true)?;
    let mut ours = || {
        dense(&x, &w, &bias);
        Ok(())
    };
    let [ours, theirs] = time_both(Rounds::new(report.quick), &mut ours, &mut || direct.run())?;
    report.row(
        Row::new(format!("traced product with a bias, {n} by {n}, TF32"), ours.show())
            .beside(format!("cublasLt directly, without bias {}", theirs.show()), theirs.median / ours.median),
    );
    Ok(())
}
