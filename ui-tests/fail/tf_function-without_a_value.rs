use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    let z;
    if x > 0.0 {
        z = x * 2.0;
    }
    z
}

fn main() {}
