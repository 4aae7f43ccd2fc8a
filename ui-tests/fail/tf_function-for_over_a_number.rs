use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor, n: usize) -> Tensor {
    let mut y = x.clone();
    for i in n {
        y = y + i;
    }
    y
}

fn main() {}
