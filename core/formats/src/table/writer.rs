//! Makes the bytes of a table, the same as TensorFlow's own writer does.
//! The writer of bundles calls it with the entries of the index, in the order of their keys.

use super::{FOOTER, MAGIC, put_varint};
use crate::checksum;

/// A block ends with the entry that makes it at least as long, with its restarts.
const BLOCK: usize = 262_144;
/// An entry of this length has the blocks before it end.
const LARGE: usize = 2 * BLOCK;
/// Every so many entries of a data block, a key is written whole.
const RESTART: usize = 16;

/// A table under way. Keys must come in strictly rising order.
pub struct TableWriter {
    bytes: Vec<u8>,
    data: Block,
    index: Block,
    /// The key of the last entry.
    last: Vec<u8>,
    /// Where the last block is, while the index lacks it: its key there depends on the next entry.
    pending: Option<Handle>,
}

impl Default for TableWriter {
    fn default() -> Self {
        Self { bytes: Vec::new(), data: Block::new(RESTART), index: Block::new(1), last: Vec::new(), pending: None }
    }
}

impl TableWriter {
    /// Adds an entry.
    pub fn add(&mut self, key: &[u8], value: &[u8]) {
        debug_assert!(self.data.is_empty() && self.pending.is_none() || *key > *self.last, "keys rise");
        if key.len() + value.len() >= LARGE {
            self.end_block();
        }
        if let Some(handle) = self.pending.take() {
            shorten_before(&mut self.last, key);
            self.index.add(&self.last, &handle.bytes());
        }
        self.data.add(key, value);
        self.last.clear();
        self.last.extend_from_slice(key);
        if self.data.len() >= BLOCK {
            self.end_block();
        }
    }

    /// Ends the table and gives its bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.end_block();
        let metaindex = put_block(&mut self.bytes, &mut Block::new(RESTART));
        if let Some(handle) = self.pending.take() {
            shorten(&mut self.last);
            self.index.add(&self.last, &handle.bytes());
        }
        let index = put_block(&mut self.bytes, &mut self.index);
        let mut footer = [metaindex.bytes(), index.bytes()].concat();
        footer.resize(FOOTER - size_of::<u64>(), 0);
        self.bytes.extend_from_slice(&footer);
        self.bytes.extend_from_slice(&MAGIC.to_le_bytes());
        self.bytes
    }

    fn end_block(&mut self) {
        if !self.data.is_empty() {
            self.pending = Some(put_block(&mut self.bytes, &mut self.data));
        }
    }
}

/// Where a block is.
struct Handle {
    offset: usize,
    size: usize,
}

impl Handle {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_varint(self.offset as u64, &mut bytes);
        put_varint(self.size as u64, &mut bytes);
        bytes
    }
}

/// Appends a block with its trailer, and empties it.
fn put_block(bytes: &mut Vec<u8>, block: &mut Block) -> Handle {
    let offset = bytes.len();
    block.take(bytes);
    let size = bytes.len() - offset;
    bytes.push(0);
    let crc = checksum::of(&bytes[offset..]);
    bytes.extend_from_slice(&checksum::mask(crc).to_le_bytes());
    Handle { offset, size }
}

/// The entries of a block.
struct Block {
    entries: Vec<u8>,
    restarts: Vec<u32>,
    since_restart: usize,
    interval: usize,
    last: Vec<u8>,
}

impl Block {
    fn new(interval: usize) -> Self {
        Self { entries: Vec::new(), restarts: vec![0], since_restart: 0, interval, last: Vec::new() }
    }

    fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Bytes of the block as it is now.
    fn len(&self) -> usize {
        self.entries.len() + (self.restarts.len() + 1) * size_of::<u32>()
    }

    fn add(&mut self, key: &[u8], value: &[u8]) {
        let mut shared = 0;
        if self.since_restart < self.interval {
            shared = common(&self.last, key);
        } else {
            self.restarts.push(self.entries.len() as u32);
            self.since_restart = 0;
        }
        for number in [shared, key.len() - shared, value.len()] {
            put_varint(number as u64, &mut self.entries);
        }
        self.entries.extend_from_slice(&key[shared..]);
        self.entries.extend_from_slice(value);
        self.last.truncate(shared);
        self.last.extend_from_slice(&key[shared..]);
        self.since_restart += 1;
    }

    /// Appends the block's bytes; it is empty then.
    fn take(&mut self, bytes: &mut Vec<u8>) {
        bytes.append(&mut self.entries);
        self.restarts.iter().for_each(|restart| bytes.extend_from_slice(&restart.to_le_bytes()));
        bytes.extend_from_slice(&(self.restarts.len() as u32).to_le_bytes());
        *self = Self::new(self.interval);
    }
}

/// How many bytes two keys begin with alike.
fn common(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Makes a key as short as it can be, not below what it was and below `next`: LevelDB's `FindShortestSeparator`.
fn shorten_before(key: &mut Vec<u8>, next: &[u8]) {
    let at = common(key, next);
    if at < key.len() && at < next.len() && key[at] < 0xff && key[at] + 1 < next[at] {
        key[at] += 1;
        key.truncate(at + 1);
    }
}

/// Makes a key as short as it can be, not below what it was: LevelDB's `FindShortSuccessor`.
fn shorten(key: &mut Vec<u8>) {
    if let Some(at) = key.iter().position(|&byte| byte != 0xff) {
        key[at] += 1;
        key.truncate(at + 1);
    }
}
