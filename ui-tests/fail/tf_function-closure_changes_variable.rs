use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    let mut total = x.clone();
    let mut add = |t: &Tensor| total = &total + t;
    if x > 0.0 {
        add(x);
    }
    total
}

fn main() {}
