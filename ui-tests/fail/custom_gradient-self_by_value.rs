use eagerflow::{Tensor, custom_gradient};

struct Model;

impl Model {
    #[custom_gradient]
    fn call(self, x: &Tensor) -> Tensor {
        (x * 2.0, |dy: &Tensor| dy * 2.0)
    }
}

fn main() {}
