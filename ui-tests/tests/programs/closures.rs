//! Closures with control flow of their own.

use eagerflow::{self as tf, Tensor, tf_function};

#[tf_function]
fn closures(x: &Tensor, n: usize) -> Tensor {
    let relu = |t: &Tensor| {
        if t > 0.0 {
            return t.clone();
        }
        tf::zeros_like(t)
    };
    let mut total = relu(x) + relu(&-x);
    let add = |t: Tensor, times: usize| -> Tensor {
        let mut t = t;
        for i in 0..times {
            if &t > 100.0 {
                break;
            }
            t = t + i as f32;
        }
        t
    };
    total = add(total, n);
    let capped = (0..n).map(|i| if &total > i as f32 { x.clone() } else { tf::constant(0.0) }).count();
    let owned = x.clone();
    let take = move || if owned > 0.0 { owned } else { -owned };
    total + capped as f32 + take()
}

#[tf_function]
fn nested(x: &Tensor) -> Tensor {
    #[tf_function]
    fn inner(x: &Tensor) -> Tensor {
        if x > 1.0 { x - 1.0 } else { x + 1.0 }
    }
    let mut y = inner(x);
    while y < 10.0 {
        y = inner(&y) + 2.0;
    }
    y
}

#[test]
fn runs() {
    let x = tf::constant(3.0);
    assert_eq!(closures(&x, 4).item::<f32>(), 3.0 + 6.0 + 4.0 + 3.0);
    assert_eq!(nested(&x).item::<f32>(), 10.0);
}
