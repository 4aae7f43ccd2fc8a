use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor, o: Option<f32>) -> Tensor {
    match o {
        Some(n) if x > n => -x,
        _ => x.clone(),
    }
}

fn main() {}
