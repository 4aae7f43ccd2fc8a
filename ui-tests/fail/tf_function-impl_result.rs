use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> impl Iterator<Item = Tensor> {
    std::iter::once(x.clone())
}

fn main() {}
