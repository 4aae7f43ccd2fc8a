use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor, o: Option<bool>) -> Tensor {
    if o {
        return -x;
    }
    x.clone()
}

fn main() {}
