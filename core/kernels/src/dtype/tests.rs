//! Names and limits of the dtypes.
//! The limits are compared with those of the Rust types.

use super::*;
use crate::dtype as tf;

#[test]
fn limits_are_those_of_the_rust_types() {
    fn check<T: Into<i128>>(dtype: DType, min: T, max: T) {
        assert_eq!((dtype.min(), dtype.max()), (Number::Int(min.into()), Number::Int(max.into())));
    }
    check(tf::int8, i8::MIN, i8::MAX);
    check(tf::int16, i16::MIN, i16::MAX);
    check(tf::int32, i32::MIN, i32::MAX);
    check(tf::int64, i64::MIN, i64::MAX);
    check(tf::uint8, u8::MIN, u8::MAX);
    check(tf::uint16, u16::MIN, u16::MAX);
    check(tf::uint32, u32::MIN, u32::MAX);
    check(tf::uint64, u64::MIN, u64::MAX);
    for (dtype, min) in [(tf::float32, f64::from(f32::MIN)), (tf::float64, f64::MIN), (tf::float16, -65504.0)] {
        assert_eq!((dtype.min(), dtype.max()), (Number::Float(min), Number::Float(-min)));
    }
    assert_eq!(tf::bfloat16.max().to_f64(), 3.3895313892515355e38);
    assert_eq!((tf::bool_.min(), tf::bool_.max()), (Number::Bool(false), Number::Bool(true)));
}

#[test]
fn names_are_tensorflows_both_ways() {
    for dtype in DType::ALL {
        assert_eq!(DType::from_name(dtype.name()), Some(dtype));
    }
    assert_eq!(DType::from_name("float"), None);
    assert_eq!((tf::float32, tf::bool_), (DType::F32, DType::Bool));
}

#[test]
fn every_dtype_of_numbers_has_a_type() {
    for dtype in DType::ALL {
        let own = for_dtype!(dtype, T => Some(T::DTYPE), else None);
        assert_eq!(own, Some(dtype));
    }
    assert!(for_dtype!(DType::Resource, T => Some(T::DTYPE), else None).is_none());
}
