use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    let y = if x > 0.0 { x * 2.0 } else { 1.0 };
    x + y
}

fn main() {}
