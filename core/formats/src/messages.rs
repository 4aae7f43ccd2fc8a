//! TensorFlow's protocol buffers that checkpoints hold, and that of a tensor, declared by hand with TensorFlow's field numbers and names.
//! Bundles read and write the first half; the crate above makes a [`TrackableObjectGraph`] of a model. Fields that are not
//! declared here are dropped by the reader, as protocol buffers want it.

mod data_type;
mod tensor;

pub use data_type::DataType;
pub use prost::Message;
pub use tensor::TensorProto;

/// The value of a bundle's first entry, whose key is empty.
#[derive(Clone, PartialEq, Message)]
pub struct BundleHeaderProto {
    /// Data files.
    #[prost(int32, tag = "1")]
    pub num_shards: i32,
    /// 0 for little-endian values, 1 for big-endian ones.
    #[prost(int32, tag = "2")]
    pub endianness: i32,
    /// Which versions of TensorFlow's code may read it.
    #[prost(message, optional, tag = "3")]
    pub version: Option<VersionDef>,
}

/// What wrote a file, and what may read it.
#[derive(Clone, PartialEq, Message)]
pub struct VersionDef {
    /// The version of the code that wrote it.
    #[prost(int32, tag = "1")]
    pub producer: i32,
    /// The oldest code that may read it.
    #[prost(int32, tag = "2")]
    pub min_consumer: i32,
    /// Versions of code that must not read it.
    #[prost(int32, repeated, tag = "3")]
    pub bad_consumers: Vec<i32>,
}

/// Where a bundle has a value, and what it is.
#[derive(Clone, PartialEq, Message)]
pub struct BundleEntryProto {
    /// A number of [`DataType`].
    #[prost(int32, tag = "1")]
    pub dtype: i32,
    /// Sizes of the whole tensor.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
    /// The data file.
    #[prost(int32, tag = "3")]
    pub shard_id: i32,
    /// The first byte in it.
    #[prost(int64, tag = "4")]
    pub offset: i64,
    /// Bytes in it.
    #[prost(int64, tag = "5")]
    pub size: i64,
    /// The masked CRC-32C of these bytes.
    #[prost(fixed32, tag = "6")]
    pub crc32c: u32,
    /// Where the value lies in parts, which have entries of their own: the place of each.
    #[prost(message, repeated, tag = "7")]
    pub slices: Vec<TensorSliceProto>,
}

/// Sizes of a tensor.
#[derive(Clone, PartialEq, Message)]
pub struct TensorShapeProto {
    /// One per dimension.
    #[prost(message, repeated, tag = "2")]
    pub dim: Vec<Dim>,
    /// Whether not even their number is known.
    #[prost(bool, tag = "3")]
    pub unknown_rank: bool,
}

/// One size of a tensor: `TensorShapeProto.Dim`.
#[derive(Clone, PartialEq, Message)]
pub struct Dim {
    /// The size; -1 where it is not known.
    #[prost(int64, tag = "1")]
    pub size: i64,
    /// A name that nobody reads.
    #[prost(string, tag = "2")]
    pub name: String,
}

/// A part of a tensor.
#[derive(Clone, PartialEq, Message)]
pub struct TensorSliceProto {
    /// One per dimension.
    #[prost(message, repeated, tag = "1")]
    pub extent: Vec<Extent>,
}

/// The part of one dimension: `TensorSliceProto.Extent`.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct Extent {
    /// The first index.
    #[prost(int64, tag = "1")]
    pub start: i64,
    /// How many; all if there is none.
    #[prost(int64, optional, tag = "2")]
    pub length: Option<i64>,
}

/// The objects of a checkpoint and the names by which they know each other; the first is the root.
#[derive(Clone, PartialEq, Message)]
pub struct TrackableObjectGraph {
    /// The objects.
    #[prost(message, repeated, tag = "1")]
    pub nodes: Vec<TrackableObject>,
}

/// An object of a checkpoint.
#[derive(Clone, PartialEq, Message)]
pub struct TrackableObject {
    /// The objects that it holds, by name.
    #[prost(message, repeated, tag = "1")]
    pub children: Vec<ObjectReference>,
    /// The values that it holds.
    #[prost(message, repeated, tag = "2")]
    pub attributes: Vec<SerializedTensor>,
    /// What an optimizer keeps for variables.
    #[prost(message, repeated, tag = "3")]
    pub slot_variables: Vec<SlotVariableReference>,
    /// Who saves it, if not the checkpoint itself.
    #[prost(message, optional, tag = "4")]
    pub registered_saver: Option<RegisteredSaver>,
    /// Whether it or anything below it has values.
    #[prost(message, optional, tag = "5")]
    pub has_checkpoint_values: Option<BoolValue>,
}

/// An edge of the graph of objects.
#[derive(Clone, PartialEq, Message)]
pub struct ObjectReference {
    /// The index in [`TrackableObjectGraph::nodes`].
    #[prost(int32, tag = "1")]
    pub node_id: i32,
    /// The name of the edge.
    #[prost(string, tag = "2")]
    pub local_name: String,
}

/// A value of an object.
#[derive(Clone, PartialEq, Message)]
pub struct SerializedTensor {
    /// What it is to the object, such as `VARIABLE_VALUE`.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The name of the variable, by which TensorFlow 1 knew it.
    #[prost(string, tag = "2")]
    pub full_name: String,
    /// The key of the bundle's entry.
    #[prost(string, tag = "3")]
    pub checkpoint_key: String,
}

/// A variable that an optimizer keeps for another.
#[derive(Clone, PartialEq, Message)]
pub struct SlotVariableReference {
    /// The node of the variable for which it is kept.
    #[prost(int32, tag = "1")]
    pub original_variable_node_id: i32,
    /// What it is, such as `momentum`.
    #[prost(string, tag = "2")]
    pub slot_name: String,
    /// Its own node.
    #[prost(int32, tag = "3")]
    pub slot_variable_node_id: i32,
}

/// The name of code that saves an object.
#[derive(Clone, PartialEq, Message)]
pub struct RegisteredSaver {
    /// The code.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The object, as the code knows it.
    #[prost(string, tag = "2")]
    pub object_name: String,
}

/// A truth value that may be absent.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct BoolValue {
    /// The value.
    #[prost(bool, tag = "1")]
    pub value: bool,
}
