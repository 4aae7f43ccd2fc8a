use eagerflow::{Tensor, Variable, custom_gradient};

#[custom_gradient]
fn scaled(x: &Tensor, w: &Variable) -> Tensor {
    (x * w, move |dy: &Tensor| (dy * w, dy * x, w.clone()))
}

fn main() {}
