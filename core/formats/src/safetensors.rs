//! Hugging Face's safetensors: one file of a JSON header and the values behind it.
//! Models come from there and go there by it. Values are written in pieces, and read straight to where they belong.
//!
//! The crate `safetensors` has the format's words (its element types and how they stand in the header). Its writer wants every value in
//! memory and its reader the whole file, and both leave the order of the metadata to chance; files go through this crate instead. Files
//! without metadata, or with one pair, have the bytes that it gives them.
//!
//! ```
//! use eagerflow_formats::safetensors::{self, Safetensors, Source, Tensor};
//! use eagerflow_formats::files::Options;
//! use kernels::dtype::DType;
//!
//! # let folder = std::env::temp_dir().join(format!("eagerflow-safetensors-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! let path = folder.join("model.safetensors");
//! let w = Tensor { name: "w", dtype: DType::U8, shape: vec![3], source: Source::Bytes(&[1, 2, 3]) };
//! safetensors::write(&path, &[w], &Default::default(), &Options::default())?;
//!
//! let file = Safetensors::open(&path)?;
//! assert_eq!(file.get("w").unwrap().dtype(), Some(DType::U8));
//! assert_eq!(file.read_bytes("w")?, [1, 2, 3]);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), kernels::error::Error>(())
//! ```

mod header;
mod read;
mod write;

pub use crate::pieces::{Pieces, Source};
pub use header::Stored;
pub use read::Safetensors;
pub use write::{Tensor, write};

use ::safetensors::Dtype;
use kernels::dtype::DType;

/// Bytes of the number in front, the header's length.
const LENGTH: usize = 8;
/// Headers may be no longer: about eighty thousand tensors. Hugging Face's own limit is ten times as much, which a file could use to
/// have many times its size allocated while it is read.
const LONGEST_HEADER: usize = 10 << 20;

/// The element types that both know: all but `complex128`.
const TYPES: [(DType, Dtype); 14] = [
    (DType::F32, Dtype::F32),
    (DType::F64, Dtype::F64),
    (DType::I32, Dtype::I32),
    (DType::U8, Dtype::U8),
    (DType::I16, Dtype::I16),
    (DType::I8, Dtype::I8),
    (DType::C64, Dtype::C64),
    (DType::I64, Dtype::I64),
    (DType::Bool, Dtype::BOOL),
    (DType::BF16, Dtype::BF16),
    (DType::U16, Dtype::U16),
    (DType::F16, Dtype::F16),
    (DType::U32, Dtype::U32),
    (DType::U64, Dtype::U64),
];

#[cfg(test)]
mod tests;
