use eagerflow::{self as tf, Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = vec![x.clone()];
    let first = &all[0];
    for _ in tf::range(0, n, 1) {
        all.push(x * 2.0);
    }
    tf::stack(&all, 0) + first
}

fn main() {}
