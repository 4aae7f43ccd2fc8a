use eagerflow::{Tensor, tf_function};

type State<'a> = &'a mut Tensor;

#[tf_function]
fn step(state: State<'_>, x: &Tensor) {
    *state = &*state + x;
}

fn main() {}
