use eagerflow::{Tensor, tf_function};

#[tf_function]
fn scaled(x: &Tensor) -> Tensor {
    let mut scale = 1.0;
    let mut set = |to: f32| {
        scale = to;
        true
    };
    let large = x > 3.0 && set(2.0);
    if large { x * scale } else { x - scale }
}

fn main() {}
