use eagerflow::{Tensor, tf_function};

#[tf_function]
fn upper(name: &mut str, x: &Tensor) -> Tensor {
    name.make_ascii_uppercase();
    x + 1.0
}

fn main() {}
