use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    if x < "a" {
        return -x;
    }
    x.clone()
}

fn main() {}
