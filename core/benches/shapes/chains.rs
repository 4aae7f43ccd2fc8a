//! The chains of element-wise operations of the grid, some with a reduction behind them or a gradient.
//! `shapes.rs` asks for one by its line.

use crate::inputs::numbers;
use crate::work::{Amount, Spec, Work};
use eagerflow as tf;
use tf::{GradientTape, Tensor};

/// A formula of up to three vectors.
type Formula = fn(&[Tensor]) -> Vec<Tensor>;

/// The formula, how many vectors it reads, and how many it writes.
fn formula(kind: &str) -> (Formula, usize, usize) {
    match kind {
        "axpby" => (|x| vec![&x[0] * 1.5 + &x[1] * 0.5], 2, 1),
        "gelu" => (|x| vec![gelu(&x[0])], 1, 1),
        "gate" => (|x| vec![&x[0] * tf::sigmoid(&x[1]) + &x[2]], 3, 1),
        "polynomial" => (|x| vec![polynomial(&x[0])], 1, 1),
        "density" => (|x| vec![tf::exp((((&x[0] - 0.1) / 1.3).square()) * -0.5) * 0.3], 1, 1),
        "squared_error" => (|x| vec![tf::reduce_mean((&x[0] - &x[1]).square(), ())], 2, 0),
        "choice" => (|x| vec![choice(x)], 3, 1),
        "waves" => (|x| vec![waves(x)], 2, 1),
        "cell" => (|x| vec![tf::sigmoid(&x[0]) * tf::tanh(&x[1]) + tf::sigmoid(&x[0] + 1.0) * &x[2]], 3, 1),
        "softplus" => (|x| vec![tf::log1p(tf::exp(&x[0]))], 1, 1),
        "gradient" => (gradient, 3, 3),
        kind => panic!("`{kind}` is no formula"),
    }
}

fn gelu(x: &Tensor) -> Tensor {
    x * 0.5 * (tf::tanh((x + x * x * x * 0.044_715) * 0.797_884_56) + 1.0)
}

fn polynomial(x: &Tensor) -> Tensor {
    ((((x * 0.1 + 0.2) * x + 0.3) * x + 0.4) * x + 0.5) * x + 0.6
}

fn choice(x: &[Tensor]) -> Tensor {
    tf::where_(tf::greater(&x[0], &x[1]), &x[0] * &x[2], tf::minimum(&x[1], &x[2]))
}

fn waves(x: &[Tensor]) -> Tensor {
    tf::sin(&x[0]) * tf::cos(&x[1]) + tf::sqrt(&x[0] * &x[0] + &x[1] * &x[1])
}

/// The gradient of sum(tanh(x * y) * z + x * x) by all three.
fn gradient(x: &[Tensor]) -> Vec<Tensor> {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let y = tf::reduce_sum(tf::tanh(&x[0] * &x[1]) * &x[2] + &x[0] * &x[0], ());
    tape.gradient(&y, x).into_iter().flatten().collect()
}

pub fn work(spec: &Spec<'_>) -> Work {
    let (formula, inputs, outputs) = formula(spec.kind());
    let count = spec.number(1);
    let amount = Amount::Bytes(4.0 * (inputs + outputs) as f64 * count as f64);
    let operands = (1..=inputs as u32).map(|seed| numbers(seed, &[count])).collect();
    Work::new(spec, amount, operands, formula)
}
