//! The products of matrices of the grid, with batches, transposed operands and other numbers.
//! `shapes.rs` asks for one by its line.

use crate::inputs::numbers;
use crate::work::{Amount, Spec, Work};
use eagerflow as tf;
use tf::DType;

pub fn work(spec: &Spec<'_>) -> Work {
    let sizes = spec.sizes(1);
    let (batch, &[rows, inner, columns]) = sizes.split_last_chunk().expect("three sizes");
    let (left, right) = match spec.word(2) {
        "nn" => (false, false),
        "nt" => (false, true),
        "tn" => (true, false),
        "tt" => (true, true),
        which => panic!("`{which}` says of no operand whether it is transposed"),
    };
    let dtype = match spec.word(3) {
        "f32" => DType::F32,
        "f64" => DType::F64,
        "bf16" => DType::BF16,
        dtype => panic!("`{dtype}` is no type of numbers here"),
    };
    let operand = |seed, [rows, columns]: [usize; 2], turned| {
        let matrix = if turned { [columns, rows] } else { [rows, columns] };
        tf::cast(numbers(seed, &[batch, &matrix].concat()), dtype)
    };
    let operands = vec![operand(1, [rows, inner], left), operand(2, [inner, columns], right)];
    let amount = Amount::Operations(2.0 * sizes.iter().product::<usize>() as f64);
    Work::new(spec, amount, operands, move |x| vec![tf::matmul_transposed(&x[0], left, &x[1], right)])
}
