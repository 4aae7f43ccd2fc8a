use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor, n: i32) -> Tensor {
    if n {
        return -x;
    }
    x.clone()
}

fn main() {}
