use eagerflow::{Tensor, tf_function};

#[tf_function]
fn step(state: Option<&mut Tensor>, x: &Tensor) -> Tensor {
    if let Some(state) = state {
        *state = &*state + x;
    }
    x * 2.0
}

fn main() {}
