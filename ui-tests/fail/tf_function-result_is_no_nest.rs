use eagerflow::{Tensor, tf_function};

struct State {
    h: Tensor,
}

#[tf_function]
fn f(x: &Tensor) -> State {
    State { h: x.clone() }
}

fn main() {}
