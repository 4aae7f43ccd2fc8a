use eagerflow::{Tensor, tf_function};

struct Model {
    h: Tensor,
}

impl Model {
    #[tf_function]
    fn step(&mut self, x: &Tensor) {
        self.h = x.clone();
    }
}

fn main() {}
