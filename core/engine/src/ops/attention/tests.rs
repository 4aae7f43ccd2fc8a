//! Attention against what it is made of: values, gradients of both orders, dropout, groups and memory.

use crate::ops::differences::{check, numbers};
use crate::{self as tf, Attention, DType, GradientTape, Tensor};

/// Attention as four other operations.
fn plain(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Tensor {
    let depth = q.shape().dims()[q.rank() - 1] as f64;
    let mut scores = tf::matmul_transposed(q, false, k, true) / depth.sqrt();
    if let Some(mask) = mask {
        scores = tf::select(mask, &scores, f64::NEG_INFINITY);
    }
    tf::matmul(tf::softmax(&scores, -1), v)
}

fn close(a: &Tensor, b: &Tensor) -> bool {
    a.shape() == b.shape() && tf::reduce_max(tf::abs(a - b), ()).item::<f64>() < 1e-12
}

#[test]
fn it_is_what_it_is_made_of() {
    let (q, k, v) = (numbers(1, &[2, 3, 70, 8]), numbers(2, &[2, 3, 90, 8]), numbers(3, &[2, 3, 90, 5]));
    let got = tf::scaled_dot_product_attention(&q, &k, &v, Attention::default());
    assert!(close(&got, &plain(&q, &k, &v, None)));
    let mask = tf::band_part(&tf::ones([70, 90]).cast(DType::Bool), -1, 0);
    let want = plain(&q, &k, &v, Some(&mask));
    let causal = Attention { causal: true, ..Default::default() };
    assert!(close(&tf::scaled_dot_product_attention(&q, &k, &v, causal), &want));
    let masked = Attention { mask: Some(mask), ..Default::default() };
    assert!(close(&tf::scaled_dot_product_attention(&q, &k, &v, masked), &want));
    // Views of any strides, and one set of keys for all heads.
    let turned = |x: &Tensor| tf::transpose(x, [0, 2, 1, 3]);
    let (key, value) = (k.at(tf::s![.., 0..1]), v.at(tf::s![.., 0..1]));
    let got = tf::dot_product_attention(turned(&q), turned(&key), turned(&value), Attention::default());
    assert!(close(&turned(&got), &plain(&q, &key, &value, None)));
}

#[test]
fn gradients_of_both_orders() {
    let operands = [numbers(1, &[2, 3, 4]), numbers(2, &[2, 5, 4]), numbers(3, &[2, 5, 3])];
    let call = |x: &[Tensor], options: Attention| tf::scaled_dot_product_attention(&x[0], &x[1], &x[2], options);
    check(&|x| call(x, Attention::default()), &operands);
    check(&|x| call(x, Attention { causal: true, scale: Some(0.7), ..Default::default() }), &operands);
    let drops = || Attention { dropout: 0.4, seed: Some(Tensor::from([3_i64, 4])), ..Default::default() };
    check(&|x| call(x, drops()), &operands);
    // A mask of numbers has gradients, too.
    let [q, k, v] = operands;
    let with_mask = [q, k, v, numbers(4, &[3, 5])];
    check(&|x| call(x, Attention { mask: Some(x[3].clone()), ..drops() }), &with_mask);
}

#[test]
fn groups_share_their_keys() {
    let (q, k, v) = (numbers(1, &[2, 6, 3, 4]), numbers(2, &[2, 2, 5, 4]), numbers(3, &[2, 2, 5, 4]));
    let grouped = || Attention { grouped: true, ..Default::default() };
    let repeated = |x: &Tensor| {
        let wide = tf::broadcast_to(tf::expand_dims(x, 2), [2, 2, 3, 5, 4]);
        tf::reshape(wide, [2, 6, 5, 4])
    };
    let got = tf::scaled_dot_product_attention(&q, &k, &v, grouped());
    assert!(close(&got, &plain(&q, &repeated(&k), &repeated(&v), None)));
    check(&|x| tf::scaled_dot_product_attention(&x[0], &x[1], &x[2], grouped()), &[q.clone(), k, v]);
    assert!(
        tf::try_scaled_dot_product_attention(&q, tf::ones([2, 4, 5, 4]), tf::ones([2, 4, 5, 4]), grouped()).is_err()
    );
}

#[test]
fn a_query_that_sees_nothing_gets_zeros() {
    let (q, k) = (numbers(1, &[2, 4]), numbers(2, &[3, 4]));
    let mask = tf::constant([[false, false, false], [true, false, true]]);
    let mut tape = GradientTape::new();
    let sources = vec![q.clone(), k.clone()];
    tape.watch(&sources);
    let y = tf::scaled_dot_product_attention(&q, &k, &k, Attention { mask: Some(mask), ..Default::default() });
    assert_eq!(y.to_vec::<f64>()[..4], [0.0; 4]);
    let given = tape.gradient(&y, &sources);
    let (dq, dk) = (given.get(0).unwrap(), given.get(1).unwrap());
    assert_eq!(dq.to_vec::<f64>()[..4], [0.0; 4]);
    assert!(dk.to_vec::<f64>().iter().all(|v| v.is_finite()));
}

#[test]
fn what_is_dropped_is_about_the_rate_and_drawn_again_backwards() {
    let (q, v) = (tf::zeros([64, 2]), tf::eye(64));
    let seed = Tensor::from([1_i64, 2]);
    let drops = || Attention { dropout: 0.25, seed: Some(seed.clone()), ..Default::default() };
    let mut tape = GradientTape::new();
    tape.watch(&v);
    let y = tf::scaled_dot_product_attention(&q, &q, &v, drops());
    let dropped = y.to_vec::<f32>().iter().filter(|p| **p == 0.0).count();
    assert!((850..1200).contains(&dropped), "{dropped}");
    // Each value's gradient counts how often it was not dropped.
    let dv = tape.gradient(&y, &v).to_vec::<f32>();
    let columns = tf::reduce_sum(&y, 0).to_vec::<f32>();
    for (row, column) in dv.chunks(64).zip(&columns) {
        assert!((row[0] - column).abs() < 1e-5, "{} {column}", row[0]);
    }
}

#[test]
fn bad_operands_are_refused() {
    let x = tf::ones([2, 3, 4]);
    let run = |q: &Tensor, k: &Tensor, v: &Tensor, o: Attention| tf::try_scaled_dot_product_attention(q, k, v, o);
    let plain = Attention::default;
    assert!(run(&x, &tf::ones([2, 3, 5]), &x, plain()).is_err());
    assert!(run(&x, &x, &tf::ones([2, 4, 4]), plain()).is_err());
    assert!(run(&x, &x.cast(DType::F64), &x, plain()).is_err());
    assert!(run(&x.cast(DType::I32), &x, &x, plain()).is_err());
    assert!(run(&tf::ones([4]), &x, &x, plain()).is_err());
    assert!(run(&x, &x, &x, Attention { dropout: 1.0, ..plain() }).is_err());
    assert!(run(&x, &x, &x, Attention { mask: Some(tf::ones([2, 3])), ..plain() }).is_err());
    assert!(run(&x, &x, &x, Attention { mask: Some(tf::constant([1, 0, 1])), ..plain() }).is_err());
    assert!(tf::try_dot_product_attention(&x, &x, &x, plain()).is_err());
}
