use eagerflow::{Tensor, tf_function};

#[tf_function(max_traces = "many")]
fn f(x: &Tensor) -> Tensor {
    x + 1.0
}

fn main() {}
