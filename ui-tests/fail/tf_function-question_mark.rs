use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    if x > 0.0 {
        return x.try_matmul(x)?;
    }
    x.clone()
}

fn main() {}
