//! TensorFlow's ordered code: bytes that sort as what they stand for, in which keys of slices are written.
//! The reader of the index asks for the key under which a slice of a tensor has its entry.

use super::slices::Slice;

/// The key of a slice: `checkpoint::EncodeTensorNameSlice`. It begins with a zero byte, as no other key may.
pub(super) fn slice_key(name: &str, slice: &Slice) -> Vec<u8> {
    let mut key = Vec::with_capacity(name.len() + 8);
    put_number(0, &mut key);
    put_text(name.as_bytes(), &mut key);
    put_number(slice.extents.len() as u64, &mut key);
    for extent in &slice.extents {
        put_signed(extent.start, &mut key);
        put_signed(extent.length.unwrap_or(-1), &mut key);
    }
    key
}

/// How many bytes follow, then the number, the highest byte first.
fn put_number(number: u64, to: &mut Vec<u8>) {
    let bytes = number.to_be_bytes();
    let digits = &bytes[(number.leading_zeros() / 8) as usize..];
    to.push(digits.len() as u8);
    to.extend_from_slice(digits);
}

/// The text with its first and last byte values escaped, and an end that sorts before all of them.
fn put_text(text: &[u8], to: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            0 => to.extend([0, 0xff]),
            0xff => to.extend([0xff, 0]),
            other => to.push(other),
        }
    }
    to.extend([0, 1]);
}

/// A number whose first bits say how many bytes it has: ones for one that is not negative, zeros for one that is.
fn put_signed(number: i64, to: &mut Vec<u8>) {
    let magnitude = if number < 0 { !number } else { number };
    let bits = (u64::BITS - magnitude.leading_zeros()) as usize;
    let length = bits / 7 + 1;
    // Two bytes of sign before the eight of the number: ten are the longest form.
    let sign = if number < 0 { 0xff } else { 0 };
    let mut bytes = [sign; 10];
    bytes[2..].copy_from_slice(&number.to_be_bytes());
    let bytes = &mut bytes[10 - length..];
    // As many ones as there are bytes, from the highest bit on; they turn over the sign's.
    for bit in 0..length {
        bytes[bit / 8] ^= 0x80 >> (bit % 8);
    }
    to.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed(number: i64) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_signed(number, &mut bytes);
        bytes
    }

    #[test]
    fn numbers_have_tensorflows_bytes() {
        assert_eq!(signed(0), [0x80]);
        assert_eq!(signed(-1), [0x7f]);
        assert_eq!(signed(63), [0xbf]);
        assert_eq!(signed(64), [0xc0, 64]);
        assert_eq!(signed(-64), [0x40]);
        assert_eq!(signed(-65), [0x3f, 0xbf]);
        assert_eq!(signed(8191), [0xdf, 0xff]);
        assert_eq!(signed(8192), [0xe0, 0x20, 0]);
        assert_eq!(signed(i64::MAX), [0xff, 0xc0, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
    }

    #[test]
    fn numbers_sort() {
        let mut numbers: Vec<i64> =
            (0..63).flat_map(|bit| [(1 << bit) - 1, 1 << bit, -(1 << bit), -(1 << bit) - 1]).collect();
        numbers.sort();
        numbers.dedup();
        assert!(numbers.windows(2).all(|pair| signed(pair[0]) < signed(pair[1])));
    }

    #[test]
    fn text_is_escaped() {
        let mut bytes = Vec::new();
        put_text(b"a\0b\xff", &mut bytes);
        assert_eq!(bytes, b"a\0\xffb\xff\0\0\x01");
    }
}
