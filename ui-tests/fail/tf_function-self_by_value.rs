use eagerflow::{Tensor, tf_function};

struct Model {
    h: Tensor,
}

impl Model {
    #[tf_function]
    fn finish(self) -> Tensor {
        self.h
    }
}

fn main() {}
