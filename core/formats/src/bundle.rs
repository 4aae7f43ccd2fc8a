//! TensorFlow's checkpoint V2, the "tensor bundle": values by key in data files, and an index of them.
//! [`write()`] makes the bytes that TensorFlow's `SaveV2` makes; a [`Bundle`] reads what TensorFlow wrote, shards and slices too.
//!
//! # What a crash leaves
//!
//! A bundle is two files, `<prefix>.data-00000-of-00001` and `<prefix>.index`, and no file system renames two at once. Both are
//! written and synced under temporary names, then the data file takes its name, then the index. What is there before the first
//! rename is the old bundle, whole.
//!
//! Between the two, where a bundle is replaced by another of the same prefix, the new data file lies beside the old index. For
//! TensorFlow such a bundle is damaged: entries whose bytes differ fail their checksums, and none is taken for another. But nothing is
//! lost: the new index is still there under its temporary name, whose data file is not. [`Bundle::open`] finds it, checks that all
//! values match it, and reads by it; [`tidy`] gives it its name. So of a crash at any point, readers here see the old bundle or the
//! new one. Whoever never writes a prefix twice, as a checkpoint manager does not, never gets there.
//!
//! Without [`Options::sync`] this holds for processes that are killed, not for machines that lose power.
//!
//! # Names
//!
//! ```
//! use eagerflow_formats::bundle::{self, Bundle, Entry, Source};
//! use eagerflow_formats::{files::Options, messages::DataType};
//!
//! # let folder = std::env::temp_dir().join(format!("eagerflow-bundle-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! let prefix = folder.join("ck-1");
//! let bytes: Vec<u8> = [1.0f32, 2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
//! let w = Entry { key: "w", dtype: DataType::Float, shape: vec![2], source: Source::Bytes(&bytes) };
//! bundle::write(&prefix, &[w], &Options::default())?;
//!
//! let bundle = Bundle::open(&prefix)?;
//! assert_eq!(bundle.get("w").unwrap().shape(), [2]);
//! assert_eq!(bundle.read_bytes("w")?, bytes);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), kernels::error::Error>(())
//! ```

mod index;
mod leftovers;
mod names;
mod ordered;
mod read;
mod slices;
mod strings;
mod write;

pub use crate::files::Options;
pub use crate::pieces::{Pieces, Source};
pub use index::Stored;
pub use leftovers::{exists, remove, tidy};
pub use read::Bundle;
pub use write::{Entry, Written, write, write_temporary};

/// TensorFlow's shapes have no more dimensions.
const MOST_DIMENSIONS: usize = 254;

#[cfg(test)]
mod tests;
