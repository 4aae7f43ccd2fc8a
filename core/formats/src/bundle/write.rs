//! Writes a bundle of one data file, with the bytes that TensorFlow's `SaveV2` gives it.
//! Checkpoints and saved models call it; [`Written`] lets them do more before the old bundle is replaced.

use super::{MOST_DIMENSIONS, names, strings};
use crate::checksum;
use crate::files::{Options, Temporary, TemporaryNames, sync_directory_of};
use crate::messages::{BundleEntryProto, BundleHeaderProto, DataType, Dim, Message, TensorShapeProto, VersionDef};
use crate::pieces::Source;
use crate::table::TableWriter;
use crate::transfer::{self, Bytes, Value};
use kernels::error::{Error, Result};
use std::path::Path;

/// A value to write.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// Its name: not empty, without a zero byte in front, no other's.
    pub key: &'a str,
    /// What its elements are.
    pub dtype: DataType,
    /// Its sizes; none for a scalar.
    pub shape: Vec<u64>,
    /// Where its elements are. Values lie in the file in the order in which they are given.
    pub source: Source<'a>,
}

/// Writes a bundle, in place of one with this prefix.
///
/// # Errors
/// `InvalidArgument` for keys that are empty or there twice, and for values that do not have the bytes of their shape; what the file
/// system refuses; what a [`Pieces`](crate::pieces::Pieces) gives. The old bundle is untouched then, unless the error comes from the
/// second of the two renames at the end; see [`Written::commit`].
pub fn write(prefix: &Path, entries: &[Entry<'_>], options: &Options<'_>) -> Result<()> {
    write_temporary(prefix, entries, options)?.commit()
}

/// Writes a bundle under temporary names, whole and synced, without touching one with this prefix.
///
/// # Errors
/// See [`write()`].
pub fn write_temporary<'a>(prefix: &Path, entries: &[Entry<'_>], options: &Options<'a>) -> Result<Written<'a>> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&at| entries[at].key);
    check(prefix, entries, &order)?;
    let encoded: Vec<Option<(Vec<u8>, u32)>> = entries.iter().map(encode).collect();
    let values = places(entries, &encoded);
    let mut written = Written::create(prefix, options)?;
    let mut sums = transfer::write(&written.data, &values, options.threads)?;
    for (sum, encoded) in sums.iter_mut().zip(&encoded) {
        if let Some((_, crc)) = encoded {
            *sum = *crc;
        }
    }
    written.data.finish()?;
    written.index.write_all_at(&index(entries, &order, &values, &sums), 0)?;
    written.index.finish()?;
    Ok(written)
}

/// A bundle under temporary names. It is removed when it is dropped without [`commit`](Written::commit).
pub struct Written<'a> {
    // Dropped in this order: an index without its data file would be taken for a commit that a crash has interrupted.
    index: Temporary<'a>,
    data: Temporary<'a>,
    options: Options<'a>,
    prefix: std::path::PathBuf,
}

impl<'a> Written<'a> {
    fn create(prefix: &Path, options: &Options<'a>) -> Result<Self> {
        let (index, data) = (names::index(prefix), names::data(prefix, 0, 1));
        loop {
            // Both have one number; it is free only if both names are.
            let number = TemporaryNames::next();
            let Some(data) = Temporary::create_named(&data, &number, options)? else { continue };
            let Some(index) = Temporary::create_named(&index, &number, options)? else { continue };
            return Ok(Self { index, data, options: *options, prefix: prefix.to_owned() });
        }
    }

    /// Gives both files their names, in place of a bundle that has them, and waits until that would survive a loss of power.
    ///
    /// # Errors
    /// What the file system refuses. If it lets the data file take its name but not the index, then the old index is beside the new
    /// data; the new index stays under its temporary name, by which [`Bundle::open`](super::Bundle::open) finds it.
    pub fn commit(self) -> Result<()> {
        let Self { mut index, data, options, prefix } = self;
        if names::index(&prefix).exists() {
            // Nor the new data file's name without the new index's temporary one: beside the old index it would be worth nothing.
            sync_directory_of(&prefix, &options)?;
        }
        data.rename()?;
        index.keep();
        // The disk must not take the second name without the first.
        sync_directory_of(&prefix, &options)?;
        let temporary = index.temporary_name();
        index.rename().map_err(|e| e.help(format!("the new index is whole and lies at {}", temporary.display())))?;
        sync_directory_of(&prefix, &options)
    }
}

