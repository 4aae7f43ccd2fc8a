use eagerflow::{Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor, c: &Tensor) -> Tensor {
    let mut v = vec![x.clone(), x.clone()];
    let mut s = x.clone();
    let first = &v[0];
    if c {
        s = s + first;
        v[1] = x.clone();
    } else {
        s = s - first;
    }
    s + &v[1]
}

fn main() {}
