//! `TensorProto`, TensorFlow's protocol buffer of a whole tensor, with the field numbers of `tensor.proto`.
//! Event files hold tensors so, and the engine's `serialize_tensor` and `parse_tensor` write and read it.

use super::TensorShapeProto;

/// A tensor. Its elements are in `tensor_content`, or in the list of their type, of which the last one stands for those that are missing.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TensorProto {
    /// A number of [`DataType`](super::DataType).
    #[prost(int32, tag = "1")]
    pub dtype: i32,
    /// Its sizes.
    #[prost(message, optional, tag = "2")]
    pub tensor_shape: Option<TensorShapeProto>,
    /// All elements as they lie in memory, in place of the lists.
    #[prost(bytes = "vec", tag = "4")]
    pub tensor_content: Vec<u8>,
    /// The elements, if they are `float32`.
    #[prost(float, repeated, tag = "5")]
    pub float_val: Vec<f32>,
    /// The elements, if they are `float64`.
    #[prost(double, repeated, tag = "6")]
    pub double_val: Vec<f64>,
    /// The elements, if they are `int32`, `int16`, `uint16`, `int8` or `uint8`.
    #[prost(int32, repeated, tag = "7")]
    pub int_val: Vec<i32>,
    /// The elements, if they are strings.
    #[prost(bytes = "vec", repeated, tag = "8")]
    pub string_val: Vec<Vec<u8>>,
    /// The elements, if they are `complex64`: the real part of each, then its imaginary part.
    #[prost(float, repeated, tag = "9")]
    pub scomplex_val: Vec<f32>,
    /// The elements, if they are `int64`.
    #[prost(int64, repeated, tag = "10")]
    pub int64_val: Vec<i64>,
    /// The elements, if they are truth values.
    #[prost(bool, repeated, tag = "11")]
    pub bool_val: Vec<bool>,
    /// The elements, if they are `complex128`: the real part of each, then its imaginary part.
    #[prost(double, repeated, tag = "12")]
    pub dcomplex_val: Vec<f64>,
    /// The bits of the elements, if they are `float16` or `bfloat16`.
    #[prost(int32, repeated, tag = "13")]
    pub half_val: Vec<i32>,
    /// The elements, if they are `uint32`.
    #[prost(uint32, repeated, tag = "16")]
    pub uint32_val: Vec<u32>,
    /// The elements, if they are `uint64`.
    #[prost(uint64, repeated, tag = "17")]
    pub uint64_val: Vec<u64>,
}
