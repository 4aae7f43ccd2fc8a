//! Arguments that no state of the program could make right: shapes, dtypes, axes, indices, sizes, divisors, formats.
//! One test per kind of mistake.

use crate::refused;
use eagerflow as tf;
use tf::{DType, Tensor};

#[test]
fn shapes_that_do_not_fit() {
    let (a, b) = (tf::ones([2, 3]), tf::ones([4, 3]));
    refused!(tf::try_add(&a, &b), InvalidArgument, "add", ["[2, 3]", "[4, 3]"]);
    refused!(a.try_multiply(&b), InvalidArgument, "multiply", ["[2, 3]", "[4, 3]"]);
    refused!(tf::try_matmul(&a, &b), InvalidArgument, "matmul", ["[2, 3]", "[4, 3]"]);
    refused!(tf::try_concat(&[&a, &tf::ones([2, 2, 3])], 0), InvalidArgument, "concat", ["[2, 3]", "[2, 2, 3]"]);
    refused!(tf::try_reshape(&a, [4, -1]), InvalidArgument, "reshape", ["[4, -1]"]);
    refused!(tf::try_reshape(&a, [-1, -1]), InvalidArgument, "reshape", ["-1"]);
    refused!(tf::try_reshape(&a, [7]), InvalidArgument, "reshape", ["[2, 3]", "[7]"]);
    refused!(tf::try_broadcast_to(&a, [2, 4]), InvalidArgument, "broadcast_to", ["[2, 3]", "[2, 4]"]);
    refused!(tf::try_squeeze(&a, 1), InvalidArgument, "squeeze", ["[2, 3]"]);
    refused!(tf::try_transpose(&a, [0, 0]), InvalidArgument, "transpose", ["[0, 0]"]);
    refused!(tf::try_transpose(&a, [0]), InvalidArgument, "transpose", ["[0]"]);
    refused!(Tensor::try_from_vec(vec![1, 2, 3], [2, 2]), InvalidArgument, "from_vec", ["3", "[2, 2]"]);
}

#[test]
fn windows_that_no_image_holds() {
    let (x, w) = (tf::ones([1, 2, 6, 1]), tf::ones([5, 5, 1, 1]));
    refused!(tf::try_conv2d(&x, &w, 1, tf::Padding::Valid), InvalidArgument, "conv2d", ["rows", "2", "5"]);
    refused!(tf::try_max_pool2d(&x, 8, 1, tf::Padding::Valid), InvalidArgument, "max_pool2d", ["2 rows", "8"]);
    refused!(tf::try_avg_pool2d(&x, [1, 9], 1, tf::Padding::Valid), InvalidArgument, "avg_pool2d", ["6 columns", "9"]);
    // Smaller by so little that TensorFlow's eager calls give an empty image.
    refused!(tf::try_conv2d(&x, &w, 2, tf::Padding::Valid), InvalidArgument, "conv2d", ["2 rows", "5"]);
    refused!(tf::try_max_pool2d(&x, 3, 3, tf::Padding::Valid), InvalidArgument, "max_pool2d", ["2 rows", "3"]);
    refused!(tf::try_avg_pool2d(&x, [1, 7], 1, tf::Padding::Valid), InvalidArgument, "avg_pool2d", ["6 columns", "7"]);
    let wide = tf::ones([2, 2, 1, 1]);
    refused!(
        tf::try_conv2d_dilated(&x, &wide, 1, tf::Padding::Valid, 2),
        InvalidArgument,
        "conv2d",
        ["2 rows", "a window of 3"]
    );
    refused!(
        tf::try_max_pool2d(&x, 4, 1, tf::Padding::Explicit([[1, 0], [0, 0]])),
        InvalidArgument,
        "max_pool2d",
        ["3 rows", "4"]
    );
    assert_eq!(tf::conv2d(&x, &w, 1, tf::Padding::Same).shape(), [1, 2, 6, 1]);
    assert_eq!(tf::max_pool2d(&x, 3, 3, tf::Padding::Same).shape(), [1, 1, 2, 1]);
    assert_eq!(tf::max_pool2d(&x, 2, 2, tf::Padding::Valid).shape(), [1, 1, 3, 1]);
}

#[test]
fn dtypes_that_are_mixed_or_not_taken() {
    let (floats, ints) = (tf::ones(2), tf::constant([1, 2]));
    let flags = tf::constant([true, false]);
    refused!(tf::try_add(&floats, &ints), InvalidArgument, "add", ["float32", "int32", "cast"]);
    refused!(tf::try_matmul(tf::ones([1, 2]), tf::constant([[1], [2]])), InvalidArgument, "matmul", ["float32"]);
    refused!(tf::try_tanh(&ints), InvalidArgument, "tanh", ["int32", "float32"]);
    refused!(tf::try_add(&flags, &flags), InvalidArgument, "add", ["bool"]);
    refused!(tf::try_reduce_sum(&flags, ()), InvalidArgument, "reduce_sum", ["bool"]);
    refused!(tf::try_add(&ints, 1.5), InvalidArgument, "add", ["1.5", "int32"]);
    refused!(tf::try_add(tf::cast(&ints, DType::U8), 256), InvalidArgument, "add", ["256", "uint8"]);
    refused!(tf::try_gather(&floats, &floats, 0), InvalidArgument, "gather", ["float32", "int32"]);
    refused!(tf::try_concat(&[&floats, &ints], 0), InvalidArgument, "concat", ["float32", "int32"]);
}

