use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    while &y > 0.0 {
        y = y - step;
    }
    y
}

fn main() {}
