use eagerflow::{self as tf, Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor, n: &Tensor) -> Tensor {
    let mut v = vec![x.clone(), x * 2.0];
    'rounds: for i in tf::range(0, n, 1) {
        for a in v.iter() {
            if a > &i.cast(tf::DType::F32) {
                continue 'rounds;
            }
        }
        v[0] = &v[0] * 1.5;
    }
    &v[0] + &v[1]
}

fn main() {}
