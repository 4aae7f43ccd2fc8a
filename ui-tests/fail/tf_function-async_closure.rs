use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    let later = async |n: i32| n + 1;
    drop(later(1));
    x.clone()
}

fn main() {}
