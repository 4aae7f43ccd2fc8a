//! Reads the index of a bundle and checks all that it says: what each value is, and where it lies.
//! [`Bundle::open`](super::Bundle::open) calls it; nobody looks at the messages of an index again after that.

use super::MOST_DIMENSIONS;
use super::ordered::slice_key;
use super::slices::{self, Block, Slice};
use crate::messages::{BundleEntryProto, BundleHeaderProto, DataType, Message};
use crate::table;
use kernels::error::{Error, Result};

/// An entry's message is no longer: of ten thousand slices it has a fifth of that.
const LONGEST_ENTRY: usize = 1 << 20;
/// Keys in a table share what they begin with, so that a small file can stand for long ones. They may take as much memory as the
/// file, and this more.
const MORE_KEYS: usize = 64 << 20;
/// The version of the format that this code is.
const VERSION: i32 = 1;

/// A value of a bundle: what it is, not its bytes.
#[derive(Clone, Debug)]
pub struct Stored {
    key: String,
    dtype: DataType,
    shape: Vec<u64>,
    pub(super) place: Place,
}

/// Where a value lies.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Whole(Region),
    /// In parts, each with what it covers.
    Sliced(Vec<(Block, Region)>),
}

/// Bytes of a data file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    pub shard: u32,
    pub offset: u64,
    pub size: u64,
    /// Masked, as the file has it.
    pub crc: u32,
}

impl Stored {
    /// Its name.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What its elements are.
    pub fn dtype(&self) -> DataType {
        self.dtype
    }

    /// Its sizes; none for a scalar.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Bytes of the whole value; of strings, those that they take in the file.
    pub fn size(&self) -> u64 {
        self.regions().map(|region| region.size).sum()
    }

    /// Elements of it.
    pub(super) fn elements(&self) -> u64 {
        self.shape.iter().product()
    }

    pub(super) fn regions(&self) -> impl Iterator<Item = Region> + '_ {
        let (whole, parts) = match &self.place {
            Place::Whole(region) => (Some(*region), &[][..]),
            Place::Sliced(parts) => (None, &parts[..]),
        };
        whole.into_iter().chain(parts.iter().map(|(_, region)| *region))
    }
}

/// An index, checked but for what the data files' lengths say.
pub(super) struct Index {
    pub shards: u32,
    /// In the order of their keys, without the parts of others.
    pub entries: Vec<Stored>,
    /// The last byte of each data file that is needed, in the order of the shards.
    pub ends: Vec<(u32, u64)>,
}

/// A row of the index as it stands there.
struct Row {
    key: Vec<u8>,
    dtype: DataType,
    shape: Vec<u64>,
    region: Region,
    slices: Vec<Slice>,
}

/// Reads an index. `name` is the file's, for errors.
pub(super) fn read(bytes: &[u8], name: &str) -> Result<Index> {
    let mut shards = None;
    let mut rows: Vec<Row> = Vec::new();
    let mut room = bytes.len().saturating_add(MORE_KEYS);
    table::read(bytes, name, &mut |key, value| {
        let Some(shards) = shards else {
            shards = Some(header(key, value, name)?);
            return Ok(());
        };
        room = room.checked_sub(key.len()).ok_or_else(|| {
            let what = "its keys are so much longer than the file that they would not fit in memory";
            Error::resource_exhausted(name, what)
        })?;
        rows.push(row(key, value, shards).map_err(|e| of_entry(e, name, key))?);
        Ok(())
    })?;
    let Some(shards) = shards else {
        return Err(Error::data_loss(name, "holds no header: it is no index of a bundle"));
    };
    let ends = ends(&rows, name)?;
    Ok(Index { shards, entries: entries(rows, name)?, ends })
}

/// Puts the names of the file and of the entry to what is wrong.
fn of_entry((make, what): Fault, name: &str, key: &[u8]) -> Error {
    make(name, format!("the entry \"{}\" {what}", key.escape_ascii()))
}

type Fault = (fn(&str, String) -> Error, String);

fn lost(what: &str) -> Fault {
    (|name, what| Error::data_loss(name, what), what.to_owned())
}

fn unknown(what: String) -> Fault {
    (|name, what| Error::unimplemented(name, what), what)
}

/// The number of data files.
fn header(key: &[u8], value: &[u8], name: &str) -> Result<u32> {
    if !key.is_empty() {
        return Err(Error::data_loss(name, "does not begin with a header: it is no index of a bundle"));
    }
    if value.len() > LONGEST_ENTRY {
        return Err(Error::data_loss(name, format!("the header has {} bytes, more than {LONGEST_ENTRY}", value.len())));
    }
    let header = BundleHeaderProto::decode(value).map_err(|e| Error::data_loss(name, format!("the header: {e}")))?;
    match header.endianness {
        0 => {}
        1 => {
            let help = "save it again on a little-endian machine";
            return Err(Error::unimplemented(name, "its values are big-endian").help(help));
        }
        other => return Err(Error::data_loss(name, format!("the header has the unknown endianness {other}"))),
    }
    let version = header.version.unwrap_or_default();
    if version.min_consumer > VERSION || version.bad_consumers.contains(&VERSION) {
        let what = "was written for a newer version of the format";
        return Err(Error::unimplemented(name, what).got(version.min_consumer).expected(format!("at most {VERSION}")));
    }
    match u32::try_from(header.num_shards) {
        Ok(shards) if shards > 0 => Ok(shards),
        _ => Err(Error::data_loss(name, format!("the header says that there are {} data files", header.num_shards))),
    }
}

