//! Puts the checksums of a table or of records right, as far as its blocks can be found: else no damage would ever reach what lies behind them.

use eagerflow_formats::checksum;
use eagerflow_formats::events::FRAME;

/// The footer of a table, and what stands behind each block.
const FOOTER: usize = 48;
const TRAILER: usize = 5;

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Where a block is, by its handle.
fn handle(bytes: &mut &[u8], length: usize) -> Option<(usize, usize)> {
    let (offset, size) = (usize::try_from(varint(bytes)?).ok()?, usize::try_from(varint(bytes)?).ok()?);
    let end = offset.checked_add(size)?.checked_add(TRAILER)?;
    (end <= length).then_some((offset, size))
}

fn put(table: &mut [u8], (offset, size): (usize, usize)) {
    let crc = checksum::mask(checksum::of(&table[offset..offset + size + 1]));
    table[offset + size + 1..offset + size + TRAILER].copy_from_slice(&crc.to_le_bytes());
}

/// Puts the checksums of framed records right, as far as their lengths lead.
pub fn put_frames_right(bytes: &mut [u8]) {
    let mut at = 0;
    while let Some(header) = bytes.get(at..at + FRAME) {
        let length = u64::from_le_bytes(std::array::from_fn(|i| header[i]));
        let sum = checksum::mask(checksum::of(&header[..8]));
        bytes[at + 8..at + FRAME].copy_from_slice(&sum.to_le_bytes());
        let end = usize::try_from(length).ok().and_then(|length| (at + FRAME).checked_add(length));
        let Some((end, record)) = end.and_then(|end| Some((end, bytes.get(at + FRAME..end)?))) else { return };
        let sum = checksum::mask(checksum::of(record));
        let Some(place) = bytes.get_mut(end..end + 4) else { return };
        place.copy_from_slice(&sum.to_le_bytes());
        at = end + 4;
    }
}

/// The handles in a block of the index.
fn handles(block: &[u8], length: usize) -> Vec<(usize, usize)> {
    let (mut rest, mut found) = (block, Vec::new());
    while let (Some(_), Some(unshared), Some(value)) = (varint(&mut rest), varint(&mut rest), varint(&mut rest)) {
        let (Ok(unshared), Ok(value)) = (usize::try_from(unshared), usize::try_from(value)) else { break };
        let Some(end) = unshared.checked_add(value).filter(|&end| end <= rest.len()) else { break };
        found.extend(handle(&mut &rest[unshared..end], length));
        rest = &rest[end..];
    }
    found
}

/// Puts the checksums of the blocks of a table right that its footer leads to.
pub fn put_right(table: &mut [u8]) {
    let Some(end) = table.len().checked_sub(FOOTER) else { return };
    let footer = table[end..].to_vec();
    let mut footer = &footer[..];
    let (meta, index) = (handle(&mut footer, end), handle(&mut footer, end));
    let data = index.map(|(offset, size)| handles(&table[offset..offset + size], end)).unwrap_or_default();
    // The index last: it may lie over other blocks.
    data.into_iter().chain(meta).chain(index).for_each(|block| put(table, block));
}
