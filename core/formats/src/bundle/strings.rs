//! Tensors of strings as bundles hold them: all lengths, a checksum of these, all bytes.
//! The checksum of the entry is not that of its bytes: lengths go into it as numbers of four or eight bytes.

use crate::checksum;
use crate::table::{put_varint, take_varint};

/// Bytes of the strings in a file.
pub(super) fn size(strings: &[Vec<u8>]) -> u64 {
    let varint = |n: usize| u64::from((usize::BITS - n.leading_zeros()).div_ceil(7).max(1));
    strings.iter().map(|s| varint(s.len()) + s.len() as u64).sum::<u64>() + size_of::<u32>() as u64
}

/// The bytes, and the CRC that the entry has, not masked.
pub(super) fn encode(strings: &[Vec<u8>]) -> (Vec<u8>, u32) {
    let mut bytes = Vec::with_capacity(size(strings) as usize);
    let mut crc = 0;
    for string in strings {
        put_varint(string.len() as u64, &mut bytes);
        crc = with_length(crc, string.len() as u64);
    }
    let sum = checksum::mask(crc).to_le_bytes();
    bytes.extend_from_slice(&sum);
    crc = checksum::extend(crc, &sum);
    for string in strings {
        bytes.extend_from_slice(string);
        crc = checksum::extend(crc, string);
    }
    (bytes, crc)
}

/// The strings in some bytes, of which there must be `count`, and the CRC that their entry must have; or what is wrong.
pub(super) fn decode(mut bytes: &[u8], count: u64) -> Result<(Vec<&[u8]>, u32), &'static str> {
    // Each has a length, so that there are at least as many bytes.
    if count > bytes.len() as u64 {
        return Err("has fewer bytes than strings");
    }
    let mut lengths = Vec::with_capacity(count as usize);
    let mut crc = 0;
    for _ in 0..count {
        let length = take_varint(&mut bytes).ok_or("ends within the lengths of its strings")?;
        crc = with_length(crc, length);
        lengths.push(length);
    }
    let (sum, mut rest) = bytes.split_first_chunk::<4>().ok_or("ends within the lengths of its strings")?;
    if *sum != checksum::mask(crc).to_le_bytes() {
        return Err("does not match the checksum of its strings' lengths");
    }
    crc = checksum::extend(checksum::extend(crc, sum), rest);
    let mut strings = Vec::with_capacity(lengths.len());
    for length in lengths {
        let length = usize::try_from(length).map_err(|_| "has a string that is longer than the entry")?;
        let (string, after) = rest.split_at_checked(length).ok_or("has a string that is longer than the entry")?;
        strings.push(string);
        rest = after;
    }
    if rest.is_empty() { Ok((strings, crc)) } else { Err("goes on after its strings") }
}

fn with_length(crc: u32, length: u64) -> u32 {
    match u32::try_from(length) {
        Ok(length) => checksum::extend(crc, &length.to_le_bytes()),
        Err(_) => checksum::extend(crc, &length.to_le_bytes()),
    }
}
