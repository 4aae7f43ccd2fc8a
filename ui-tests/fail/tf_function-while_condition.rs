use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    while y.shape() {
        y = y - 1.0;
    }
    y
}

fn main() {}
