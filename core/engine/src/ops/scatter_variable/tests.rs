//! Products, quotients, greatest and least of rows in every dtype, and what refused writes leave behind.
//! The parent module's unit tests.

use crate as tf;

#[test]
fn nothing_is_written_before_all_indices_are_checked() {
    let v = tf::Variable::new([1.0, 2.0, 3.0]);
    let error = v.try_scatter_add(&tf::constant([0, 1, 3]), &tf::constant([1.0, 1.0, 1.0])).unwrap_err();
    assert!(matches!(error, tf::Error::OutOfRange(_)) && error.to_string().contains("0..3"), "{error}");
    assert_eq!(v.value().to_vec::<f32>(), [1.0, 2.0, 3.0]);
    let large = tf::Variable::new(tf::zeros([1000, 300]));
    let rows = tf::concat(&[&tf::range(0, 999, 1), &tf::constant([1000])], 0);
    assert!(large.try_scatter_update(&rows, &tf::ones([1000, 300])).is_err());
    assert_eq!(large.value().sum().item::<f32>(), 0.0);
    large.scatter_update(&tf::range(999, -1, -1), &tf::ones([1000, 300]));
    assert_eq!(large.value().sum().item::<f32>(), 300_000.0);
}

/// The numbers are TensorFlow's.
#[test]
fn products_greatest_and_least_of_every_dtype() {
    use tf::DType::{BF16, C64, C128, F16, F32, F64, I8, I16, I32, I64, U8};
    let (at, updates) = (tf::constant([2, 2, 1, 3]), [5, 2, 3, -1]);
    let run = |dtype, write: fn(&tf::Variable, &tf::Tensor, &tf::Tensor)| {
        let v = tf::Variable::new(tf::cast(&tf::constant([1, 7, -9, 8]), dtype));
        write(&v, &at, &tf::cast(&tf::constant(updates), dtype));
        tf::cast(&v.value(), F64).to_vec::<f64>()
    };
    let mul = |v: &tf::Variable, at: &tf::Tensor, by: &tf::Tensor| v.scatter_mul(at, by);
    let max = |v: &tf::Variable, at: &tf::Tensor, by: &tf::Tensor| v.scatter_max(at, by);
    let min = |v: &tf::Variable, at: &tf::Tensor, by: &tf::Tensor| v.scatter_min(at, by);
    for dtype in [F16, BF16, F32, F64, I8, I16, I32, I64] {
        assert_eq!(run(dtype, mul), [1.0, 21.0, -90.0, -8.0], "{dtype}");
        assert_eq!(run(dtype, max), [1.0, 7.0, 5.0, 8.0], "{dtype}");
        assert_eq!(run(dtype, min), [1.0, 3.0, -9.0, -1.0], "{dtype}");
    }
    assert_eq!(run(U8, mul), [1.0, 21.0, 166.0, 248.0]);
    assert_eq!((run(U8, max), run(U8, min)), (vec![1.0, 7.0, 247.0, 255.0], vec![1.0, 3.0, 2.0, 8.0]));
    for dtype in [C64, C128] {
        let v = tf::Variable::new(tf::cast(&tf::complex(tf::constant([1.0, 2.0]), tf::constant([3.0, -1.0])), dtype));
        let by = tf::cast(&tf::complex(tf::constant([2.0]), tf::constant([1.0])), dtype);
        v.scatter_mul(&tf::constant([0]), &by);
        assert_eq!(tf::cast(&tf::real(&v.value()), F64).to_vec::<f64>(), [-1.0, 2.0]);
        assert_eq!(tf::cast(&tf::imag(&v.value()), F64).to_vec::<f64>(), [7.0, -1.0]);
        assert!(v.try_scatter_max(&tf::constant([0]), &by).unwrap_err().to_string().contains("scatter_max"));
    }
    let v = tf::Variable::new([1.0, f32::NAN, 3.0]);
    v.scatter_max(&tf::constant([0, 1, 2, 2]), &tf::constant([f32::NAN, 2.0, f32::NAN, 5.0]));
    let after = v.value().to_vec::<f32>();
    assert!(after[0] == 1.0 && after[1].is_nan() && after[2] == 5.0, "{after:?}");
    assert!(v.try_scatter_min(&tf::constant([3]), &tf::constant([0.0])).is_err());
    assert!(tf::Variable::with(true, "truth", false).try_scatter_mul(&tf::constant(0), &tf::constant(true)).is_err());
}

