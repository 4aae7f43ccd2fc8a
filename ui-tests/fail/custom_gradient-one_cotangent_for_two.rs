use eagerflow::{Tensor, custom_gradient};

#[custom_gradient]
fn product(x: &Tensor, y: &Tensor) -> Tensor {
    (x * y, move |dy: &Tensor| dy * y)
}

fn main() {}
