use eagerflow::{Tensor, tf_function};

#[tf_function]
extern "C" fn f(x: &Tensor) -> Tensor {
    x.clone()
}

fn main() {}
