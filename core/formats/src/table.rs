//! LevelDB's table, as TensorFlow writes it: a file of sorted keys with values, in blocks with checksums.
//! The index of a bundle is one; [`TableWriter`] makes the bytes, [`read`] goes over them.
//!
//! ```text
//! data block …   metaindex block (empty)   index block   footer (48 bytes)
//! a block: {varint shared, varint unshared, varint value_len, the key's end, value} …, u32 restart …, u32 restarts
//!          and after it its type (0: as it is) and the masked CRC-32C of both
//! ```

mod reader;
mod varint;
mod writer;

pub use reader::{Take, read};
pub(crate) use varint::{put_varint, take_varint};
pub use writer::TableWriter;

/// The last eight bytes of a table.
const MAGIC: u64 = 0xdb47_7524_8b80_fb57;
/// Bytes of the footer: two handles, zeros up to 40 bytes, the magic number.
const FOOTER: usize = 48;
/// Bytes after each block: its type and the checksum.
const TRAILER: usize = 5;

#[cfg(test)]
mod tests;
