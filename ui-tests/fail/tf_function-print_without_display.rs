use eagerflow::{Tensor, tf_function};

struct Secret;

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    let secret = Secret;
    println!("{}", secret);
    x.clone()
}

fn main() {}
