use eagerflow::{self as tf, Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = vec![x.clone()];
    for _ in tf::range(0, n, 1) {
        all.push(1.5);
    }
    tf::stack(&all, 0)
}

fn main() {}
