use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &mut Tensor, n: f32) {
    if *x > 0.0 {
        *x = &*x * n;
    }
}

fn main() {}
