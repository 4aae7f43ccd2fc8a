//! Faults that only the numbers show: integer division by zero, and powers with a negative exponent.
//! They come out of the inner loops, on small inputs and on large ones that threads share.

use crate::refused;
use eagerflow as tf;
use tf::{DType, Variable};

#[test]
fn integers_divided_by_zero() {
    let (x, y) = (tf::constant([7, 8, 9]), tf::constant([1, 0, 2]));
    refused!(tf::try_floordiv(&x, &y), InvalidArgument, "floordiv", ["zero"]);
    refused!(tf::try_floormod(&x, &y), InvalidArgument, "floormod", ["zero"]);
    refused!(tf::try_divide(&x, &y), InvalidArgument, "divide", ["int32"]);
    refused!(tf::try_truncatemod(&x, &y), InvalidArgument, "truncatemod", ["zero"]);
    refused!(tf::try_pow(&x, tf::constant([1, -1, 2])), InvalidArgument, "pow", ["negative"]);
    let large = tf::cast(tf::ones([300_000]), DType::I64);
    let mut divisors = vec![1i64; 300_000];
    divisors[299_999] = 0;
    let divisors = tf::Tensor::try_from_vec(divisors, [300_000usize]).expect("as many numbers as the shape says");
    refused!(tf::try_floordiv(&large, &divisors), InvalidArgument, "floordiv", ["zero"]);
    assert_eq!(tf::try_floordiv(&large, 1).expect("no zero there").to_vec::<i64>()[299_999], 1);
}

#[test]
fn scatters_that_leave_the_tensor_change_nothing() {
    let v = Variable::new(vec![1.0f32, 2.0, 3.0]);
    let (rows, updates) = (tf::constant([0, 7]), tf::ones([2]));
    let tuples = tf::constant([[0], [7]]);
    refused!(v.try_scatter_update(&rows, &updates), OutOfRange, "scatter_update", ["7"]);
    refused!(v.try_scatter_add(&rows, &updates), OutOfRange, "scatter_add", ["7"]);
    refused!(v.try_scatter_sub(&rows, &updates), OutOfRange, "scatter_sub", ["7"]);
    refused!(v.try_scatter_nd_update(&tuples, &updates), OutOfRange, "scatter_nd_update", ["7"]);
    refused!(v.try_scatter_nd_add(&tuples, tf::ones([3])), InvalidArgument, "scatter_nd_add", ["[3]"]);
    assert_eq!(v.value().to_vec::<f32>(), [1.0, 2.0, 3.0]);
}
