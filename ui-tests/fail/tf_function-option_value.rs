use eagerflow::{Tensor, tf_function};

#[tf_function(relax_shapes = 3)]
fn f(x: &Tensor) -> Tensor {
    x.clone()
}

fn main() {}
