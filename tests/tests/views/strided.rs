//! Each golden case again with every input as a view: transposed, stepped, reversed, cut out, or broadcast.
//! The result has to be that of the dense inputs.

use super::{agree, run, same, table};
use eagerflow as tf;
use eagerflow_tests::golden::Array;
use tf::Tensor;

type Rearranged = fn(&Tensor) -> Tensor;

/// The ways to hold the same elements in another layout.
const LAYOUTS: &[(&str, Rearranged)] = &[
    ("transposed", |x| reorder(x, |rank| (0..rank as isize).rev().collect())),
    ("rotated", |x| reorder(x, |rank| (0..rank as isize).map(|i| (i + 1) % rank as isize).collect())),
    ("cut out", cut_out),
    ("every other element", every_other),
    ("reversed", reversed),
];

/// A view in the order of `x` over memory in another order.
fn reorder(x: &Tensor, order: impl Fn(usize) -> Vec<isize>) -> Tensor {
    let order = order(x.rank());
    if order.len() < 2 {
        return x.clone();
    }
    let mut inverse = vec![0; order.len()];
    order.iter().enumerate().for_each(|(to, &from)| inverse[from as usize] = to as isize);
    let moved = Array::of(&tf::transpose(x, &order)).tensor();
    tf::transpose(&moved, &inverse)
}

/// A view into the middle of a larger tensor.
fn cut_out(x: &Tensor) -> Tensor {
    let dims: Vec<isize> = x.shape().dims().iter().map(|&d| d as isize).collect();
    if dims.is_empty() {
        return x.clone();
    }
    let padded = tf::pad(x, vec![[1, 2]; dims.len()], tf::PadMode::Constant);
    tf::slice(&padded, vec![1; dims.len()], &dims)
}

/// A view with steps of two along the last axis.
fn every_other(x: &Tensor) -> Tensor {
    if x.rank() == 0 {
        return x.clone();
    }
    let pair = tf::stack(&[x, x], -1);
    let first = tf::split(&pair, 2, -1).swap_remove(0);
    tf::squeeze(&first, -1)
}

/// A view with negative steps along all axes.
fn reversed(x: &Tensor) -> Tensor {
    let axes: Vec<isize> = (0..x.rank() as isize).collect();
    let turned = Array::of(&tf::reverse(x, &axes[..])).tensor();
    let (begin, end) = (vec![0; axes.len()], vec![0; axes.len()]);
    let all = (1 << axes.len()) - 1;
    let masks = tf::SliceMasks { begin: all, end: all, ..Default::default() };
    tf::strided_slice(&turned, begin, end, vec![-1; axes.len()], masks)
}

#[test]
fn strided_inputs_give_the_results_of_dense_ones() {
    let mut tried = 0;
    for (row, section) in table() {
        for case in &section.cases {
            let dense: Vec<Tensor> = case.inputs.iter().map(Array::tensor).collect();
            let want = run(&row, &dense, &case.attrs);
            for (layout, make) in LAYOUTS {
                let x: Vec<Tensor> = dense.iter().map(make).collect();
                for (x, input) in x.iter().zip(&case.inputs) {
                    let (ours, theirs) = (Ok(vec![Array::of(x)]), Ok(vec![input.clone()]));
                    assert!(same(&ours, &theirs), "the layout `{layout}` itself is wrong: {ours:?}, {theirs:?}");
                }
                let got = run(&row, &x, &case.attrs);
                let name = (row.name, &case.case, case.dtype, layout);
                assert!(agree(&row, &case.inputs, &got, &want), "{name:?}: got {got:?}, expected {want:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 1000, "only {tried} calls");
}

#[test]
fn broadcast_inputs_give_the_results_of_dense_ones() {
    for (row, section) in table() {
        for case in section.cases.iter().filter(|c| c.answer.is_ok()) {
            for which in 0..case.inputs.len() {
                let mut dense: Vec<Tensor> = case.inputs.iter().map(Array::tensor).collect();
                if dense[which].rank() == 0 || dense[which].num_elements() == 0 || dense[which].dtype() != case.dtype {
                    continue;
                }
                let mut x = dense.clone();
                let shape = *dense[which].shape();
                let first = tf::slice(&dense[which], vec![0; shape.rank()], vec![1; shape.rank()]);
                x[which] = tf::broadcast_to(&first, shape);
                dense[which] = Array::of(&x[which]).tensor();
                let (got, want) = (run(&row, &x, &case.attrs), run(&row, &dense, &case.attrs));
                let name = (row.name, &case.case, case.dtype, which);
                assert!(agree(&row, &case.inputs, &got, &want), "{name:?}: got {got:?}, expected {want:?}");
            }
        }
    }
}
