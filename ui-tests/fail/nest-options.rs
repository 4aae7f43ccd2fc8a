use eagerflow::{Nest, Tensor};

#[derive(Nest)]
#[nest(value)]
struct State {
    #[nest(keep)]
    h: Tensor,
    #[nest(skip, value)]
    n: usize,
}

fn main() {}
