//! TensorFlow's protocol buffers of a graph, as far as TensorBoard draws it: nodes, their inputs by name, and attributes.
//! The library describes traced functions with them.

use crate::messages::{TensorProto, TensorShapeProto, VersionDef};
use prost::{Message, Oneof};
use std::collections::BTreeMap;

/// A graph.
#[derive(Clone, PartialEq, Message)]
pub struct GraphDef {
    /// The nodes, in any order.
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeDef>,
    /// What wrote it.
    #[prost(message, optional, tag = "4")]
    pub versions: Option<VersionDef>,
}

/// An operation.
#[derive(Clone, PartialEq, Message)]
pub struct NodeDef {
    /// Its name, unique; slashes make scopes.
    #[prost(string, tag = "1")]
    pub name: String,
    /// What it does.
    #[prost(string, tag = "2")]
    pub op: String,
    /// Names of nodes, with `:1` for an output other than the first, and `^` in front of one that only has to run before.
    #[prost(string, repeated, tag = "3")]
    pub input: Vec<String>,
    /// Where it runs.
    #[prost(string, tag = "4")]
    pub device: String,
    /// Attributes.
    #[prost(btree_map = "string, message", tag = "5")]
    pub attr: BTreeMap<String, AttrValue>,
}

/// The value of an attribute.
#[derive(Clone, PartialEq, Message)]
pub struct AttrValue {
    /// The value.
    #[prost(oneof = "AttrValueKind", tags = "1, 2, 3, 4, 5, 6, 7, 8")]
    pub value: Option<AttrValueKind>,
}

/// The value of an attribute.
#[derive(Clone, PartialEq, Oneof)]
pub enum AttrValueKind {
    /// Several.
    #[prost(message, tag = "1")]
    List(AttrList),
    /// Bytes or a text.
    #[prost(bytes, tag = "2")]
    S(Vec<u8>),
    /// An integer.
    #[prost(int64, tag = "3")]
    I(i64),
    /// A number.
    #[prost(float, tag = "4")]
    F(f32),
    /// A truth value.
    #[prost(bool, tag = "5")]
    B(bool),
    /// A number of [`DataType`](crate::messages::DataType).
    #[prost(int32, tag = "6")]
    Type(i32),
    /// Sizes.
    #[prost(message, tag = "7")]
    Shape(TensorShapeProto),
    /// A tensor.
    #[prost(message, tag = "8")]
    Tensor(Box<TensorProto>),
}

/// Several values of one kind: `AttrValue.ListValue`.
#[derive(Clone, PartialEq, Message)]
pub struct AttrList {
    /// Bytes or texts.
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub s: Vec<Vec<u8>>,
    /// Integers.
    #[prost(int64, repeated, tag = "3")]
    pub i: Vec<i64>,
    /// Sizes of several tensors.
    #[prost(message, repeated, tag = "7")]
    pub shape: Vec<TensorShapeProto>,
}
