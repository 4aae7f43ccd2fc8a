use eagerflow::{Module, Tensor, Variable, tf_function};

#[derive(Module)]
struct Model {
    weight: Variable,
}

#[tf_function]
fn train(model: &mut Model, x: &Tensor) -> Tensor {
    x * &model.weight
}

fn main() {}
