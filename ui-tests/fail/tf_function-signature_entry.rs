use eagerflow::{Tensor, tf_function};

#[tf_function(input_signature = [[f32[_]]])]
fn f(x: &[Tensor]) -> Tensor {
    x[0].clone()
}

fn main() {}
