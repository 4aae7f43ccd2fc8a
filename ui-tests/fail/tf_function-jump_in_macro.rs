use eagerflow::{Tensor, tf_function};

macro_rules! either {
    ($e:expr) => {
        $e
    };
}

#[tf_function]
fn f(xs: &[Tensor]) -> Tensor {
    let mut y = xs[0].clone();
    for x in xs {
        if x > 0.0 {
            either!(break);
        }
        y = y + x;
    }
    y
}

fn main() {}
