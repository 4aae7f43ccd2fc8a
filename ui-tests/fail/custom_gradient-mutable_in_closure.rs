use eagerflow::{Tensor, custom_gradient};

#[custom_gradient]
fn double(x: &Tensor, calls: &mut Vec<f32>) -> Tensor {
    (x * 2.0, move |dy: &Tensor| dy * calls[0])
}

fn main() {}
