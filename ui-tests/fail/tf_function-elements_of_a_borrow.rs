use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    let mut v = vec![x.clone(), x * 2.0];
    for a in &mut v {
        if &*a > 4.0 {
            continue;
        }
        *a = &*a * 1.5;
    }
    &v[0] + &v[1]
}

fn main() {}
