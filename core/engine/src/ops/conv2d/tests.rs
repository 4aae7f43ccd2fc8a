//! Convolutions against a plain definition and against differences, over strides, dilations, paddings and dtypes.
//! Real TensorFlow's numbers are compared in the table of operations.

use crate as tf;
use crate::ops::differences::{check, numbers};
use crate::{DType, Padding, Tensor, bf16, f16};

/// Image, filters, strides, dilations, padding.
type Case = ([usize; 4], [usize; 4], [usize; 2], [usize; 2], Padding);

const CASES: [Case; 7] = [
    ([2, 5, 4, 2], [3, 2, 2, 3], [1, 1], [1, 1], Padding::Valid),
    ([1, 5, 4, 1], [3, 3, 1, 2], [2, 1], [1, 1], Padding::Same),
    ([1, 6, 5, 2], [2, 2, 2, 1], [1, 1], [2, 3], Padding::Same),
    ([1, 4, 4, 1], [2, 2, 1, 2], [3, 2], [1, 1], Padding::Explicit([[1, 0], [0, 2]])),
    ([2, 3, 3, 3], [1, 1, 3, 2], [1, 1], [1, 1], Padding::Valid),
    ([1, 4, 4, 4], [2, 2, 2, 4], [1, 1], [1, 1], Padding::Same),
    ([0, 3, 3, 1], [2, 2, 1, 1], [1, 1], [1, 1], Padding::Valid),
];

#[test]
fn gradients_of_both_orders() {
    for (x, w, strides, dilations, padding) in CASES {
        let inputs = [numbers(1, &x), numbers(2, &w)];
        check(&|t| tf::conv2d_dilated(&t[0], &t[1], strides, padding, dilations), &inputs);
    }
}

#[test]
fn all_dtypes_agree() {
    for (x, w, strides, dilations, padding) in CASES {
        // Small whole numbers are exact in every dtype.
        let whole = |t: Tensor| (t * 3.0).cast(DType::I32);
        let (x, w) = (whole(numbers(3, &x)), whole(numbers(4, &w)));
        let right = tf::conv2d_dilated(&x, &w, strides, padding, dilations).to_vec::<i32>();
        let run = |dtype| {
            let y = tf::conv2d_dilated(&x.cast(dtype), &w.cast(dtype), strides, padding, dilations);
            assert_eq!(y.dtype(), dtype);
            y
        };
        assert!(run(DType::F32).to_vec::<f32>().iter().zip(&right).all(|(a, &b)| *a == b as f32));
        assert!(run(DType::F64).to_vec::<f64>().iter().zip(&right).all(|(a, &b)| *a == f64::from(b)));
        assert!(run(DType::F16).to_vec::<f16>().iter().zip(&right).all(|(a, &b)| a.to_f32() == b as f32));
        assert!(run(DType::BF16).to_vec::<bf16>().iter().zip(&right).all(|(a, &b)| a.to_f32() == b as f32));
    }
}

#[test]
fn bad_input_is_named() {
    let (x, w) = (tf::ones([1, 3, 3, 3]), tf::ones([2, 2, 2, 2]));
    let refused = |result: crate::Result<Tensor>, part: &str| {
        let text = result.unwrap_err().to_string();
        assert!(text.contains(part), "{text}");
    };
    refused(tf::try_conv2d(&x, &w, 1, Padding::Valid), "channels");
    refused(tf::try_conv2d(&x, tf::ones([2, 2, 3]), 1, Padding::Valid), "dimensions");
    refused(tf::try_conv2d(tf::ones([3, 3, 3]), &w, 1, Padding::Valid), "images");
    refused(tf::try_conv2d(&x, tf::ones([2, 0, 3, 1]), 1, Padding::Same), "cells");
    refused(tf::try_conv2d(&x, tf::ones([2, 2, 3, 1]), [0, 1], Padding::Same), "strides");
    refused(tf::try_conv2d(&x, tf::ones([2, 2, 3, 1]), -1, Padding::Same), "strides");
    refused(tf::try_conv2d(&x, tf::ones([2, 2, 3, 1]).cast(DType::F64), 1, Padding::Same), "dtype");
    refused(tf::try_conv2d(&x.cast(DType::I64), tf::ones([2, 2, 3, 1]).cast(DType::I64), 1, Padding::Same), "dtype");
}
