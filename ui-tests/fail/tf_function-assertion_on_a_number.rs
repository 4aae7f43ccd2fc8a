use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor, n: usize) -> Tensor {
    assert!(n, "n is {n}");
    x.clone()
}

fn main() {}
