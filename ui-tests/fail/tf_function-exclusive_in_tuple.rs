use eagerflow::{Tensor, tf_function};

#[tf_function]
fn swap((a, b): (&mut Tensor, &mut Tensor), x: &Tensor) {
    if x > 0.0 {
        std::mem::swap(a, b);
    }
}

fn main() {}
