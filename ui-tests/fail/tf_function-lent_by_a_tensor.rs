use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    let (mut a, mut b) = (x.clone(), x * 2.0);
    let side = if x > 1.0 { &mut a } else { &mut b };
    *side = &*side + 1.0;
    a - b
}

fn main() {}
