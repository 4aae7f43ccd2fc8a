//! Jacobians and batches of them, from both tapes, with unconnected parts and empty targets.

use crate as tf;
use crate::{GradientTape, Tensor, Variable};

#[test]
fn of_a_matrix_product() {
    let (a, x) = (tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), tf::constant([[1.0], [2.0], [3.0]]));
    let mut tape = GradientTape::persistent();
    tape.watch([&a, &x]);
    let y = tf::matmul(&a, &x);
    let (da, dx) = tape.jacobian(&y, (&a, &x));
    assert_eq!(dx.shape(), [2, 1, 3, 1]);
    assert_eq!(dx.to_vec::<f32>(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(da.shape(), [2, 1, 2, 3]);
    assert_eq!(da.to_vec::<f32>(), [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
}

#[test]
fn parts_of_the_target_may_not_depend_on_the_source() {
    let (x, c) = (tf::constant([1.0, 2.0]), tf::constant([5.0]));
    let mut tape = GradientTape::new();
    tape.watch(&x);
    let y = tf::concat(&[&(&x * &x), &c], 0);
    assert_eq!(tape.jacobian(&y, &x).to_vec::<f32>(), [2.0, 0.0, 0.0, 4.0, 0.0, 0.0]);
    let mut tape = GradientTape::new();
    tape.watch([&x, &c]);
    let y = &x * 2.0;
    let error = tape.try_jacobian(&y, [&x, &c]).unwrap_err().to_string();
    assert!(error.contains("source 1"), "{error}");
}

#[test]
fn second_orders_from_a_persistent_tape_and_from_two() {
    let x = tf::constant([1.0, 2.0]);
    let cube = |x: &Tensor| tf::reduce_sum(x * x * x, ());
    let hessian = [6.0, 0.0, 0.0, 12.0];
    let mut tape = GradientTape::persistent();
    tape.watch(&x);
    let slope = tape.gradient(&cube(&x), &x);
    assert_eq!(tape.jacobian(&slope, &x).to_vec::<f32>(), hessian);

    let mut outer = GradientTape::new();
    outer.watch(&x);
    let slope = super::grad(&x, cube);
    assert_eq!(outer.jacobian(&slope, &x).to_vec::<f32>(), hessian);
    // The Jacobian itself is recorded by an outer tape.
    let third = super::grad(&x, |x| {
        let mut inner = GradientTape::new();
        inner.watch(x);
        let y = x * x * x;
        inner.jacobian(&y, x)
    });
    assert_eq!(third.to_vec::<f32>(), [6.0, 12.0]);
}

#[test]
fn of_scalars_variables_and_empty_targets() {
    let v = Variable::new([1.0, 2.0, 3.0]);
    let tape = GradientTape::new();
    let y = tf::reduce_sum(&v * &v, ());
    assert_eq!(tape.jacobian(&y, &v).to_vec::<f32>(), [2.0, 4.0, 6.0]);
    let x = tf::zeros([0, 2]);
    let mut tape = GradientTape::new();
    tape.watch(&x);
    let y = &x * 2.0;
    assert_eq!(tape.jacobian(&y, &x).shape(), [0, 2, 0, 2]);
    let mut tape = GradientTape::new();
    tape.watch(&x);
    assert!(tape.try_jacobian(&tf::constant([1, 2]), &x).is_err());
}

#[test]
fn of_batches() {
    let x = tf::constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    let w = tf::constant([[1.0, 0.0, 2.0], [0.0, 1.0, -1.0]]);
    let mut tape = GradientTape::persistent();
    tape.watch(&x);
    let y = tf::matmul(&(&x * &x), &w);
    let batch = tape.batch_jacobian(&y, &x);
    assert_eq!(batch.shape(), [3, 3, 2]);
    let full = tape.jacobian(&y, &x);
    let (batch, full) = (batch.to_vec::<f32>(), full.to_vec::<f32>());
    for example in 0..3 {
        for out in 0..3 {
            for within in 0..2 {
                let inner = batch[(example * 3 + out) * 2 + within];
                assert_eq!(inner, full[((example * 3 + out) * 3 + example) * 2 + within]);
            }
        }
    }
    assert!(tape.try_batch_jacobian(&tf::constant(1.0), &x).is_err());
    assert!(tape.try_batch_jacobian(&tf::constant([1.0, 2.0]), &x).is_err());
    let apart = tf::constant([1.0, 2.0, 3.0]);
    tape.watch(&apart);
    assert!(tape.try_batch_jacobian(&y, &apart).unwrap_err().to_string().contains("no gradient"));
}
