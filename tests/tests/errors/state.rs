//! Nothing is half-done: after a refused call, variables and tensors are what they were.
//! Tapes and devices go on working too.

use crate::caught::panic_of;
use crate::refused;
use eagerflow as tf;
use tf::{DType, GradientTape, Variable};

#[test]
fn a_refused_assignment_changes_nothing() {
    let v = Variable::with(tf::constant([1.0, 2.0]), "weights", true);
    let wrong_shape = tf::ones([3]);
    let wrong_type = tf::cast(tf::ones([2]), DType::F64);
    refused!(v.try_assign(&wrong_shape), InvalidArgument, "assign", ["weights", "[3]", "[2]"]);
    refused!(v.try_assign_add(&wrong_shape), InvalidArgument, "assign_add", ["weights", "[3]", "[2]"]);
    refused!(v.try_assign_sub(&wrong_type), InvalidArgument, "assign_sub", ["weights", "float64", "float32"]);
    assert_eq!(v.value().to_vec::<f32>(), [1.0, 2.0]);
    v.assign_add(tf::ones([2]));
    assert_eq!(v.value().to_vec::<f32>(), [2.0, 3.0]);
}

#[test]
fn a_failed_operator_assignment_leaves_the_operand() {
    let mut x = tf::ones([2]);
    panic_of(|| x += tf::ones([3]));
    // The left side was given up for its memory; what stands there now must still be a tensor.
    let _ = x.shape();
}

#[test]
fn a_tape_survives_a_refused_operation() {
    let x = tf::constant([1.0, 2.0]);
    let mut tape = GradientTape::new();
    tape.watch(&x);
    let y = &x * &x;
    assert!(y.try_add(tf::ones([3])).is_err());
    assert!(tf::try_gather(&y, tf::constant([7]), 0).is_err());
    let z = tf::reduce_sum(&y, ());
    assert_eq!(tape.gradient(&z, &x).to_vec::<f32>(), [2.0, 4.0]);
}
