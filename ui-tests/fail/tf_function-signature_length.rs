use eagerflow::{Tensor, tf_function};

#[tf_function(input_signature = [f32[_, 784]])]
fn f(x: &Tensor, y: &Tensor) -> Tensor {
    x + y
}

fn main() {}
