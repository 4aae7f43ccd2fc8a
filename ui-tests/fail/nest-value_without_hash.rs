use eagerflow::{Nest, Tensor};

#[derive(Clone)]
struct Mode;

#[derive(Nest)]
struct State {
    h: Tensor,
    #[nest(value)]
    mode: Mode,
}

fn main() {}
