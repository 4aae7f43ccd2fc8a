//! ndarray interop: what is shared and what is copied, all layouts and element types, and the errors.
//! Pointers are compared, so that a silent copy fails.

use crate::{self as tf, Error, Tensor};
use ndarray::{Array, Array1, Array2, ArrayD, Ix2, IxDyn, array, s};

#[test]
fn an_owned_array_is_adopted_and_given_back_without_a_copy() {
    for sizes in [(3, 4), (40, 50)] {
        let array = Array::from_shape_fn(sizes, |(i, j)| (i * 100 + j) as f32);
        let (memory, kept) = (array.as_ptr(), array.clone());
        let x = Tensor::from(array);
        assert_eq!(x.dtype(), tf::DType::F32);
        assert_eq!(x.view::<f32>().unwrap().as_ptr(), memory);
        // A view of it under another shape may give all of it back, once the first tensor is gone.
        let flat = tf::reshape(&x, [-1]);
        drop(x);
        let back = flat.into_ndarray::<f32>().unwrap();
        assert_eq!(back.as_ptr(), memory);
        assert_eq!(back, kept.flatten().into_dyn());
    }
}

#[test]
fn memory_that_others_hold_is_copied() {
    let array = Array2::from_elem((20, 20), 2.5_f64);
    let memory = array.as_ptr();
    let x = Tensor::from(array);
    let other = x.clone();
    let mut copy = x.into_ndarray::<f64>().unwrap();
    assert_ne!(copy.as_ptr(), memory);
    copy.fill(0.0);
    assert_eq!(other.view::<f64>().unwrap().as_ptr(), memory);
    assert_eq!(other.to_vec::<f64>(), [2.5; 400]);
    let row = tf::slice(&other, [1, 0], [1, 20]);
    drop(other);
    let row = row.into_ndarray::<f64>().unwrap();
    assert_eq!((row.shape(), row.sum()), (&[1, 20][..], 50.0));
}

#[test]
fn a_vector_comes_back_too() {
    let values: Vec<i64> = (0..1000).collect();
    let memory = values.as_ptr();
    let x = Tensor::try_from_vec(values, [10, 100]).unwrap();
    let array = x.into_ndarray::<i64>().unwrap();
    assert_eq!((array.as_ptr(), array.shape(), array[[9, 99]]), (memory, &[10, 100][..], 999));
}

#[test]
fn memory_that_an_operation_reused_gives_back_the_new_values() {
    let array = Array1::from_elem(5000, 1.0_f32);
    let sum = Tensor::from(array) + 1.0;
    assert_eq!(sum.into_ndarray::<f32>().unwrap(), Array1::from_elem(5000, 2.0).into_dyn());
}

#[test]
fn other_layouts_are_copied_in_row_major_order() {
    let array = Array::from_shape_fn((3, 4), |(i, j)| (10 * i + j) as i32);
    let expected: Vec<i32> = array.t().iter().copied().collect();
    assert_eq!(Tensor::from(array.clone().reversed_axes()).to_vec::<i32>(), expected);
    assert_eq!(Tensor::from(array.t()).to_vec::<i32>(), expected);
    assert_eq!(Tensor::from(&array.t()).to_vec::<i32>(), expected);
    let part = array.slice(s![..;-2, 1..3]);
    assert_eq!(Tensor::from(part).to_vec::<i32>(), [21, 22, 1, 2]);
    // An owned array whose first element is not its memory's first.
    let mut tail = array.clone();
    tail.slice_collapse(s![1.., ..]);
    assert_eq!(Tensor::from(tail).into_ndarray::<i32>().unwrap(), array.slice(s![1.., ..]).into_dyn());
}

#[test]
fn strided_tensors_lend_strided_views() {
    let x = Tensor::from(Array::from_shape_fn((2, 3, 4), |(i, j, k)| (100 * i + 10 * j + k) as i32));
    let expected = x.view::<i32>().unwrap();
    let turned = tf::transpose(&x, [2, 0, 1]);
    assert_eq!(turned.view::<i32>().unwrap(), expected.view().permuted_axes(IxDyn(&[2, 0, 1])));
    assert_eq!(turned.view::<i32>().unwrap().as_ptr(), expected.as_ptr());
    let wide = tf::broadcast_to(tf::constant([[1], [2]]), [3, 2, 2]);
    assert_eq!(wide.view::<i32>().unwrap(), array![[[1, 1], [2, 2]], [[1, 1], [2, 2]], [[1, 1], [2, 2]]].into_dyn());
    let backward = x.at(s![..;-1, 1, ..;-2]);
    assert_eq!(backward.view::<i32>().unwrap(), expected.slice(s![..;-1, 1, ..;-2]).into_dyn());
    assert_eq!(backward.view::<i32>().unwrap()[[0, 0]], 113);
}

