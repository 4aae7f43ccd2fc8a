//! `TensorProto`: how TensorFlow's protocol buffers hold a tensor. `serialize.rs` writes and reads it.
//! Numbers of fields and types are those of `tensor.proto` and `tensor_shape.proto`; declared by hand, so that no `protoc` is needed.

/// One tensor. Elements are in `tensor_content`, or in the list of their type.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct TensorProto {
    #[prost(int32, tag = "1")]
    pub dtype: i32,
    #[prost(message, optional, tag = "2")]
    pub tensor_shape: Option<ShapeProto>,
    #[prost(bytes = "vec", tag = "4")]
    pub tensor_content: Vec<u8>,
    #[prost(float, repeated, tag = "5")]
    pub float_val: Vec<f32>,
    #[prost(double, repeated, tag = "6")]
    pub double_val: Vec<f64>,
    /// `int32`, `int16`, `uint16`, `int8` and `uint8`.
    #[prost(int32, repeated, tag = "7")]
    pub int_val: Vec<i32>,
    #[prost(bytes = "vec", repeated, tag = "8")]
    pub string_val: Vec<Vec<u8>>,
    #[prost(int64, repeated, tag = "10")]
    pub int64_val: Vec<i64>,
    #[prost(bool, repeated, tag = "11")]
    pub bool_val: Vec<bool>,
    /// The bits of `float16` and `bfloat16`.
    #[prost(int32, repeated, tag = "13")]
    pub half_val: Vec<i32>,
    #[prost(uint32, repeated, tag = "16")]
    pub uint32_val: Vec<u32>,
    #[prost(uint64, repeated, tag = "17")]
    pub uint64_val: Vec<u64>,
}

/// A shape.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ShapeProto {
    #[prost(message, repeated, tag = "2")]
    pub dim: Vec<DimProto>,
}

/// The size of one dimension.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct DimProto {
    #[prost(int64, tag = "1")]
    pub size: i64,
}
