use eagerflow::{self as tf, Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor, o: Option<f32>) -> Tensor {
    let Some(n) = o else { x.clone() };
    tf::maximum(x, n)
}

fn main() {}
