//! The JSON in front of a safetensors file: made of names, types and sizes, and read with every number checked.
//! The writer and the reader of the format call it.

use super::TYPES;
use ::safetensors::Dtype;
use ::safetensors::tensor::TensorInfo;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;

/// The name that stands for the metadata.
pub(super) const METADATA: &str = "__metadata__";
/// Pairs of metadata that are read.
const MOST_PAIRS: usize = 100_000;

/// What the header says of a tensor.
#[derive(Clone, Debug)]
pub struct Stored {
    name: String,
    dtype: Dtype,
    shape: Vec<u64>,
    /// The first byte, behind the header.
    pub(super) offset: u64,
    size: u64,
}

impl Stored {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What its elements are; `None` for a type that the library does not compute with.
    pub fn dtype(&self) -> Option<DType> {
        TYPES.iter().find(|(_, dtype)| *dtype == self.dtype).map(|(dtype, _)| *dtype)
    }

    /// The format's name of what its elements are, such as `F8_E4M3`.
    pub fn dtype_name(&self) -> String {
        format!("{:?}", self.dtype)
    }

    /// Its sizes; none for a scalar.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Bytes of it.
    pub fn size(&self) -> u64 {
        self.size
    }
}

/// The header of these tensors, in this order, padded so that values begin at a multiple of eight bytes.
pub(super) fn json(tensors: &[(&str, TensorInfo)], metadata: &BTreeMap<String, String>) -> serde_json::Result<Vec<u8>> {
    let mut rows = Vec::with_capacity(tensors.len() + 1);
    if !metadata.is_empty() {
        rows.push(format!("{}:{}", serde_json::to_string(METADATA)?, serde_json::to_string(metadata)?));
    }
    for (name, info) in tensors {
        rows.push(format!("{}:{}", serde_json::to_string(name)?, serde_json::to_string(info)?));
    }
    let mut bytes = format!("{{{}}}", rows.join(",")).into_bytes();
    bytes.resize(bytes.len().next_multiple_of(8), b' ');
    Ok(bytes)
}

/// What a header says, the tensors in the order of their places.
pub(super) struct Header {
    pub metadata: BTreeMap<String, String>,
    pub tensors: Vec<Stored>,
}

/// Reads a header. The values must follow each other without holes and fill the bytes behind it. `name` is the file's, for errors.
pub(super) fn read(json: &[u8], behind: u64, name: &str) -> Result<Header> {
    let rows: Rows = serde_json::from_slice(json).map_err(|e| Error::data_loss(name, format!("the header: {e}")))?;
    let mut tensors = rows.tensors;
    tensors.sort_by_key(|(_, info)| info.data_offsets);
    let mut end = 0u64;
    let mut stored = Vec::with_capacity(tensors.len());
    for (key, info) in tensors {
        let lost = |what: &str| Error::data_loss(name, format!("the tensor \"{}\" {what}", key.escape_debug()));
        let (from, to) = (info.data_offsets.0 as u64, info.data_offsets.1 as u64);
        if from != end || to < from {
            let what = lost("does not begin where the one before ends");
            return Err(what.got(format!("bytes {from} to {to}")).expected(format!("from {end} on")));
        }
        let bits = info.shape.iter().try_fold(info.dtype.bitsize() as u64, |n, &size| n.checked_mul(size as u64));
        if bits != (to - from).checked_mul(8) {
            let what = lost("does not have the bytes of its shape");
            return Err(what.got(to - from).expected(format!("those of {:?} {:?}", info.dtype, info.shape)));
        }
        end = to;
        let shape = info.shape.iter().map(|&size| size as u64).collect();
        stored.push(Stored { name: key, dtype: info.dtype, shape, offset: from, size: to - from });
    }
    if end != behind {
        let what = Error::data_loss(name, "the file does not have the length that its header tells");
        return Err(what.got(format!("{behind} bytes of values")).expected(end));
    }
    Ok(Header { metadata: rows.metadata.unwrap_or_default(), tensors: stored })
}

/// The header as it stands there.
struct Rows {
    metadata: Option<BTreeMap<String, String>>,
    tensors: Vec<(String, TensorInfo)>,
}

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        from.deserialize_map(RowsVisitor)
    }
}

struct RowsVisitor;

impl<'de> Visitor<'de> for RowsVisitor {
    type Value = Rows;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tensors by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Rows, A::Error> {
        let mut rows = Rows { metadata: None, tensors: Vec::new() };
        while let Some(name) = map.next_key::<String>()? {
            if name != METADATA {
                rows.tensors.push((name, map.next_value()?));
            } else if rows.metadata.replace(map.next_value::<Pairs>()?.0).is_some() {
                return Err(A::Error::custom("the metadata is there twice"));
            }
        }
        let mut names: Vec<&str> = rows.tensors.iter().map(|(name, _)| &**name).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(A::Error::custom(format!("the tensor \"{}\" is there twice", pair[0].escape_debug()))),
            None => Ok(rows),
        }
    }
}

/// The metadata, of which there may not be so much that it takes many times the memory of the file.
struct Pairs(BTreeMap<String, String>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        from.deserialize_map(PairsVisitor)
    }
}

struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Pairs;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("strings by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Pairs, A::Error> {
        let mut pairs = BTreeMap::new();
        while let Some((name, value)) = map.next_entry()? {
            if pairs.len() == MOST_PAIRS {
                return Err(A::Error::custom(format!("the metadata has more than {MOST_PAIRS} pairs")));
            }
            pairs.insert(name, value);
        }
        Ok(Pairs(pairs))
    }
}
