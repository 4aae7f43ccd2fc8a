use eagerflow::{Tensor, custom_gradient};

#[custom_gradient]
fn length(x: &Tensor) -> f32 {
    (x.item::<f32>(), |dy: &Tensor| dy * 2.0)
}

struct Wrapper(Tensor);

#[custom_gradient]
fn wrapped(x: &Tensor) -> Wrapper {
    (Wrapper(x * 2.0), |dy: &Tensor| dy * 2.0)
}

fn main() {}
