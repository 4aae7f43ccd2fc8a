use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    let y = x + 1.0;
    if &y > 0.0 { y } else { -y };
}

fn main() {}
