//! Transposed operands that are copied before they are looped over, in plans and at once: each alone, both, the same twice, and with a row
//! that repeats. `plan/mod.rs` has them as its tests.

use super::tests::{check, noise};
use crate as tf;
use crate::tensor::Tensor;

#[test]
fn transposed_operands_have_the_same_bits() {
    let (x, y, row) = (noise(&[300, 70], 5), noise(&[70, 300], 6), noise(&[300], 7));
    let f = |t: &[Tensor]| {
        let turned = tf::transpose(&t[0], []);
        let back = tf::transpose(tf::transpose(&t[1], []) * &t[0], []);
        vec![&turned * &t[1] + &turned, &turned * &turned, &turned - &t[2], back, tf::reduce_sum(turned.square(), 1)]
    };
    check(&[&x, &y, &row], f);
    let at_once = f(&[x.clone(), y.clone(), row]);
    let (a, b) = (x.to_vec::<f32>(), y.to_vec::<f32>());
    let formulas: [fn(f32, f32) -> f32; 2] = [|a, b| a * b + a, |a, _| a * a];
    for (got, formula) in at_once.iter().zip(formulas) {
        let want = (0..b.len()).map(|i| formula(a[i % 300 * 70 + i / 300], b[i]));
        assert!(got.to_vec::<f32>().into_iter().eq(want));
    }
}
