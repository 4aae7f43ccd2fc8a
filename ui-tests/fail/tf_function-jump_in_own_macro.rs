use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    macro_rules! leave {
        () => {
            return x.clone()
        };
    }
    if x > 0.0 {
        leave!();
    }
    -x
}

fn main() {}
