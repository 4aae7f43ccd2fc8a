use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor, n: usize) -> Tensor {
    if x > 0.0 && n {
        return -x;
    }
    x.clone()
}

fn main() {}
