use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    println!("{} {}", x);
    x.clone()
}

fn main() {}
