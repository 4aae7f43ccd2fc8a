//! How many traces calls of many sizes make: the second size of an axis opens it, and 0 and 1 keep traces of their own.

use eagerflow as tf;
use tf::{Tensor, tf_function};

/// A function of its own for each test.
macro_rules! doubled {
    ($($name:ident)*) => {$(
        #[tf_function]
        fn $name(x: &Tensor) -> Tensor {
            tf::reduce_sum(x * 2.0, 1)
        }
    )*};
}

doubled! { one_first two_first one_last zero_first two_axes from_an_open_axis exact }

fn call(function: fn(&Tensor) -> Tensor, rows: usize, columns: usize) {
    let sums = function(&tf::ones([rows, columns])).to_vec::<f32>();
    assert_eq!(sums, vec![2.0 * columns as f32; rows]);
}

#[test]
fn batches_from_1_on_take_two_traces() {
    for batch in 1..=20 {
        call(one_first, batch, 3);
    }
    assert_eq!(tf::function(one_first).trace_count(), 2);
    call(one_first, 1, 3);
    assert_eq!(tf::function(one_first).trace_count(), 2);
}

#[test]
fn batches_from_2_on_take_two_traces() {
    for batch in 2..=20 {
        call(two_first, batch, 3);
    }
    assert_eq!(tf::function(two_first).trace_count(), 2);
}

#[test]
fn a_1_behind_others_takes_one_more() {
    for batch in [5, 1, 7, 1, 9] {
        call(one_last, batch, 3);
    }
    assert_eq!(tf::function(one_last).trace_count(), 3);
}

#[test]
fn batches_from_0_on_take_three_traces() {
    for batch in 0..=20 {
        call(zero_first, batch, 3);
    }
    assert_eq!(tf::function(zero_first).trace_count(), 3);
}

#[test]
fn axes_open_one_by_one() {
    for (rows, columns) in [(1, 4), (6, 4), (7, 4), (8, 5), (9, 6)] {
        call(two_axes, rows, columns);
    }
    assert_eq!(tf::function(two_axes).trace_count(), 3);
}

#[test]
fn an_open_axis_stays_open_beside_a_1() {
    for (rows, columns) in [(2, 4), (3, 5), (1, 6), (1, 7), (1, 8)] {
        call(from_an_open_axis, rows, columns);
    }
    assert_eq!(tf::function(from_an_open_axis).trace_count(), 3);
    let reasons = tf::function(from_an_open_axis).reasons();
    assert!(
        reasons.iter().any(|reason| reason.contains("`x` changed from") && reason.contains("to f32[1,6]")),
        "{reasons:?}"
    );
}

#[tf_function(relax_shapes = false)]
fn each_size(x: &Tensor) -> Tensor {
    tf::reduce_sum(x * 2.0, 1)
}

#[test]
fn sizes_that_must_not_open_do_not() {
    for batch in 1..=4 {
        call(each_size, batch, 3);
    }
    assert_eq!(tf::function(each_size).trace_count(), 4);
    call(exact, 1, 3);
    assert_eq!(tf::function(exact).trace_count(), 1);
}
