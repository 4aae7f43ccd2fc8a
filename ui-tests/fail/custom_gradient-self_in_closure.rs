use eagerflow::{Tensor, custom_gradient};

struct Model {
    by: f32,
}

impl Model {
    #[custom_gradient]
    fn call(&self, x: &Tensor) -> Tensor {
        (x * self.by, move |dy: &Tensor| dy * self.by)
    }
}

fn main() {}
