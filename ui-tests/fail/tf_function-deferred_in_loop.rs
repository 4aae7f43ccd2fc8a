use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    let z;
    loop {
        if &y > 10.0 {
            z = y;
            break;
        }
        y = y * 2.0;
    }
    z
}

fn main() {}
