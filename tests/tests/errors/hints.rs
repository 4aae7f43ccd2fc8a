//! Hints where one word helps: `cast`, `expand_dims(0)`, `.t()`; and numbers beside tensors of integers, as TensorFlow has them.

use crate::refused;
use eagerflow as tf;
use tf::layers::{Conv2D, Dense, GlobalAveragePooling2D, MaxPool2D};
use tf::{DType, Padding, Tensor, Variable};

fn text<T>(result: tf::Result<T>) -> String {
    let Err(error) = result else { panic!("the call is not refused") };
    error.to_string()
}

#[test]
fn a_transposed_operand_would_fit() {
    let ones = |sizes: [usize; 2]| tf::ones(sizes);
    let help = |a: [usize; 2], b: [usize; 2]| text(tf::try_matmul(ones(a), ones(b)));
    assert!(help([3, 2], [3, 4]).contains("`a.t()`"));
    assert!(help([2, 3], [4, 3]).contains("`b.t()`"));
    let both = help([3, 4], [5, 3]);
    assert!(both.contains("`a.t()`") && both.contains("`b.t()`"), "{both}");
    let either = help([2, 3], [2, 3]);
    assert!(either.contains("`a.t()`") && either.contains("`b.t()`"), "{either}");
    assert!(!help([2, 3], [5, 7]).contains("help"), "nothing fits");
    // What the help says is right.
    assert_eq!(ones([3, 2]).t().matmul(ones([3, 4])).shape(), [2, 4]);
    assert_eq!(ones([2, 3]).matmul(ones([4, 3]).t()).shape(), [2, 4]);
    assert_eq!(ones([3, 4]).t().matmul(ones([5, 3]).t()).shape(), [4, 5]);
    let batches = text(tf::try_matmul(tf::ones([7, 2, 3]), tf::ones([7, 4, 3])));
    assert!(batches.contains("`matmul_transposed(&a, false, &b, true)`"), "{batches}");
    assert_eq!(tf::matmul_transposed(tf::ones([7, 2, 3]), false, tf::ones([7, 4, 3]), true).shape(), [7, 2, 4]);
}

#[test]
fn one_example_without_a_batch() {
    let image = tf::ones([8, 8, 3]);
    let conv = Conv2D::new(2, 3);
    for text in [
        text(conv.try_call(&image, false)),
        text(MaxPool2D::new(2).try_call(&image, false)),
        text(GlobalAveragePooling2D::new().try_call(&image, false)),
        text(tf::try_conv2d(&image, tf::ones([3, 3, 3, 2]), 1, Padding::Valid)),
        text(tf::try_max_pool2d(&image, 2, 2, Padding::Valid)),
        text(tf::try_avg_pool2d(&image, 2, 2, Padding::Valid)),
    ] {
        assert!(text.contains("`x.expand_dims(0)` makes a batch of one image"), "{text}");
    }
    assert_eq!(conv.call(image.expand_dims(0)).shape(), [1, 6, 6, 2]);
    let grey = text(conv.try_call(tf::ones([8, 8]), false));
    assert!(grey.contains("`x.expand_dims(0).expand_dims(-1)`"), "{grey}");
    let row = text(Dense::new(2).try_call(tf::ones(4), false));
    assert!(row.contains("`x.expand_dims(0)` makes a batch of one row"), "{row}");
    assert_eq!(Dense::new(2).call(tf::ones(4).expand_dims(0)).shape(), [1, 2]);
}

#[test]
fn a_cast_would_fit() {
    let (f, i) = (tf::ones([2, 2]), tf::constant([[1, 2], [3, 4]]));
    for text in [
        text(f.try_add(&i)),
        text(tf::try_matmul(&f, &i)),
        text(tf::try_concat(&[&f, &i], 0)),
        text(tf::try_select(tf::constant(true), &f, &i)),
        text(Variable::new([[1.0, 2.0]]).try_assign(tf::constant([[1, 2]]))),
        text(Dense::new(2).try_call(&i, false)),
        text(Conv2D::new(2, 1).try_call(i.reshape([1, 2, 2, 1]), false)),
        text(i.try_item::<f32>()),
        text(tf::try_one_hot(tf::constant([0]), 2usize, 1.0, tf::constant(0), -1)),
        text(tf::debugging::try_assert_near(&i, &i, "")),
    ] {
        assert!(text.contains("cast"), "{text}");
    }
    assert!(text(Dense::new(2).try_call(&i, false)).contains("cast(DType::F32)"));
    // Integers become floats, whichever comes first.
    assert!(text(f.try_add(&i)).contains("cast(DType::F32)") && text(i.try_add(&f)).contains("cast(DType::F32)"));
    assert!(text(i.try_add(i.cast(DType::I64))).contains("cast(DType::I32)"));
}

#[test]
fn a_float_beside_integers() {
    let x = tf::constant([1, 2]);
    refused!(x.try_add(2.0), InvalidArgument, "add", ["2.0 for a tensor of int32", "write `2`"]);
    refused!(x.try_multiply(0.5), InvalidArgument, "multiply", ["0.5 for a tensor of int32", "`cast` the tensor"]);
    refused!(tf::try_maximum(&x, 0.0), InvalidArgument, "maximum", ["0.0 for a tensor of int32", "write `0`"]);
    refused!(tf::try_less(2.0, &x), InvalidArgument, "less", ["2.0 for a tensor of int32"]);
    let steps = Variable::with(tf::constant(1), "steps", false);
    refused!(steps.try_assign_add(1.0), InvalidArgument, "assign", ["1.0 for a tensor of int32", "steps"]);
    // What a dtype is named for is converted as far as it is exact, and integers are numbers of floats.
    assert_eq!(tf::constant_of([1.0, 2.0], DType::I32).to_vec::<i32>(), [1, 2]);
    assert_eq!((&x.cast(DType::F32) + 2).to_vec::<f32>(), [3.0, 4.0]);
}

#[test]
fn remainders_have_the_sign_that_rust_gives_them() {
    let x = tf::constant([7.5, -7.5]);
    assert_eq!((&x % -2.0).to_vec::<f32>(), [7.5 % -2.0, -7.5 % -2.0]);
    // TensorFlow's `%`.
    assert_eq!(tf::floormod(&x, -2.0).to_vec::<f32>(), [-0.5, -1.5]);
    assert_eq!((Tensor::from([7i64, -7]) % -2i64).to_vec::<i64>(), [7 % -2, -7 % -2]);
}