/// Refuses what no bundle can hold. The order is that of the keys.
fn check(prefix: &Path, entries: &[Entry<'_>], order: &[usize]) -> Result<()> {
    let refused = |entry: &Entry<'_>, what: &str| {
        Error::invalid_argument(prefix.display().to_string(), format!("the entry \"{}\" {what}", entry.key))
    };
    for entry in entries {
        if entry.key.is_empty() || entry.key.starts_with('\0') {
            return Err(refused(entry, "has a key that bundles keep for themselves").expected("a name"));
        }
        if entry.shape.len() > MOST_DIMENSIONS {
            return Err(refused(entry, "has too many dimensions").expected(format!("at most {MOST_DIMENSIONS}")));
        }
        if entry.shape.iter().any(|&size| i64::try_from(size).is_err()) {
            return Err(refused(entry, "has a size that is too large").got(format!("{:?}", entry.shape)));
        }
        let elements = entry.shape.iter().try_fold(1u64, |n, &size| n.checked_mul(size));
        let bytes = |size| elements.and_then(|n| n.checked_mul(size)).filter(|&bytes| i64::try_from(bytes).is_ok());
        let (got, expected) = match (entry.source, entry.dtype.size()) {
            (Source::Strings(strings), None) if entry.dtype == DataType::String => (strings.len() as u64, elements),
            (Source::Bytes(_) | Source::Pieces(_), Some(size)) => (size_of(entry), bytes(size)),
            (_, None) if entry.dtype != DataType::String => {
                return Err(refused(entry, &format!("is of type {}, which has no bytes", entry.dtype)));
            }
            _ => return Err(refused(entry, &format!("is of type {}, its source is not", entry.dtype))),
        };
        if expected != Some(got) {
            let expected =
                expected.map_or("a smaller shape".into(), |n| format!("{n}, by its shape {:?}", entry.shape));
            return Err(refused(entry, "does not have the size of its shape").got(got).expected(expected));
        }
    }
    match order.windows(2).find(|pair| entries[pair[0]].key == entries[pair[1]].key) {
        Some(pair) => Err(refused(&entries[pair[0]], "is there twice")),
        None => Ok(()),
    }
}

fn size_of(entry: &Entry<'_>) -> u64 {
    Bytes::of(entry.source).map_or(0, Bytes::len)
}

/// The bytes and the CRC of strings.
fn encode(entry: &Entry<'_>) -> Option<(Vec<u8>, u32)> {
    match entry.source {
        Source::Strings(strings) => Some(strings::encode(strings)),
        _ => None,
    }
}

/// Lays the values one after the other, in the order in which they are given, as TensorFlow does.
fn places<'a>(entries: &'a [Entry<'_>], encoded: &'a [Option<(Vec<u8>, u32)>]) -> Vec<Value<'a>> {
    let mut offset = 0;
    let place = |(entry, encoded): (&'a Entry<'_>, &'a Option<(Vec<u8>, u32)>)| {
        let bytes = encoded.as_ref().map(|(bytes, _)| Bytes::Here(bytes));
        let source = bytes.or(Bytes::of(entry.source)).unwrap_or(Bytes::Here(&[]));
        let value = Value { name: entry.key, size: source.len(), offset, source };
        offset += value.size;
        value
    };
    entries.iter().zip(encoded).map(place).collect()
}

/// The bytes of the index.
fn index(entries: &[Entry<'_>], order: &[usize], values: &[Value<'_>], sums: &[u32]) -> Vec<u8> {
    let mut table = TableWriter::default();
    let version = Some(VersionDef { producer: 1, ..Default::default() });
    table.add(b"", &BundleHeaderProto { num_shards: 1, endianness: 0, version }.encode_to_vec());
    for &at in order {
        let (entry, value) = (&entries[at], &values[at]);
        let dim = entry.shape.iter().map(|&size| Dim { size: size as i64, name: String::new() }).collect();
        let proto = BundleEntryProto {
            dtype: entry.dtype as i32,
            shape: Some(TensorShapeProto { dim, unknown_rank: false }),
            shard_id: 0,
            offset: value.offset as i64,
            size: value.size as i64,
            crc32c: checksum::mask(sums[at]),
            slices: Vec::new(),
        };
        table.add(entry.key.as_bytes(), &proto.encode_to_vec());
    }
    table.finish()
}
