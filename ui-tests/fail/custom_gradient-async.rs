use eagerflow::{Tensor, custom_gradient};

#[custom_gradient]
async fn double(x: &Tensor) -> Tensor {
    (x * 2.0, |dy: &Tensor| dy * 2.0)
}

fn main() {}
