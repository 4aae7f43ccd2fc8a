use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    let mut stack = vec![1.0f32];
    while let Some(n) = stack.pop()
        && &y > n
    {
        y = y - n;
    }
    y
}

fn main() {}
