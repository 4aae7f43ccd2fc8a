use eagerflow::{Tensor, tf_function};

#[tf_function]
fn step<'a>(state: &'a mut Tensor, x: &Tensor) -> &'a mut Tensor {
    *state = &*state + x;
    state
}

fn main() {}
