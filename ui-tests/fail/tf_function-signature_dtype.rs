use eagerflow::{Tensor, tf_function};

#[tf_function(input_signature = [float32[_, 784]])]
fn f(x: &Tensor) -> Tensor {
    x + 1.0
}

fn main() {}
