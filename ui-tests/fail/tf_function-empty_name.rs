use eagerflow::{Tensor, tf_function};

#[tf_function(name = "")]
fn f(x: &Tensor) -> Tensor {
    x + 1.0
}

fn main() {}