#[test]
fn axes_that_are_not_there() {
    let x = tf::ones([2, 3]);
    refused!(tf::try_reduce_sum(&x, 2), InvalidArgument, "reduce_sum", ["2"]);
    refused!(tf::try_reduce_sum(&x, -3), InvalidArgument, "reduce_sum", ["-3"]);
    refused!(tf::try_reduce_sum(&x, [0, 0]), InvalidArgument, "reduce_sum", ["0"]);
    refused!(tf::try_argmax(&x, 5), InvalidArgument, "argmax", ["5"]);
    refused!(tf::try_expand_dims(&x, 4), InvalidArgument, "expand_dims", ["4"]);
    refused!(tf::try_concat(&[&x, &x], isize::MIN), InvalidArgument, "concat", ["-9223372036854775808"]);
    refused!(tf::try_gather(&x, tf::constant([0]), 2), InvalidArgument, "gather", ["2"]);
    refused!(tf::try_transpose(&x, [0, 2]), InvalidArgument, "transpose", ["2"]);
    refused!(tf::try_reduce_sum(&x, usize::MAX), InvalidArgument, "reduce_sum", ["9223372036854775807"]);
}

#[test]
fn indices_that_are_out_of_range() {
    let x = tf::ones([3, 2]);
    refused!(tf::try_gather(&x, tf::constant([0, 3]), 0), OutOfRange, "gather", ["3"]);
    refused!(tf::try_gather(&x, tf::constant([-1]), 0), OutOfRange, "gather", ["-1"]);
    refused!(tf::try_gather_nd(&x, tf::constant([[1, 2]])), OutOfRange, "gather_nd", ["2"]);
    refused!(tf::try_scatter_nd(tf::constant([[4]]), tf::ones([1]), [3]), OutOfRange, "scatter_nd", ["4"]);
    refused!(tf::try_slice(&x, [2, 0], [2, 1]), OutOfRange, "slice", ["[3, 2]"]);
    refused!(tf::try_slice(&x, [-1, 0], [1, 1]), OutOfRange, "slice", ["-1"]);
    refused!(tf::try_slice(&x, [isize::MAX, 0], [isize::MAX, 1]), OutOfRange, "slice", ["9223372036854775807"]);
    refused!(tf::try_slice(&x, [0], [1]), InvalidArgument, "slice", ["[3, 2]"]);
}

#[test]
fn sizes_that_nobody_can_have() {
    refused!(tf::try_zeros([2, -3], DType::F32), InvalidArgument, "zeros", ["-3"]);
    refused!(tf::try_fill([-1], 0.0), InvalidArgument, "fill", ["-1"]);
    refused!(tf::try_ones([1; 9], DType::F32), InvalidArgument, "ones", ["9"]);
    refused!(tf::try_broadcast_to(tf::ones(1), [-1]), InvalidArgument, "broadcast_to", ["-1"]);
    refused!(tf::try_zeros([usize::MAX], DType::F32), InvalidArgument, "zeros", ["18446744073709551615"]);
    refused!(tf::try_zeros([1usize << 32, 1 << 32], DType::U8), InvalidArgument, "zeros", ["4294967296"]);
}

#[test]
fn more_memory_than_there_is() {
    // 2^46 elements of one byte can be addressed, but not had; nothing is touched before the refusal.
    for dtype in [DType::U8, DType::F32, DType::F64] {
        refused!(tf::try_zeros([1usize << 46], dtype), ResourceExhausted, "fill", ["bytes", "70368744177664"]);
    }
    let wide = tf::broadcast_to(tf::ones([1, 1]), [1usize << 23, 1 << 23]);
    refused!(tf::try_add(&wide, &wide), ResourceExhausted, "add", ["bytes"]);
    refused!(tf::try_tanh(&wide), ResourceExhausted, "tanh", ["bytes"]);
    assert_eq!(tf::try_zeros([1usize << 46, 0], DType::F64).expect("no elements").num_elements(), 0);
    // Handles of parts without elements would fill memory all the same.
    let none = tf::zeros([1usize << 46, 0]);
    refused!(tf::try_unstack(&none, 0), ResourceExhausted, "unstack", ["70368744177664"]);
    refused!(tf::try_split(&none, 1usize << 46, 0), ResourceExhausted, "split", ["70368744177664"]);
}

#[test]
fn reading_as_another_type() {
    let x = tf::ones([2]);
    refused!(x.try_to_vec::<i32>(), InvalidArgument, "to_vec", ["float32", "int32"]);
    refused!(x.try_item::<f32>(), InvalidArgument, "item", ["[2]"]);
    refused!(tf::ones(()).try_item::<f64>(), InvalidArgument, "item", ["float32", "float64"]);
    assert!(x.as_slice::<i32>().is_none());
}
