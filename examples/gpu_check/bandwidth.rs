//! Kernels that are bound by memory: bytes read and written per second, beside a copy of the same bytes within the device.
//! Sizes are several times the second-level cache, so that the memory is measured and not the cache.

use crate::report::{Mark, Report, Row};
use crate::timing::{Rounds, time, time_both};
use eagerflow as tf;
use tf::__measure::copy_within;
use tf::{DType, Result, Tensor, tf_function};

/// The share of a copy's bandwidth that fused kernels have to reach.
const MARK: f64 = 0.85;

#[tf_function]
fn chain(a: &Tensor, b: &Tensor, c: &Tensor) -> Tensor {
    (a * b + c).tanh() * 0.5 + a * 1.5
}

#[tf_function]
fn heavy(a: &Tensor, b: &Tensor, c: &Tensor) -> Tensor {
    (a * b + c).tanh() * a.sigmoid() - (-(b * b)).exp()
}

#[tf_function]
fn with_bias(a: &Tensor, bias: &Tensor, _c: &Tensor) -> Tensor {
    (a + bias).relu() * 2.0
}

#[tf_function]
fn mean_of_chain(a: &Tensor, b: &Tensor, c: &Tensor) -> Tensor {
    tf::reduce_mean(&(a * b + c).square(), ())
}

#[tf_function]
fn sums_of_rows(a: &Tensor, b: &Tensor, _c: &Tensor) -> Tensor {
    tf::reduce_sum(&(a * b), -1)
}

#[tf_function]
fn sums_of_columns(a: &Tensor, b: &Tensor, _c: &Tensor) -> Tensor {
    tf::reduce_sum(&(a * b), 0)
}

type Function = fn(&Tensor, &Tensor, &Tensor) -> Tensor;

/// Measures all kernels; the copy's bandwidth in bytes per second.
pub fn run(report: &mut Report, bandwidth: &mut f64) {
    report.check("copy within the device", 5, |report| {
        let (a, b) = (operand(report, DType::F32, 1)?, operand(report, DType::F32, 2)?);
        let copy = time(Rounds::new(report.quick), || copy_within(&a, &b))?;
        *bandwidth = copy.rate(8.0 * a.num_elements() as f64);
        let what = format!("copy of {} float32 within the device: {:.0} GB/s", a.num_elements(), *bandwidth / 1e9);
        report.row(Row::new(what, copy.show()));
        Ok(())
    });
    // Operands that are read in whole, and whether the result is as large.
    let fused: [(&str, Function, usize, bool); 6] = [
        ("chain of three operands", chain, 3, true),
        ("chain with tanh, sigmoid and exp", heavy, 3, true),
        ("chain with a broadcast bias", with_bias, 1, true),
        ("mean of a chain", mean_of_chain, 3, false),
        ("sums of rows of a product", sums_of_rows, 2, false),
        ("sums of columns of a product", sums_of_columns, 2, false),
    ];
    for dtype in [DType::F32, DType::BF16] {
        for (name, function, reads, writes) in fused {
            let what = format!("fused: {name}, {dtype}");
            report.check(&what, 5, |report| {
                let (a, mut b, c) =
                    (operand(report, dtype, 1)?, operand(report, dtype, 2)?, operand(report, dtype, 3)?);
                if reads == 1 {
                    b = tf::random::normal([a.dim(1)], 0.0, 1.0).try_cast(dtype)?;
                }
                let bytes = a.num_elements() * dtype.size() * (reads + usize::from(writes));
                against_copy(report, &what, bytes, Some(MARK), || Ok(function(&a, &b, &c)))
            });
        }
        rows(report, dtype);
    }
    alone(report);
}

/// Rows and columns whose elements make the size asked for.
fn operand(report: &Report, dtype: DType, seed: i64) -> Result<Tensor> {
    let _there = tf::try_device("/gpu:0")?;
    let (rows, columns) = if report.quick { (60, 64) } else { (64 * 1024, 1024) };
    tf::random::set_seed(seed);
    tf::random::normal([rows, columns], 0.0, 1.0).try_cast(dtype)
}

/// Kernels that keep a row in registers.
fn rows(report: &mut Report, dtype: DType) {
    type Rows = fn(&Tensor) -> Result<Tensor>;
    let all: [(&str, Rows); 2] =
        [("softmax", |x| tf::try_softmax(x, -1)), ("logarithm of softmax", |x| tf::try_log_softmax(x, -1))];
    for (name, function) in all {
        for (rows, columns) in if report.quick { [(30, 16), (4, 600)] } else { [(256 * 1024, 256), (16 * 1024, 4096)] }
        {
            let what = format!("{name} of rows of {columns}, {dtype}");
            report.check(&what, 5, |report| {
                let _there = tf::try_device("/gpu:0")?;
                let x = tf::random::normal([rows, columns], 0.0, 1.0).try_cast(dtype)?;
                against_copy(report, &what, 2 * rows * columns * dtype.size(), Some(MARK), || function(&x))
            });
        }
    }
}

/// Operations as they run one by one.
fn alone(report: &mut Report) {
    report.check("eager sums", 5, |report| {
        let x = operand(report, DType::F32, 1)?;
        let bytes = x.num_elements() * 4;
        against_copy(report, "eager: sum of all", bytes, Some(MARK), || tf::try_reduce_sum(&x, ()))?;
        against_copy(report, "eager: greatest of each row", bytes, None, || tf::try_reduce_max(&x, -1))?;
        against_copy(report, "eager: sums of columns", bytes, None, || tf::try_reduce_sum(&x, 0))?;
        against_copy(report, "eager: addition of a bias", 2 * bytes, None, || x.try_add(x.at(0)))?;
        against_copy(report, "eager: a number added to a transposed operand, in two passes", 2 * bytes, None, || {
            tf::try_transpose(&x, &[1, 0])?.try_add(0.0)
        })
    });
}

/// A kernel that moves so many bytes, beside a copy that reads half of them and writes the other half.
fn against_copy(
    report: &mut Report,
    what: &str,
    bytes: usize,
    mark: Option<f64>,
    mut kernel: impl FnMut() -> Result<Tensor>,
) -> Result<()> {
    let _there = tf::try_device("/gpu:0")?;
    let [from, to] = [(); 2].map(|()| tf::zeros([bytes.div_ceil(8)]).try_add(1.0));
    let (from, to) = (from?, to?);
    let [own, copy] =
        time_both(Rounds::new(report.quick), &mut || kernel().map(drop), &mut || copy_within(&from, &to))?;
    let ratio = copy.median / own.median;
    let row = Row::new(format!("{what}: {:.0} GB/s", own.rate(bytes as f64) / 1e9), own.show())
        .beside(format!("copy {}", copy.show()), ratio);
    report.row(match mark {
        Some(least) => row.mark(ratio, Mark::AtLeast(least)),
        None => row,
    });
    Ok(())
}
