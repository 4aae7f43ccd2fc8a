use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> ! {
    loop {
        let _ = x;
    }
}

fn main() {}