fn row(key: &[u8], value: &[u8], shards: u32) -> std::result::Result<Row, Fault> {
    if value.len() > LONGEST_ENTRY {
        return Err(unknown(format!("has a record of {} bytes, more than {LONGEST_ENTRY}", value.len())));
    }
    let proto = BundleEntryProto::decode(value).map_err(|e| lost(&format!("has a damaged record: {e}")))?;
    let dtype =
        DataType::try_from(proto.dtype).map_err(|_| unknown(format!("has the unknown type {}", proto.dtype)))?;
    let shape = shape(&proto)?;
    let elements = shape.iter().try_fold(1u64, |n, &size| n.checked_mul(size));
    let elements = elements.filter(|&n| i64::try_from(n).is_ok()).ok_or_else(|| lost("has an impossible shape"))?;
    let bytes = dtype.size().map(|size| elements.checked_mul(size).ok_or_else(|| lost("has an impossible shape")));
    let bytes = bytes.transpose()?;
    let number = |n: i64| u64::try_from(n).map_err(|_| lost("has a negative place"));
    let region = Region {
        shard: u32::try_from(proto.shard_id).map_err(|_| lost("has a negative place"))?,
        offset: number(proto.offset)?,
        size: number(proto.size)?,
        crc: proto.crc32c,
    };
    let slices: Vec<Slice> = proto.slices.iter().map(Slice::new).collect();
    if slices.is_empty() {
        if region.shard >= shards {
            return Err(lost(&format!("lies in data file {} of {shards}", region.shard)));
        }
        if region.offset.checked_add(region.size).is_none() {
            return Err(lost("has an impossible place"));
        }
        let right = match (bytes, dtype) {
            (Some(bytes), _) => region.size == bytes,
            (None, DataType::String) => elements.checked_add(4).is_some_and(|least| region.size >= least),
            (None, _) => true,
        };
        if !right {
            return Err(lost(&format!("has {} bytes, which is not the size of {dtype} {shape:?}", region.size)));
        }
    }
    Ok(Row { key: key.to_owned(), dtype, shape, region, slices })
}

fn shape(proto: &BundleEntryProto) -> std::result::Result<Vec<u64>, Fault> {
    let shape = proto.shape.as_ref();
    let dims = shape.map_or(&[][..], |shape| &shape.dim);
    if dims.len() > MOST_DIMENSIONS {
        return Err(lost(&format!("has {} dimensions, more than {MOST_DIMENSIONS}", dims.len())));
    }
    if shape.is_some_and(|shape| shape.unknown_rank) {
        return Err(lost("has a shape that is not known"));
    }
    dims.iter().map(|dim| u64::try_from(dim.size).map_err(|_| lost("has a size that is not known"))).collect()
}

/// How long each data file must be. TensorFlow lays each value behind another, so none may lie in two.
fn ends(rows: &[Row], name: &str) -> Result<Vec<(u32, u64)>> {
    let mut order: Vec<&Row> = rows.iter().filter(|row| row.slices.is_empty() && row.region.size > 0).collect();
    order.sort_by_key(|row| (row.region.shard, row.region.offset));
    let mut ends: Vec<(u32, u64)> = Vec::new();
    for row in order {
        let Region { shard, offset, size, .. } = row.region;
        match ends.last_mut() {
            Some((last, end)) if *last == shard => {
                if offset < *end {
                    return Err(of_entry(lost("lies where another does"), name, &row.key));
                }
                *end = offset + size;
            }
            _ => ends.push((shard, offset + size)),
        }
    }
    Ok(ends)
}

/// The rows, those that are parts put to what they are of.
fn entries(rows: Vec<Row>, name: &str) -> Result<Vec<Stored>> {
    let (parts, rows): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.key.first() == Some(&0));
    let mut entries = Vec::with_capacity(rows.len());
    for row in rows {
        let fault = |fault| of_entry(fault, name, &row.key);
        let key = str::from_utf8(&row.key).map_err(|_| fault(lost("has a key that is no text")))?;
        let place = match row.slices.is_empty() {
            true => Place::Whole(row.region),
            false => Place::Sliced(sliced(&row, key, &parts).map_err(fault)?),
        };
        entries.push(Stored { key: key.to_owned(), dtype: row.dtype, shape: row.shape.clone(), place });
    }
    Ok(entries)
}

/// The parts of a value, each of the size that it must have.
fn sliced(row: &Row, key: &str, parts: &[Row]) -> std::result::Result<Vec<(Block, Region)>, Fault> {
    // Each has an entry of its own, so that no more are made than the file holds.
    if row.slices.len() > parts.len() {
        return Err(lost("has more slices than there are"));
    }
    let find = |slice: &Slice| {
        let block = slice.block(&row.shape).ok_or_else(|| lost("has a slice that is no part of it"))?;
        let at = parts.binary_search_by(|part| (*part.key).cmp(&slice_key(key, slice)));
        let part = &parts[at.map_err(|_| lost("lacks one of its slices"))?];
        if part.dtype != row.dtype || part.shape != block.lengths || !part.slices.is_empty() {
            return Err(lost("has a slice of another type or shape"));
        }
        Ok((block, part.region))
    };
    let found: Vec<(Block, Region)> = row.slices.iter().map(find).collect::<std::result::Result<_, _>>()?;
    let blocks: Vec<Block> = found.iter().map(|(block, _)| block.clone()).collect();
    match slices::fault(&blocks, &row.shape) {
        Some(what) => Err(lost(what)),
        None => Ok(found),
    }
}
