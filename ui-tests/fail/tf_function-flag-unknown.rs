//! A flag whose type is needed before anything tells it.
use eagerflow::{Tensor, tf_function};

#[tf_function]
fn until(x: &Tensor) -> Tensor {
    let mut done = false;
    let mut y = x * 1.0;
    for _ in 0..3 {
        y = y * tf::cast(done.clone(), tf::DType::F32);
        done = y > 8.0;
    }
    y
}

use eagerflow as tf;

fn main() {}
