//! Passes that concern sizes and products: segments around sizes that depend on values, and sums with products.
//! Each is compared in print and by running, like the others in `tests.rs`.

use super::accumulate::accumulate;
use super::outline::outline;
use super::*;
use crate as tf;
use crate::builder::Builder;
use crate::graph::control::call::Callable;
use crate::graph::run;
use crate::ir::print::print;
use crate::ir::sizes::{Known, Sizes};
use crate::ir::verify::verify;
use crate::tensor::Tensor;
use std::sync::Arc;

fn record(examples: &[&Tensor], f: impl FnOnce(&[Tensor]) -> Vec<Tensor>) -> Graph {
    let builder = Builder::function("f");
    let params: Vec<Tensor> = examples.iter().map(|t| builder.param(t.ty())).collect();
    builder.record_in(|| builder.finish(&f(&params))).unwrap().graph
}

/// What a graph gives operation by operation, as text to the last bit.
fn results(graph: &Graph, inputs: &[&Tensor]) -> Vec<Vec<u32>> {
    let inputs = inputs.iter().map(|&t| t.clone()).collect();
    let outputs = run::run(graph, inputs, &Sizes::default()).unwrap();
    outputs.iter().map(|t| t.to_vec::<f32>().into_iter().map(f32::to_bits).collect()).collect()
}

#[test]
fn parts_between_open_sizes_become_segments() {
    let x = tf::constant([[1.0, -2.0], [3.0, 4.0], [-5.0, 6.0]]);
    let graph = record(&[&x], |p| {
        let before = tf::exp(&p[0] * 0.5) + 1.0;
        let rows = tf::reduce_sum(&before, 1);
        let some = tf::boolean_mask(&rows, tf::greater(&rows, 5.0), 0);
        let after = tf::tanh(&some * 0.1) - 1.0;
        vec![tf::reduce_sum(&after, ()), after]
    });
    let outlined = outline(&graph).unwrap().expect("a size depends on values");
    verify(&outlined).unwrap();
    let text = print(&outlined);
    assert_eq!(text.matches("= segment(").count(), 2, "{text}");
    assert_eq!(results(&outlined, &[&x]), results(&graph, &[&x]));
    // The callable comes here by itself, and its parts have plans.
    let outputs = Callable::new(Arc::new(graph.clone())).run([x.clone()].into_iter().collect(), &Known::new()).unwrap();
    assert_eq!(outputs[1].shape(), [2]);
    assert_eq!(outputs[0].item::<f32>().to_bits(), results(&graph, &[&x])[0][0]);
}

#[test]
fn graphs_that_have_a_plan_stay_whole() {
    let x = tf::constant([1.0, 2.0]);
    let graph = record(&[&x], |p| vec![tf::tanh(&p[0]) + 1.0]);
    assert!(outline(&graph).unwrap().is_none());
}

#[test]
fn sums_with_products_are_one_operation() {
    let numbers = |by: f32, shape: [isize; 2]| tf::sin(tf::reshape(tf::range(0.0, 1536.0 * by, by), shape));
    let (x, y) = (numbers(0.7, [32, 48]), numbers(1.3, [48, 32]));
    let start = tf::ones([32, 32]);
    type Body = fn(&[Tensor]) -> Vec<Tensor>;
    let cases: [(Body, usize); 5] = [
        (|p| vec![&p[2] + tf::matmul(&p[0], &p[1])], 1),
        (|p| vec![tf::matmul(&p[0], &p[1]) + tf::matmul(tf::transpose(&p[1], []), tf::transpose(&p[0], []))], 1),
        // Someone else wants the product.
        (
            |p| {
                let product = tf::matmul(&p[0], &p[1]);
                vec![&p[2] + &product, product]
            },
            0,
        ),
        // The other side is better computed together with the sum.
        (|p| vec![tf::exp(&p[2]) + tf::matmul(&p[0], &p[1])], 0),
        // Too few columns for tiles.
        (|p| vec![p[2].at(tf::s![.., ..4]) + tf::matmul(&p[0], p[1].at(tf::s![.., ..4]))], 0),
    ];
    let tiles = kernels::backend::cpu::Isa::current() != kernels::backend::cpu::Isa::Portable;
    for (number, (f, sums)) in cases.into_iter().enumerate() {
        let graph = record(&[&x, &y, &start], f);
        let fewer = accumulate(&graph).unwrap();
        verify(&fewer).unwrap();
        let text = print(&fewer);
        assert_eq!(text.matches("= matmul_add(").count(), if tiles { sums } else { 0 }, "{number}: {text}");
        assert_eq!(results(&fewer, &[&x, &y, &start]), results(&graph, &[&x, &y, &start]), "{number}");
    }
}
