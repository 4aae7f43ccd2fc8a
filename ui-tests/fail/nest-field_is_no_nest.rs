use eagerflow::{Nest, Tensor};

struct Inner;

#[derive(Nest)]
struct State {
    h: Tensor,
    inner: Inner,
}

fn main() {}
