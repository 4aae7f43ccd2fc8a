use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    if x > 0.0 { x.double() } else { x.clone() }
}

fn main() {}
