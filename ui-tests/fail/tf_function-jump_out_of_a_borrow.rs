use eagerflow::{self as tf, Tensor, tf_function};

#[tf_function]
fn f(x: &Tensor) -> Tensor {
    let mut v = vec![x.clone(), x * 2.0];
    let mut i = tf::constant(0);
    'rounds: while &i < 4 {
        for a in v.iter_mut() {
            if &*a > 4.0 {
                break 'rounds;
            }
            *a = &*a * 1.5;
        }
        i = i + 1;
    }
    &v[0] + &v[1]
}

fn main() {}
