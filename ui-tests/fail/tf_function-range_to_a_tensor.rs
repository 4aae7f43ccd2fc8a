use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor, n: &Tensor) -> Tensor {
    let mut y = x.clone();
    for i in 0..n {
        y = y + i;
    }
    y
}

fn main() {}
