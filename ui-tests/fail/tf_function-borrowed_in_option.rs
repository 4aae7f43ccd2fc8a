use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &[Tensor]) -> Option<&Tensor> {
    x.first()
}

fn main() {}
