//! The row operations of the grid: softmax, normalisations, attention, cross entropy, sums, and steps of optimizers.
//! `shapes.rs` asks for one by its line.

use crate::inputs::{labels, numbers};
use crate::work::{Amount, Spec, Work};
use eagerflow as tf;
use tf::optim::{Adam, Optimizer, SGD};
use tf::{Attention, FusedBatchNorm, GradientOptions, GradientTape, Gradients, Tensor, Variable};

/// How many groups of channels are normalised together.
const GROUPS: usize = 32;

/// An operation with one result.
type Forward = fn(&[Tensor]) -> Tensor;

pub fn work(spec: &Spec<'_>) -> Work {
    match spec.word(2) {
        "step" => optimizer(spec),
        direction => row_operation(spec, direction == "gradient"),
    }
}

fn attention(x: &[Tensor], causal: bool) -> Tensor {
    tf::scaled_dot_product_attention(&x[0], &x[1], &x[2], Attention { causal, ..Attention::default() })
}

/// The operation, and how many of its operands have a gradient: the first ones.
fn operation(kind: &str) -> (Forward, usize) {
    match kind {
        "softmax" => (|x| tf::softmax(&x[0], -1), 1),
        "layer_norm" => (|x| tf::layer_normalization(&x[0], -1, Some(&x[1]), Some(&x[2]), 1e-5), 3),
        "batch_norm" => (|x| tf::fused_batch_norm(&x[0], &x[1], &x[2], FusedBatchNorm::default()).0, 3),
        "group_norm" => (|x| tf::group_normalization(&x[0], GROUPS, -1, Some(&x[1]), Some(&x[2]), 1e-3), 3),
        "attention" => (|x| attention(x, false), 3),
        "attention_causal" => (|x| attention(x, true), 3),
        "cross_entropy" => (|x| tf::reduce_mean(tf::sparse_softmax_cross_entropy_with_logits(&x[1], &x[0]), ()), 1),
        "sum_0" => (|x| tf::reduce_sum(&x[0], 0), 1),
        "sum_1" => (|x| tf::reduce_sum(&x[0], 1), 1),
        kind => panic!("`{kind}` is no row operation"),
    }
}

fn operands(kind: &str, shape: &[usize]) -> Vec<Tensor> {
    let x = numbers(1, shape);
    let last = shape[shape.len() - 1];
    match kind {
        "softmax" | "sum_0" | "sum_1" => vec![x],
        "cross_entropy" => vec![x, labels(2, shape[0], last)],
        "attention" | "attention_causal" => vec![x, numbers(2, shape), numbers(3, shape)],
        _ => vec![x, numbers(2, &[last]), numbers(3, &[last])],
    }
}

/// The bytes of all operands and results, each moved once; the products of attention, two forward and four of the gradient, count as such.
fn amount(spec: &Spec<'_>, gradient: bool) -> Amount {
    let shape = spec.sizes(1);
    let count = shape.iter().product::<usize>() as f64;
    match (spec.kind(), gradient) {
        ("attention" | "attention_causal", _) => {
            let seen = if spec.kind() == "attention" { 1.0 } else { 0.5 };
            Amount::Operations(seen * if gradient { 12.0 } else { 4.0 } * count * shape[2] as f64)
        }
        ("sum_0" | "sum_1" | "cross_entropy", false) => Amount::Bytes(4.0 * count),
        ("cross_entropy", true) | (_, false) => Amount::Bytes(8.0 * count),
        (_, true) => Amount::Bytes(16.0 * count),
    }
}

/// The result and the gradients by the first operands, `sources` of them, where the result's is `owed`, or 1.
fn with_gradients(forward: Forward, operands: &[Tensor], sources: usize, owed: Option<&Tensor>) -> Vec<Tensor> {
    let sources = &operands[..sources];
    let mut tape = GradientTape::new();
    tape.watch(sources);
    let y = forward(operands);
    let gradients = match owed {
        None => tape.gradient(&y, sources),
        Some(owed) => tape.gradient_with(&y, sources, &GradientOptions::new().output_gradients([owed.clone()])),
    };
    std::iter::once(y).chain(gradients.into_iter().flatten()).collect()
}

fn row_operation(spec: &Spec<'_>, gradient: bool) -> Work {
    let (kind, shape) = (spec.kind(), spec.sizes(1));
    let (forward, sources) = operation(kind);
    let (mut operands, amount) = (operands(kind, &shape), amount(spec, gradient));
    if !gradient {
        return Work::new(spec, amount, operands, move |x| vec![forward(x)]);
    }
    if kind == "cross_entropy" {
        return Work::new(spec, amount, operands, move |x| with_gradients(forward, x, sources, None));
    }
    operands.push(numbers(9, &shape));
    Work::new(spec, amount, operands, move |x| {
        let (owed, operands) = x.split_last().expect("what the result owes comes last");
        with_gradients(forward, operands, sources, Some(owed))
    })
}

/// A step on one large variable, and its value behind it.
fn optimizer(spec: &Spec<'_>) -> Work {
    let count = spec.number(1);
    let (optimizer, streams): (Box<dyn Optimizer>, _) = match spec.kind() {
        "sgd" => (Box::new(SGD::new(0.1)), 3.0),
        "momentum" => (Box::new(SGD::new(0.1).momentum(0.9)), 5.0),
        "adam" => (Box::new(Adam::new(0.1)), 7.0),
        kind => panic!("`{kind}` is no optimizer"),
    };
    let variables = [Variable::new(numbers(1, &[count]))];
    let amount = Amount::Bytes(4.0 * streams * count as f64);
    Work::new(spec, amount, vec![numbers(2, &[count])], move |x| {
        let gradients: Gradients = [x[0].clone()].into_iter().collect();
        optimizer.apply_gradients(&gradients, &variables);
        vec![variables[0].value()]
    })
}
