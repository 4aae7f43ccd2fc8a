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
    complex64 "complex64" C64
    complex128 "complex128" C128
    string "string" String
}

/// The dtype as the enum's variant, which is what a user has to type.
#[doc(hidden)]
pub fn rust_name(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 => "F32",
        DType::F64 => "F64",
        DType::I32 => "I32",
        DType::U8 => "U8",
        DType::I16 => "I16",
        DType::I8 => "I8",
        DType::C64 => "C64",
        DType::I64 => "I64",
        DType::Bool => "Bool",
        DType::BF16 => "BF16",
        DType::U16 => "U16",
        DType::C128 => "C128",
        DType::F16 => "F16",
        DType::Resource => "Resource",
        DType::String => "String",
        DType::Variant => "Variant",
        DType::U32 => "U32",
        DType::U64 => "U64",
    }
}
