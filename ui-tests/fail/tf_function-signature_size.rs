use eagerflow::{Tensor, tf_function};

#[tf_function(input_signature = [f32[_, -1]])]
fn f(x: &Tensor) -> Tensor {
    x + 1.0
}

fn main() {}