#[test]
fn what_others_hold_stays_as_it_was() {
    let v = tf::Variable::new([[1.0, 2.0], [3.0, 4.0]]);
    let before = v.value();
    v.scatter_sub(&tf::constant([1]), &tf::constant([[1.0, 1.0]]));
    assert_eq!(before.to_vec::<f32>(), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(v.value().to_vec::<f32>(), [1.0, 2.0, 2.0, 3.0]);
    assert!(v.try_scatter_sub(&tf::constant([1]), &tf::constant([1.0])).is_err());
    assert!(v.try_scatter_sub(&tf::constant([1]), &tf::constant([[1, 1]])).is_err());
}

/// The numbers are TensorFlow's; its variables of `int16` to `uint64` divide as its `int8` do.
#[test]
fn quotients_of_every_dtype() {
    use tf::DType::{BF16, C64, C128, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    let (at, updates) = (tf::constant([2, 2, 1, 3]), tf::constant([5, 2, 3, -1]));
    let run = |dtype| {
        let v = tf::Variable::new(tf::cast(&tf::constant([1, 7, -9, 8]), dtype));
        v.scatter_div(&at, &tf::cast(&updates, dtype));
        v.value()
    };
    assert_eq!(tf::cast(&run(F16), F32).to_vec::<f32>(), [1.0, 2.333_984_4, -0.899_902_34, -8.0]);
    assert_eq!(tf::cast(&run(BF16), F32).to_vec::<f32>(), [1.0, 2.328_125, -0.898_437_5, -8.0]);
    assert_eq!(run(F32).to_vec::<f32>(), [1.0, 7.0 / 3.0, -0.9, -8.0]);
    assert_eq!(run(F64).to_vec::<f64>(), [1.0, 7.0 / 3.0, -0.9, -8.0]);
    for dtype in [I8, I16, I32, I64] {
        assert_eq!(tf::cast(&run(dtype), I64).to_vec::<i64>(), [1, 2, 0, -8], "{dtype}");
    }
    for (dtype, third) in [(U8, 24), (U16, 6552), (U32, 429_496_728), (U64, 1_844_674_407_370_955_160)] {
        assert_eq!(tf::cast(&run(dtype), I64).to_vec::<i64>(), [1, 2, third, 0], "{dtype}");
    }
    for dtype in [C64, C128] {
        let whole = tf::complex(tf::constant([1.0, -7.0, 2.0]), tf::constant([7.0, 4.0, -1.0]));
        let v = tf::Variable::new(tf::cast(&whole, dtype));
        let by = tf::cast(&tf::complex(tf::constant([2.0, 1.0]), tf::constant([1.0, 2.0])), dtype);
        v.scatter_div(&tf::constant([0, 1]), &by);
        let parts = [tf::real(&v.value()), tf::imag(&v.value())].map(|part| tf::cast(&part, F64).to_vec::<f64>());
        let wanted = [[1.8, 0.2, 2.0], [2.6, 3.6, -1.0]];
        let near = parts.iter().flatten().zip(wanted.iter().flatten()).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(near, "{parts:?}");
    }
    let lowest = tf::Variable::new(tf::cast(&tf::constant([-128, 7]), I8));
    lowest.scatter_div(&tf::constant([0]), &tf::cast(&tf::constant([-1]), I8));
    assert_eq!(tf::cast(&lowest.value(), I32).to_vec::<i32>(), [-128, 7]);
}

#[test]
fn integers_are_divided_by_no_zero() {
    use tf::DType::{F32, I8, I16, I32, I64, U8, U16, U32, U64};
    for dtype in [I8, I16, I32, I64, U8, U16, U32, U64] {
        let v = tf::Variable::new(tf::cast(&tf::constant([[1, 2], [3, 4]]), dtype));
        let by = tf::cast(&tf::constant([[2, 2], [2, 0]]), dtype);
        let error = v.try_scatter_div(&tf::constant([0, 1]), &by).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, tf::Error::InvalidArgument(_)), "{dtype}: {text}");
        assert!(text.contains("scatter_div") && text.contains("number 3"), "{text}");
        assert_eq!(tf::cast(&v.value(), I32).to_vec::<i32>(), [1, 2, 3, 4], "{dtype}");
        let outside = v.try_scatter_div(&tf::constant([0, 2]), &tf::cast(&tf::ones([2, 2]), dtype));
        assert!(matches!(outside, Err(tf::Error::OutOfRange(_))));
    }
    let v = tf::Variable::new([1.0, 0.0, 3.0]);
    v.scatter_div(&tf::constant([0, 1]), &tf::zeros([2]));
    let after = v.value().to_vec::<f32>();
    assert!(after[0] == f32::INFINITY && after[1].is_nan() && after[2] == 3.0, "{after:?}");
    assert!(tf::Variable::with(true, "truth", false).try_scatter_div(&tf::constant(0), &tf::constant(true)).is_err());
    assert!(v.try_scatter_div(&tf::constant([0]), &tf::cast(&tf::ones([1]), I32)).is_err());
    assert_eq!(v.value().dtype(), F32);
}
