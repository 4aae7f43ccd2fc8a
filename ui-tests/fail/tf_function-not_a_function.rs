use eagerflow::{Tensor, tf_function};

#[tf_function]
struct Model {
    kernel: Tensor,
}

fn main() {}
