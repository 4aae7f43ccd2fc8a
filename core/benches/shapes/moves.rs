//! The operations of the grid that move elements more than they compute: transposes, joins, margins, gathers, sums by index, sorts and running sums.
//! `shapes.rs` asks for one by its line.

use crate::inputs::{labels, numbers};
use crate::work::{Amount, Spec, Work};
use eagerflow as tf;
use tf::{Direction, PadMode, Tensor};

/// The axes that a word of digits names, in order.
fn axes(word: &str) -> Vec<isize> {
    word.bytes().map(|digit| isize::from(i16::from(digit - b'0'))).collect()
}

/// Operands of a line: the tensor, and a second one where the operation has it.
fn operands(spec: &Spec<'_>) -> Vec<Tensor> {
    let shape = spec.sizes(1);
    let x = numbers(1, &shape);
    match spec.kind() {
        "concat" => vec![x, numbers(2, &shape)],
        "gather" => vec![x, labels(2, spec.number(2), shape[0])],
        // Rows that are added to so many sums, most of them several times.
        "segment_sum" => vec![x, labels(2, shape[0], spec.number(2))],
        "one_hot" => vec![labels(1, shape[0], shape[1])],
        _ => vec![x],
    }
}

pub fn work(spec: &Spec<'_>) -> Work {
    let (shape, count) = (spec.sizes(1), spec.sizes(1).iter().product::<usize>());
    let (width, second) = (shape[shape.len() - 1], spec.word(2));
    let moved = |elements: usize| Amount::Bytes(4.0 * elements as f64);
    let operands = operands(spec);
    match spec.kind() {
        "transpose" => {
            let order = axes(second);
            Work::new(spec, moved(2 * count), operands, move |x| vec![tf::transpose(&x[0], &order).reshape([-1])])
        }
        "concat" => {
            let axis = spec.number(2) as isize;
            Work::new(spec, moved(4 * count), operands, move |x| vec![tf::concat(&[&x[0], &x[1]], axis)])
        }
        "pad" => {
            let margin = spec.number(2);
            let margins = [[0, 0], [margin, margin], [margin, margin], [0, 0]];
            Work::new(spec, moved(2 * count), operands, move |x| vec![tf::pad(&x[0], margins, PadMode::Constant)])
        }
        "gather" => {
            let rows = spec.number(2);
            Work::new(spec, moved(2 * rows * width), operands, |x| vec![tf::gather(&x[0], &x[1], 0)])
        }
        "segment_sum" => {
            let sums = spec.number(2);
            let amount = moved(count + sums * width);
            Work::new(spec, amount, operands, move |x| vec![tf::unsorted_segment_sum(&x[0], &x[1], sums)])
        }
        "one_hot" => {
            let depth = shape[1];
            Work::new(spec, moved(count), operands, move |x| vec![tf::one_hot(&x[0], depth)])
        }
        "sort" => Work::new(spec, moved(2 * count), operands, |x| vec![tf::sort(&x[0], -1, Direction::Ascending)]),
        "argsort" => {
            Work::new(spec, moved(2 * count), operands, |x| vec![tf::argsort(&x[0], -1, Direction::Ascending)])
        }
        "top_k" => {
            let k = spec.number(2);
            Work::new(spec, moved(count), operands, move |x| vec![tf::top_k(&x[0], k, true).0])
        }
        "cumsum" => {
            let axis = spec.number(2) as isize;
            Work::new(spec, moved(2 * count), operands, move |x| vec![tf::cumsum(&x[0], axis)])
        }
        kind => panic!("`{kind}` moves nothing"),
    }
}
