//! Numbers in groups of seven bits, the lowest first, as protocol buffers and LevelDB write them.
//! Tables and the lengths of strings in bundles are written so.

/// Appends a number.
pub(crate) fn put_varint(mut number: u64, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Takes a number from the front; `None` if it does not end, or is too large.
pub(crate) fn take_varint(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return None;
        }
        number |= bits << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let mut bytes = Vec::new();
            put_varint(number, &mut bytes);
            for cut in 0..bytes.len() {
                assert_eq!(take_varint(&mut &bytes[..cut]), None);
            }
            bytes.push(9);
            let mut rest = &bytes[..];
            assert_eq!(take_varint(&mut rest), Some(number));
            assert_eq!(rest, [9]);
        }
        let mut too_long: &[u8] = &[0xff; 11];
        assert_eq!(take_varint(&mut too_long), None);
        let mut too_large: &[u8] = &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2];
        assert_eq!(take_varint(&mut too_large), None);
    }
}
