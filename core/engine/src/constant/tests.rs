//! Constants and conversions: all element types both ways, empty, ragged and deep rows.
//! Errors are checked for the user's line.

use crate::{self as tf, DType, Element, Error, Tensor};

#[test]
fn bare_literals_have_tensorflows_dtypes() {
    assert_eq!(tf::constant(1.5).dtype(), DType::F32);
    assert_eq!(tf::constant(-3).dtype(), DType::I32);
    assert_eq!(tf::constant(true).dtype(), DType::Bool);
    assert_eq!(tf::constant(&[1.0, 2.0][..]).dtype(), DType::F32);
    assert_eq!(tf::constant(vec![[1, 2]; 3]).shape(), [3, 2]);
    assert_eq!(tf::constant([[[[1.0]; 2]; 3]; 4]).shape(), [4, 3, 2, 1]);
}

#[test]
fn every_element_type_makes_a_tensor_and_comes_back() {
    fn check<T>(value: T)
    where
        Tensor: From<T> + From<Vec<T>> + From<[T; 2]>,
        T: Element + for<'a> TryFrom<&'a Tensor, Error = Error> + TryFrom<Tensor, Error = Error>,
    {
        let scalar = Tensor::from(value);
        assert_eq!((scalar.dtype(), scalar.rank(), scalar.item::<T>()), (T::DTYPE, 0, value));
        assert_eq!(T::try_from(&scalar).unwrap(), value);
        assert_eq!(T::try_from(scalar).unwrap(), value);
        for count in [0, 1, 1000] {
            let x = Tensor::from(vec![value; count]);
            assert_eq!((x.dtype(), x.len(), x.to_vec::<T>()), (T::DTYPE, count, vec![value; count]));
            assert_eq!(Vec::<T>::try_from(&x).unwrap(), vec![value; count]);
            assert_eq!(std::iter::repeat_n(value, count).collect::<Tensor>().to_vec::<T>(), vec![value; count]);
        }
        assert_eq!(Tensor::from([value; 2]).to_vec::<T>(), [value; 2]);
    }
    check(1.5_f32);
    check(f64::MIN);
    check(tf::f16::from_f32(0.5));
    check(tf::bf16::from_f32(0.5));
    check(i8::MIN);
    check(i16::MIN);
    check(i32::MIN);
    check(i64::MIN);
    check(u8::MAX);
    check(u16::MAX);
    check(u32::MAX);
    check(u64::MAX);
    check(true);
}

#[test]
fn a_long_vector_is_adopted_without_a_copy() {
    let values = vec![1_u8; 1000];
    let memory = values.as_ptr();
    let x = Tensor::try_from_vec(values, [10, 100]).unwrap();
    assert_eq!(x.as_slice::<u8>().unwrap().as_ptr(), memory);
}

#[test]
fn empty_rows() {
    assert_eq!(tf::constant::<[f32; 0]>([]).shape(), [0]);
    assert_eq!(tf::constant::<[[f32; 0]; 3]>([[]; 3]).shape(), [3, 0]);
    assert_eq!(tf::constant(vec![Vec::<i32>::new(); 2]).shape(), [2, 0]);
    assert_eq!(Tensor::from(Vec::<Vec<u8>>::new()).shape(), [0]);
}

#[test]
fn ragged_and_deep_rows_are_errors_at_the_users_line() {
    let ragged = [
        tf::try_constant(vec![vec![1, 2], vec![3]]),
        tf::try_constant(vec![vec![], vec![3]]),
        tf::try_constant(vec![vec![vec![1.0]], vec![vec![1.0], vec![2.0]]]),
        tf::try_constant_of(vec![vec![1_u8, 2], vec![3]], DType::F32),
    ];
    for error in ragged.map(|r| r.unwrap_err()) {
        let text = error.to_string();
        assert!(matches!(error, Error::InvalidArgument(_)), "{text}");
        assert!(text.contains("different lengths") && text.contains("constant/tests.rs"), "{text}");
    }
    assert_eq!(tf::constant([[[[[[[[7]]]]]]]]).shape(), [1; 8]);
    let text = tf::try_constant([[[[[[[[[7]]]]]]]]]).unwrap_err().to_string();
    assert!(text.starts_with("InvalidArgument: constant") && text.contains("at most 8"), "{text}");
    assert!(text.contains("constant/tests.rs"), "{text}");
}

#[test]
fn a_dtype_can_be_named() {
    assert_eq!(tf::constant_of([1, 2], DType::F64).to_vec::<f64>(), [1.0, 2.0]);
    assert_eq!(tf::constant_of([1.0, -2.0], DType::I8).to_vec::<i8>(), [1, -2]);
    assert_eq!(tf::constant_of(0.1, DType::F16).to_vec::<half::f16>(), [half::f16::from_f32(0.1)]);
    assert!(matches!(tf::try_constant_of(1, DType::Resource), Err(Error::InvalidArgument(_))));
}

#[test]
fn a_dtype_that_cannot_hold_the_number_is_refused() {
    let refused = |result: crate::Result<tf::Tensor>, what: &str| {
        let text = result.unwrap_err().to_string();
        assert!(text.contains(what) && text.contains("constant/tests.rs"), "{text}");
    };
    refused(tf::try_constant_of([2.0, 1.5], DType::I32), "1.5 for a tensor of int32");
    refused(tf::try_constant_of(f32::NAN, DType::I64), "NaN for a tensor of int64");
    refused(tf::try_constant_of([7, 300], DType::U8), "300 for a tensor of uint8");
    refused(tf::try_constant_of(-1, DType::U64), "-1 for a tensor of uint64");
    refused(tf::try_constant_of(true, DType::F32), "true for a tensor of float32");
    refused(tf::try_constant_of(1, DType::Bool), "1 for a tensor of bool");
}

#[test]
fn reading_as_something_else_is_an_error_that_says_what_to_do() {
    let x = tf::constant([1.0, 2.0]);
    let text = f32::try_from(&x).unwrap_err().to_string();
    assert!(text.contains("float32[2]") && text.contains("to_vec") && text.contains("constant/tests.rs"), "{text}");
    for error in [f64::try_from(&x.at(0)).unwrap_err(), x.try_to_vec::<f64>().unwrap_err()] {
        let text = error.to_string();
        assert!(text.contains("got: float32") && text.contains("expected: float64") && text.contains("cast"), "{text}");
    }
    assert_eq!(f32::try_from(tf::constant([[3.5]])).unwrap(), 3.5);
    assert_eq!(tf::constant(true).try_to_f64().unwrap(), 1.0);
    assert!(x.try_to_f64().is_err() && Tensor::from(Vec::<f32>::new()).try_item::<f32>().is_err());
}

#[test]
fn vectors_and_shapes_must_agree() {
    let text = Tensor::try_from_vec(vec![1, 2, 3], [2, 2]).unwrap_err().to_string();
    assert!(text.contains("3 values") && text.contains("4 for shape [2, 2]") && text.contains("tests.rs"), "{text}");
    assert!(Tensor::try_from_vec(vec![1], [-1]).is_err());
    assert!(Tensor::try_from_slice(&[1, 2], [1; 9]).is_err());
    assert_eq!(Tensor::try_from_vec(Vec::<f32>::new(), [3, 0]).unwrap().shape(), [3, 0]);
}
