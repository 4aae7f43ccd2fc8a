use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    std::future::ready(x.clone()).await
}

fn main() {}
