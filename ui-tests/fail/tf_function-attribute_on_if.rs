use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    #[allow(unused)]
    if x > 0.0 {
        return -x;
    }
    x.clone()
}

fn main() {}
