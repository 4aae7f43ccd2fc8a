use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f<'a>(x: &'a Tensor, y: &'a Tensor) -> &'a Tensor {
    if x > y { x } else { y }
}

fn main() {}
