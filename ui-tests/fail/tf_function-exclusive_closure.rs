use eagerflow::{Tensor, tf_function};

#[tf_function]
fn apply(f: &mut impl FnMut(&Tensor) -> Tensor, x: &Tensor) -> Tensor {
    f(x)
}

fn main() {}
