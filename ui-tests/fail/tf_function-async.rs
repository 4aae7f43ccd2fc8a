use eagerflow::{Tensor, tf_function};

#[tf_function]
async fn f(x: &Tensor) -> Tensor {
    x.clone()
}

fn main() {}
