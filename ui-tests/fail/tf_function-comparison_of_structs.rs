use eagerflow::{Tensor, tf_function};

struct Version(u32);

#[tf_function]
fn f(x: &Tensor, v: u32) -> Tensor {
    if Version(v) < Version(2) {
        return -x;
    }
    x.clone()
}

fn main() {}
