use eagerflow::{Tensor, tf_function};

#[tf_function(max_traces = 0)]
fn f(x: &Tensor) -> Tensor {
    x.clone()
}

fn main() {}
