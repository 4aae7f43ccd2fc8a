use eagerflow::{Tensor, tf_function};

#[tf_function]
const fn f(x: &Tensor) -> Tensor {
    x.clone()
}

fn main() {}
