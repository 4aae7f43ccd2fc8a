use eagerflow::{Tensor, tf_function};

#[tf_function(trace_count = 3)]
fn f(x: &Tensor) -> Tensor {
    x.clone()
}

fn main() {}
