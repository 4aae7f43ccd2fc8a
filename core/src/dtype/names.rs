//! The dtypes under TensorFlow's own names: `tf::float32`, `tf::int64`, `tf::bool_`.
//! Users write them where TensorFlow's users write `tf.float32`.
#![allow(non_upper_case_globals, reason = "TensorFlow's own names")]

use super::DType;

macro_rules! names {
    ($($name:ident $alias:literal $dtype:ident)*) => {$(
        #[doc = concat!("[`DType::", stringify!($dtype), "`], TensorFlow's `tf.", $alias, "`.")]
        ///
        /// ```
        #[doc = concat!("assert_eq!(eagerflow::", stringify!($name), ".name(), \"", $alias, "\");")]
        /// ```
        pub const $name: DType = DType::$dtype;
    )*};
}

names! {
    float16 "float16" F16
    bfloat16 "bfloat16" BF16
    float32 "float32" F32
    float64 "float64" F64
    int8 "int8" I8
    int16 "int16" I16
    int32 "int32" I32
    int64 "int64" I64
    uint8 "uint8" U8
    uint16 "uint16" U16
    uint32 "uint32" U32
    uint64 "uint64" U64
    bool_ "bool" Bool
}
