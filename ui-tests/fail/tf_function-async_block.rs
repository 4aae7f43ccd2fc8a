use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    let later = async { 1 };
    drop(later);
    x.clone()
}

fn main() {}
