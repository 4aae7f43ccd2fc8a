use eagerflow::{Tensor, tf_function};

macro_rules! either {
    ($e:expr) => {
        $e
    };
}

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    either!(if x > 0.0 { x.clone() } else { -x })
}

fn main() {}
