use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(ref x: Tensor) -> Tensor {
    x.clone()
}

fn main() {}
