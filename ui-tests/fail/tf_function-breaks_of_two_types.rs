use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    let n = loop {
        if &y > 10.0 {
            break y.clone();
        }
        if &y < 0.0 {
            break 1.0;
        }
        y = y * 2.0;
    };
    y + n
}

fn main() {}
