//! `constant` is for literals: numbers of other types are told of `Tensor::from`.

use eagerflow as tf;

fn main() {
    let rate = 0.5_f64;
    let _ = tf::constant(rate);
    let count = 3_i64;
    let _ = tf::constant([count, count]);
    let _ = tf::constant(vec![1, 2].len());
    let _ = tf::Tensor::from(vec![1, 2].len());
    let _ = tf::Variable::new(rate);
}
