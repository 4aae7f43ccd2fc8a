//! Lists that loops fill and read, and sizes that are known only at run time.

use super::{Twin, twin};
use eagerflow as tf;
use tf::{DType, Tensor, TensorArray, tf_function};

pub const TWINS: &[Twin] = &[
    twin!(array_of_states(x, n)),
    twin!(array_backwards(rows)),
    twin!(doubling(x, least)),
    twin!(positive_part(x)),
    twin!(scaled_gram(a)),
    twin!(rnn_with_memory(x, n)),
];

#[tf_function]
fn array_of_states(x: &Tensor, n: &Tensor) -> Tensor {
    let mut states = TensorArray::new(DType::F64, n);
    let mut y = x.clone();
    for i in tf::range(0, n, 1) {
        y = y * 0.5 + x;
        states = states.write(&i, &y);
    }
    states.stack()
}

#[tf_function]
fn array_backwards(rows: &Tensor) -> Tensor {
    let all = TensorArray::unstack(rows);
    let mut y = tf::zeros([2]).cast(DType::F64);
    let mut i = all.size();
    while i > 0 {
        i -= 1;
        y = (y + all.read(&i)).tanh();
    }
    y
}

#[tf_function]
fn doubling(x: &Tensor, least: &Tensor) -> Tensor {
    let mut x = x.clone();
    while tf::shape(&x).at(0) < least {
        x = tf::concat(&[&x, &(&x * 2.0)], 0);
    }
    x
}

#[tf_function]
fn positive_part(x: &Tensor) -> (Tensor, Tensor) {
    let positive = tf::boolean_mask(x, tf::greater(x, 0.0), 0);
    (tf::reduce_sum(positive.square(), ()), tf::shape(&positive).at(0))
}

#[tf_function]
fn scaled_gram(a: &Tensor) -> Tensor {
    let mut g = tf::matmul(a.t(), a);
    while tf::reduce_max(&g, ()) > 1.0 {
        g = g * 0.5;
    }
    g
}

#[tf_function]
fn rnn_with_memory(x: &Tensor, n: &Tensor) -> (Tensor, Tensor) {
    let (mut h, mut c) = (tf::zeros_like(x), tf::ones_like(x));
    for i in tf::range(0, n, 1) {
        let gate = tf::sigmoid(&h + x);
        c = &gate * &c + (1.0 - &gate) * (x - &h).tanh();
        h = c.tanh() * gate;
        if i % 2 == 0 {
            h = h * 0.5;
        }
    }
    (h, c)
}
