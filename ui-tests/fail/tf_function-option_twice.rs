use eagerflow::{Tensor, tf_function};

#[tf_function(max_traces = 3, name = "f", max_traces = 4)]
fn f(x: &Tensor) -> Tensor {
    x + 1.0
}

fn main() {}
