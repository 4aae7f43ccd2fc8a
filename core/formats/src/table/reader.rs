//! Goes over the entries of a table whose bytes lie in memory, with every length, checksum and order checked.
//! The reader of bundles calls it; nothing that the bytes say makes it allocate more than there are bytes.

use super::{FOOTER, MAGIC, TRAILER, take_varint};
use crate::checksum;
use kernels::error::{Error, Result};
use std::ops::Range;

/// What is called with a key and a value.
pub type Take<'a> = dyn FnMut(&[u8], &[u8]) -> Result<()> + 'a;

/// Calls `take` with every key and value, in the order of the keys. `name` is the file's, for errors.
///
/// # Errors
/// `DataLoss` if the bytes are cut off, damaged, or not in order; `Unimplemented` if a block is compressed, which TensorFlow's are
/// not; and what `take` gives.
pub fn read(bytes: &[u8], name: &str, take: &mut Take<'_>) -> Result<()> {
    let mut table = Reader { bytes, name, end: 0, key: Vec::new(), entries: 0 };
    let [metaindex, index] = table.footer()?;
    table.block(metaindex, "the metaindex block")?;
    let index_entries = table.block(index, "the index block")?;
    let mut place = Entries::new(index_entries);
    let mut upto = Vec::new();
    let mut blocks = 0usize;
    while let Some(entry) = place.next().map_err(|what| table.lost(format!("the index block {what}")))? {
        if !entry.put_in(&mut upto) && blocks > 0 {
            return Err(table.lost("the keys of the index block are not in order".into()));
        }
        table.data_block(entry.value, blocks, &upto, take)?;
        blocks += 1;
    }
    Ok(())
}

struct Reader<'a> {
    bytes: &'a [u8],
    name: &'a str,
    /// Where the last data block ended.
    end: usize,
    /// The last key.
    key: Vec<u8>,
    entries: usize,
}

impl<'a> Reader<'a> {
    #[cold]
    fn lost(&self, what: String) -> Error {
        Error::data_loss(self.name, what)
    }

    /// The places of the metaindex block and of the index block.
    fn footer(&self) -> Result<[Range<usize>; 2]> {
        let Some((_, footer)) = self.bytes.split_last_chunk::<FOOTER>() else {
            let what = Error::data_loss(self.name, "the file is too short to be an index");
            return Err(what.got(format!("{} bytes", self.bytes.len())).expected(format!("at least {FOOTER}")));
        };
        let (mut handles, magic) = footer.split_at(FOOTER - size_of::<u64>());
        if magic != MAGIC.to_le_bytes() {
            return Err(self.lost("the file does not end as an index does: it is cut off, or something else".into()));
        }
        Ok([self.handle(&mut handles, "the footer")?, self.handle(&mut handles, "the footer")?])
    }

    /// Takes the place of a block, which must lie within the file.
    fn handle(&self, from: &mut &[u8], whose: &str) -> Result<Range<usize>> {
        let place = (|| {
            let offset = usize::try_from(take_varint(from)?).ok()?;
            let end = offset.checked_add(usize::try_from(take_varint(from)?).ok()?)?;
            (end.checked_add(TRAILER)? <= self.bytes.len() - FOOTER).then_some(offset..end)
        })();
        place.ok_or_else(|| self.lost(format!("{whose} names a block outside of the file")))
    }

    /// The entries of a block, its checksum checked, without its restarts.
    fn block(&self, place: Range<usize>, which: &str) -> Result<&'a [u8]> {
        let block = &self.bytes[place.clone()];
        let trailer = &self.bytes[place.end..place.end + TRAILER];
        let crc = checksum::mask(checksum::of(&self.bytes[place.start..=place.end]));
        if trailer[1..] != crc.to_le_bytes() {
            return Err(self.lost(format!("{which} at byte {} does not match its checksum", place.start)));
        }
        match trailer[0] {
            0 => {}
            1 => {
                let what = format!("{which} at byte {} is compressed (snappy)", place.start);
                return Err(
                    Error::unimplemented(self.name, what).help("save it by TensorFlow, which compresses no index")
                );
            }
            other => return Err(self.lost(format!("{which} at byte {} has the unknown type {other}", place.start))),
        }
        let entries = (|| {
            let (before, count) = block.split_last_chunk::<4>()?;
            let restarts = usize::try_from(u32::from_le_bytes(*count)).ok()?.checked_mul(size_of::<u32>())?;
            Some(&before[..before.len().checked_sub(restarts)?])
        })();
        entries.ok_or_else(|| self.lost(format!("{which} at byte {} is shorter than its restarts", place.start)))
    }

    /// Goes over a data block, which must lie behind the one before and hold no key above `upto`.
    fn data_block(&mut self, mut handle: &[u8], number: usize, upto: &[u8], take: &mut Take<'_>) -> Result<()> {
        let place = self.handle(&mut handle, "the index block")?;
        if place.start < self.end {
            return Err(self.lost(format!("data block {number} lies in another")));
        }
        self.end = place.end;
        let which = format!("data block {number}");
        let mut entries = Entries::new(self.block(place, &which)?);
        let mut within = Vec::new();
        while let Some(entry) = entries.next().map_err(|what| self.lost(format!("{which} {what}")))? {
            // Within a block the comparison starts where the keys differ; the first key of a block is compared whole.
            let first = entries.count == 1;
            let rises = entry.put_in(&mut within);
            let rises = if first { within > self.key || self.entries == 0 } else { rises };
            if !rises {
                return Err(self.lost(format!("the keys of {which} are not in order")));
            }
            self.entries += 1;
            take(&within, entry.value)?;
        }
        if *within > *upto {
            return Err(self.lost(format!("{which} holds keys above its own in the index block")));
        }
        if entries.count > 0 {
            self.key = within;
        }
        Ok(())
    }
}

/// The entries of one block, one after the other.
struct Entries<'a> {
    rest: &'a [u8],
    key_len: usize,
    count: usize,
}

struct BlockEntry<'a> {
    shared: usize,
    suffix: &'a [u8],
    value: &'a [u8],
}

impl BlockEntry<'_> {
    /// Makes the key before it this entry's; tells whether it rises by that.
    fn put_in(&self, key: &mut Vec<u8>) -> bool {
        let rises = *self.suffix > key[self.shared..];
        key.truncate(self.shared);
        key.extend_from_slice(self.suffix);
        rises
    }
}

impl<'a> Entries<'a> {
    fn new(rest: &'a [u8]) -> Self {
        Self { rest, key_len: 0, count: 0 }
    }

    fn next(&mut self) -> std::result::Result<Option<BlockEntry<'a>>, &'static str> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let entry = self.take().ok_or("has an entry that is longer than the block")?;
        if entry.shared > self.key_len {
            return Err("has a key that shares more bytes than the one before has");
        }
        self.key_len = entry.shared + entry.suffix.len();
        self.count += 1;
        Ok(Some(entry))
    }

    fn take(&mut self) -> Option<BlockEntry<'a>> {
        let mut length = || usize::try_from(take_varint(&mut self.rest)?).ok();
        let (shared, unshared, value) = (length()?, length()?, length()?);
        let (suffix, rest) = self.rest.split_at_checked(unshared)?;
        let (value, rest) = rest.split_at_checked(value)?;
        self.rest = rest;
        Some(BlockEntry { shared, suffix, value })
    }
}
