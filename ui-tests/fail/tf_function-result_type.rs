use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    if x > 0.0 {
        return 1.0;
    }
    x.clone()
}

fn main() {}
