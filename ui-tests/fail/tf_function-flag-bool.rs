//! A flag of type `bool` is Rust's own, and takes no comparison of tensors.
use eagerflow::{Tensor, tf_function};

#[tf_function]
fn until(x: &Tensor) -> Tensor {
    let mut done: bool = false;
    let mut y = x * 1.0;
    while !done {
        y *= 2.0;
        done = y > 8.0;
    }
    y
}

fn main() {}
