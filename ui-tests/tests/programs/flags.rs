//! Flags that begin with a literal, in a text without warnings.
#![deny(warnings)]

use eagerflow::{self as tf, Tensor, tf_function};

#[tf_function]
fn until(x: &Tensor, limit: i32) -> Tensor {
    let (mut done, mut first) = (false, true);
    let mut y = x * 1.0;
    while !done {
        y *= 2.0;
        done = !done & (y > 8.0);
    }
    for i in 0..limit {
        if first {
            y += 1.0;
        }
        first = i == 0;
    }
    if done { y } else { -y }
}

#[test]
fn runs() {
    assert_eq!(until(&tf::constant(3.0), 3).item::<f32>(), 14.0);
}
