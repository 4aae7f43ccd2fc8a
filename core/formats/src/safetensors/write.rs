//! Writes a safetensors file, value by value, under a temporary name until it is whole.
//! Who exports models calls it.

use super::header::{METADATA, json};
use super::{LENGTH, LONGEST_HEADER, TYPES};
use crate::files::{Options, Temporary, sync_directory_of};
use crate::pieces::Source;
use crate::transfer::{self, Bytes, Value};
use ::safetensors::Dtype;
use ::safetensors::tensor::TensorInfo;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// A tensor to write.
#[derive(Clone, Debug)]
pub struct Tensor<'a> {
    /// Its name, no other's.
    pub name: &'a str,
    /// What its elements are.
    pub dtype: DType,
    /// Its sizes; none for a scalar.
    pub shape: Vec<u64>,
    /// Where its elements are. The format has no strings.
    pub source: Source<'a>,
}

/// A tensor with its place.
struct Placed<'a> {
    name: &'a str,
    info: TensorInfo,
    bytes: Bytes<'a>,
}

impl Placed<'_> {
    /// The value behind so many bytes.
    fn value(&self, behind: u64) -> Value<'_> {
        let offset = behind + self.info.data_offsets.0 as u64;
        Value { name: self.name, size: self.bytes.len(), offset, source: self.bytes }
    }
}

/// Writes a file, in place of the one that is there. As Hugging Face's does, it has types of large elements first, so that all are
/// aligned, and names in order.
///
/// # Errors
/// `InvalidArgument` for names that are there twice, for strings, and for values that do not have the bytes of their shape; what the
/// file system refuses; what a [`Pieces`](crate::pieces::Pieces) gives. The old file is untouched then.
pub fn write(
    path: &Path,
    tensors: &[Tensor<'_>],
    metadata: &BTreeMap<String, String>,
    options: &Options<'_>,
) -> Result<()> {
    let placed = place(tensors, path)?;
    let infos: Vec<(&str, TensorInfo)> = placed.iter().map(|tensor| (tensor.name, tensor.info.clone())).collect();
    let name = || path.display().to_string();
    let header = json(&infos, metadata).map_err(|e| Error::internal(name(), format!("the header: {e}")))?;
    if header.len() > LONGEST_HEADER {
        let what =
            Error::invalid_argument(name(), "the names of the tensors and the metadata are too long for a header");
        return Err(what.got(format!("{} bytes", header.len())).expected(format!("at most {LONGEST_HEADER}")));
    }
    let mut file = Temporary::create(path, options)?;
    file.write_all_at(&[&(header.len() as u64).to_le_bytes()[..], &header].concat(), 0)?;
    let behind = (LENGTH + header.len()) as u64;
    let values: Vec<Value<'_>> = placed.iter().map(|tensor| tensor.value(behind)).collect();
    // The format has no checksums.
    transfer::write(&file, &values, options.threads)?;
    file.finish()?;
    file.rename()?;
    sync_directory_of(path, options)
}

/// The tensors in the order of the file.
fn place<'a>(tensors: &[Tensor<'a>], path: &Path) -> Result<Vec<Placed<'a>>> {
    let mut order = tensors.iter().map(|tensor| placed(tensor, path)).collect::<Result<Vec<_>>>()?;
    order.sort_by(|a, b| b.info.dtype.cmp(&a.info.dtype).then(a.name.cmp(b.name)));
    let mut names: Vec<&str> = order.iter().map(|tensor| tensor.name).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(refused(path, pair[0], "is there twice"));
    }
    let mut offset = 0usize;
    for tensor in &mut order {
        let size = usize::try_from(tensor.bytes.len()).ok();
        let end = size.and_then(|size| offset.checked_add(size)).filter(|&end| i64::try_from(end).is_ok());
        let end = end.ok_or_else(|| refused(path, tensor.name, "is too large for a file"))?;
        tensor.info.data_offsets = (offset, end);
        offset = end;
    }
    Ok(order)
}

fn placed<'a>(tensor: &Tensor<'a>, path: &Path) -> Result<Placed<'a>> {
    let Tensor { name, dtype, ref shape, source } = *tensor;
    if name == METADATA {
        return Err(refused(path, name, "has the name of the metadata"));
    }
    let Some(bytes) = Bytes::of(source) else {
        return Err(refused(path, name, "is made of strings, which the format does not have"));
    };
    let Some((_, format_dtype)) = TYPES.iter().find(|(of, _)| *of == dtype) else {
        return Err(refused(path, name, &format!("is of type {dtype}, which the format does not have")));
    };
    let expected = shape.iter().try_fold(dtype.size() as u64, |n, &size| n.checked_mul(size));
    if expected != Some(bytes.len()) {
        let what = refused(path, name, "does not have the size of its shape").got(bytes.len());
        return Err(what.expected(format!("the bytes of {dtype} {shape:?}")));
    }
    let info = TensorInfo {
        dtype: Dtype::clone(format_dtype),
        shape: shape.iter().map(|&size| size as usize).collect(),
        data_offsets: (0, 0),
    };
    Ok(Placed { name, info, bytes })
}

#[cold]
fn refused(path: &Path, name: &str, what: &str) -> Error {
    Error::invalid_argument(path.display().to_string(), format!("the tensor \"{name}\" {what}"))
}
