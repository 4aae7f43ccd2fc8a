//! Loops that read a list while they write it, and items of lists that are put together.
//! What a round saves must not be the list.

use super::{gradient, level, traced};
use eagerflow as tf;
use tf::{DType, Tensor, TensorArray, tf_function};

#[tf_function]
fn array_read_back(xs: &Tensor, n: &Tensor) -> Tensor {
    let mut all = TensorArray::new(DType::F32, n).write(0, &xs.at(0));
    for i in tf::range(1, n, 1) {
        let before = all.read(&(&i - 1));
        all = all.write(&i, &(before * 0.5 + xs.at(&i)));
    }
    tf::reduce_sum(all.read(&(n - 1)), ())
}

#[test]
fn a_list_that_is_read_back_costs_the_same_in_each_round() {
    level("array_read_back", gradient(traced(array_read_back)));
}

#[tf_function]
fn array_in_a_branch(xs: &Tensor, n: &Tensor) -> Tensor {
    let mut all = TensorArray::new(DType::F32, n).write(0, &xs.at(0));
    for i in tf::range(1, n, 1) {
        if &i % 2 == 0 {
            let before = all.read(&(&i - 2));
            all = all.write(&i, &(before * 0.5));
        } else {
            all = all.write(&i, &xs.at(&i));
        }
    }
    tf::reduce_sum(all.stack(), ())
}

#[test]
fn so_does_one_that_is_read_back_in_a_branch() {
    level("array_in_a_branch", gradient(traced(array_in_a_branch)));
}

#[tf_function]
fn unstacked(xs: &Tensor, n: &Tensor) -> Tensor {
    let inputs = TensorArray::unstack(xs);
    let mut sum = tf::constant(0.0);
    for i in tf::range(0, n, 1) {
        sum = sum + tf::reduce_sum(tf::square(inputs.read(&i)), ());
    }
    sum
}

#[test]
fn and_one_that_only_reads() {
    level("unstacked", gradient(traced(unstacked)));
}
