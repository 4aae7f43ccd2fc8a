use eagerflow::{self as tf, Tensor, tf_function};

#[tf_function(input_signature = [f32[_], i32])]
fn f(x: &Tensor, n: &Tensor) -> Tensor {
    tf::gather(x, n, 0)
}

fn main() {}
