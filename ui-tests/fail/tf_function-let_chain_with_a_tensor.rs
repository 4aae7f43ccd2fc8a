use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor, o: Option<f32>) -> Tensor {
    if let Some(n) = o
        && x > n
    {
        return -x;
    }
    x.clone()
}

fn main() {}
