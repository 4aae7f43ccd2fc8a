//! What the host pays for one operation or one traced call on a GPU.
//! The mark is for eager operations: their results are not waited for.

use crate::report::{Mark, Report, Row};
use crate::timing::{Rounds, Time, host_time, time};
use eagerflow as tf;
use tf::{GradientTape, Result, Tensor, Variable, tf_function};

/// Microseconds of the host for an eager operation, at most.
const MARK: f64 = 6.0;

#[tf_function]
fn one(a: &Tensor, b: &Tensor) -> Tensor {
    a + b
}

#[tf_function]
fn some(a: &Tensor, b: &Tensor) -> Tensor {
    let c = tf::matmul(a, b).tanh();
    let d = tf::matmul(&c, b).tanh();
    let e = tf::matmul(&d, b).tanh();
    tf::reduce_sum(&e, ())
}

fn row(what: &str, time: Time, marked: bool) -> Row {
    let row = Row::new(what, time.show());
    if marked { row.mark(time.median * 1e6, Mark::AtMost(MARK)) } else { row }
}

pub fn run(report: &mut Report) -> Result<()> {
    let _there = tf::try_device("/gpu:0")?;
    let rounds = Rounds::new(report.quick);
    let (x, y) = (tf::random::normal([10], 0.0, 1.0), tf::random::normal([10], 0.0, 1.0));
    let matrix = tf::random::normal([16, 16], 0.0, 0.2);
    let bias = tf::random::normal([16], 0.0, 1.0);
    let variable = Variable::new(x.clone());
    let host = |call: &mut dyn FnMut() -> Result<Tensor>| host_time(rounds, call);
    report.row(row("eager `a + b` of 10 elements, host", host(&mut || x.try_add(&y))?, true));
    report.row(row("eager `a * 2.0` of 10 elements, host", host(&mut || x.try_multiply(2.0))?, true));
    report.row(row("eager `m + bias`, 16 by 16, host", host(&mut || matrix.try_add(&bias))?, true));
    report.row(row("eager `m.tanh()`, 16 by 16, host", host(&mut || matrix.try_tanh())?, true));
    report.row(row("eager sum of 10 elements, host", host(&mut || tf::try_reduce_sum(&x, ()))?, true));
    report.row(row("eager product, 16 by 16, host", host(&mut || matrix.try_matmul(&matrix))?, true));
    report.row(row("eager softmax, 16 by 16, host", host(&mut || tf::try_softmax(&matrix, -1))?, true));
    let assign = host_time(rounds, || {
        variable.assign_add(&y);
        Ok(())
    })?;
    report.row(row("`variable.assign_add(x)` of 10 elements, host", assign, true));
    let tape = host_time(rounds, || {
        let mut tape = GradientTape::new();
        tape.watch(&x);
        let z = x.try_multiply(&y)?;
        Ok(tape.gradient(&z, &x))
    })?;
    report.row(row("a tape, one product and its gradient, host", tape, false));
    report.row(row("eager `a + b` of 10 elements, host and device", time(rounds, || x.try_add(&y))?, false));
    report.row(row("traced `a + b` of 10 elements, host", host(&mut || Ok(one(&x, &y)))?, false));
    report.row(row("traced: three products and tanh, a sum, host", host(&mut || Ok(some(&matrix, &matrix)))?, false));
    report.row(row("the same, host and device", time(rounds, || Ok(some(&matrix, &matrix)))?, false));
    Ok(())
}
