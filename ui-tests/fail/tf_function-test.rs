use eagerflow::{Tensor, tf_function};

#[tf_function]
#[test]
fn f() {}

fn main() {}
