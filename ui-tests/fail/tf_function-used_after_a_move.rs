use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: Tensor, c: &Tensor) -> Tensor {
    let mut y = x;
    if c {
        y = x + 1.0;
    }
    y
}

fn main() {}