#[test]
fn small_scalar_and_empty_tensors() {
    assert_eq!(tf::constant(2.5).view::<f32>().unwrap(), ndarray::arr0(2.5).into_dyn());
    assert_eq!(tf::constant(2.5).into_ndarray::<f32>().unwrap(), ndarray::arr0(2.5).into_dyn());
    for shape in [vec![0], vec![2, 0, 3], vec![0; 8]] {
        let array = ArrayD::<u8>::zeros(shape.clone());
        let x = Tensor::from(array);
        assert!(*x.shape() == shape);
        assert_eq!(x.view::<u8>().unwrap().shape(), shape);
        assert_eq!(x.into_ndarray::<u8>().unwrap().shape(), shape);
    }
    let empty = tf::transpose(tf::zeros([0, 3]), [1, 0]);
    assert_eq!(empty.view::<f32>().unwrap().shape(), [3, 0]);
}

#[test]
fn truth_values_that_rust_would_not_take_are_not_lent() {
    let truths = Tensor::from(array![true, false, true]);
    assert_eq!(truths.view::<bool>().unwrap(), array![true, false, true].into_dyn());
    assert_eq!(truths.into_ndarray::<bool>().unwrap(), array![true, false, true].into_dyn());
    let mut bytes = vec![0_u8, 1, 2, 255];
    let ty = tf::TensorType::new(tf::DType::Bool, tf::Shape::new(&[4]).unwrap());
    let data = bytes.as_mut_ptr();
    // SAFETY: the vector owns the four bytes, wherever its handle is moved.
    let odd = unsafe { Tensor::adopt(&ty, data, Box::new(bytes)) };
    assert!(matches!(odd.view::<bool>(), Err(Error::FailedPrecondition(_))));
    assert_eq!(odd.into_ndarray::<bool>().unwrap(), array![false, true, true, true].into_dyn());
}

#[test]
fn every_element_type_passes_both_ways() {
    fn check<T: tf::Element>(values: [T; 3]) {
        let array = Array1::from_vec(values.to_vec());
        let x = Tensor::from(&array);
        assert_eq!((x.dtype(), x.view::<T>().unwrap()), (T::DTYPE, array.view().into_dyn()));
        assert_eq!(x.into_ndarray::<T>().unwrap(), array.into_dyn());
    }
    check([1.0_f32, f32::MIN, f32::INFINITY]);
    check([1.0_f64, -0.0, f64::MAX]);
    check([tf::f16::from_f32(0.5), tf::f16::MAX, tf::f16::ZERO]);
    check([tf::bf16::from_f32(0.5), tf::bf16::MAX, tf::bf16::ZERO]);
    check([i8::MIN, 0, i8::MAX]);
    check([i16::MIN, 0, i16::MAX]);
    check([i32::MIN, 0, i32::MAX]);
    check([i64::MIN, 0, i64::MAX]);
    check([u8::MIN, 1, u8::MAX]);
    check([u16::MIN, 1, u16::MAX]);
    check([u32::MIN, 1, u32::MAX]);
    check([u64::MIN, 1, u64::MAX]);
    check([true, false, true]);
}

#[test]
fn wrong_types_and_ranks_are_errors_at_the_users_line() {
    let x = tf::constant([1.0, 2.0]);
    for error in [x.view::<f64>().unwrap_err(), x.clone().into_ndarray::<i32>().unwrap_err()] {
        let text = error.to_string();
        assert!(matches!(error, Error::InvalidArgument(_)), "{text}");
        assert!(text.contains("float32") && text.contains("tests.rs"), "{text}");
    }
    let text = Array2::<f32>::try_from(x).unwrap_err().to_string();
    assert!(text.contains("float32[2]") && text.contains("2 axes") && text.contains("tests.rs"), "{text}");
    let text = Tensor::try_from_array(ArrayD::<f32>::zeros(vec![1; 9])).unwrap_err().to_string();
    assert!(text.contains("from_array") && text.contains("at most 8") && text.contains("tests.rs"), "{text}");
}

#[test]
fn arrays_of_fixed_rank() {
    let x = tf::constant([[1.0, 2.0], [3.0, 4.0]]);
    assert_eq!(Array2::<f32>::try_from(&x).unwrap(), array![[1.0, 2.0], [3.0, 4.0]]);
    assert_eq!(x.view::<f32>().unwrap().into_dimensionality::<Ix2>().unwrap()[[1, 0]], 3.0);
    let v = tf::Variable::new(array![1.0_f64, 2.0]);
    v.assign_add(Tensor::from(array![1.0_f64, 1.0]));
    assert_eq!(v.value().to_vec::<f64>(), [2.0, 3.0]);
}
