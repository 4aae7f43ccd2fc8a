//! CRC-32C as TensorFlow and LevelDB keep it: masked, so that a checksum of bytes that hold checksums is still a good one.
//! Tables, bundles and records ask here; what is summed in parts by several threads is put together by [`combine`].

use crc_fast::{CrcAlgorithm, Digest};

/// What the mask adds: LevelDB's constant.
const DELTA: u32 = 0xa282_ead8;

/// The CRC-32C of some bytes, not masked.
///
/// ```
/// assert_eq!(eagerflow_formats::checksum::of(b"123456789"), 0xe306_9283);
/// ```
pub fn of(bytes: &[u8]) -> u32 {
    crc_fast::crc32_iscsi(bytes)
}

/// The CRC-32C of what `crc` is of, followed by `bytes`.
pub fn extend(crc: u32, bytes: &[u8]) -> u32 {
    let mut digest = Digest::new_with_init_state(CrcAlgorithm::Crc32Iscsi, u64::from(!crc));
    digest.update(bytes);
    digest.finalize() as u32
}

/// The CRC-32C of two parts, from those of each and the length of the second.
///
/// ```
/// use eagerflow_formats::checksum::{combine, of};
/// assert_eq!(combine(of(b"1234"), of(b"56789"), 5), of(b"123456789"));
/// ```
pub fn combine(first: u32, second: u32, second_len: usize) -> u32 {
    multiply(first, power_of_bytes(second_len)) ^ second
}

/// The polynomial of CRC-32C without its highest term; as in all numbers here, the highest bit is that of the lowest power.
const POLYNOMIAL: u32 = 0x82f6_3b78;

/// The product of two polynomials over GF(2), modulo that of the CRC.
fn multiply(a: u32, mut b: u32) -> u32 {
    let mut product = 0;
    for power in 0..32 {
        // Without branches, which no processor could foresee.
        product ^= b & 0u32.wrapping_sub(a >> (31 - power) & 1);
        b = (b >> 1) ^ (POLYNOMIAL & 0u32.wrapping_sub(b & 1));
    }
    product
}

/// What so many bytes behind others multiply their checksum by: x to the power of the number of bits. By squares: a
/// microsecond for a mebibyte, where squares of matrices of bits take 33 (Zen 3).
fn power_of_bytes(mut bytes: usize) -> u32 {
    let (mut power, mut square) = (1 << 31, 1 << 23);
    while bytes > 0 {
        if bytes & 1 == 1 {
            power = multiply(power, square);
        }
        square = multiply(square, square);
        bytes >>= 1;
    }
    power
}

/// The form in which files hold a CRC.
pub fn mask(crc: u32) -> u32 {
    crc.rotate_right(15).wrapping_add(DELTA)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crc_fast::checksum_combine;

    #[test]
    fn masks_are_leveldbs() {
        // LevelDB's own test: of "foo", and of the masked once more.
        let crc = of(b"foo");
        assert_ne!(mask(crc), crc);
        assert_eq!(mask(0), 0xa282_ead8);
        assert_eq!(mask(mask(crc)).wrapping_sub(DELTA).rotate_left(15), mask(crc));
    }

    #[test]
    fn parts_of_any_length_combine() {
        let bytes: Vec<u8> = (0..5000u32).map(|i| (i * 7 % 251) as u8).collect();
        for cut in [0, 1, 7, 8, 4095, 4999, 5000] {
            let (a, b) = bytes.split_at(cut);
            assert_eq!(combine(of(a), of(b), b.len()), of(&bytes), "{cut}");
            assert_eq!(extend(of(a), b), of(&bytes), "{cut}");
        }
        for length in [1, 2, 3, 4096, 1 << 20, (1 << 20) + 7, 123_456_789, (1 << 40) + 1] {
            let (a, b) = (of(&bytes[..length % 4999]), of(b"behind"));
            let joined = checksum_combine(CrcAlgorithm::Crc32Iscsi, a.into(), b.into(), length as u64);
            assert_eq!(u64::from(combine(a, b, length)), joined, "{length}");
        }
    }

    #[test]
    fn every_length_and_place_is_summed_as_by_single_bits() {
        fn by_bits(bytes: &[u8]) -> u32 {
            let add = |crc: u32, byte: &u8| {
                (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (POLYNOMIAL & 0u32.wrapping_sub(crc & 1)))
            };
            !bytes.iter().fold(!0, add)
        }
        let bytes: Vec<u8> = (0..70_000u32).map(|i| ((i * 31 % 253) ^ (i >> 8)) as u8).collect();
        let lengths = (0..600).chain([1023, 1024, 4097, 16_383, 65_537]);
        for length in lengths {
            for place in [0, 1, 3, 8, 31] {
                let part = &bytes[place..place + length];
                assert_eq!(of(part), by_bits(part), "{length} bytes from {place}");
                assert_eq!(
                    extend(of(&bytes[..place]), part),
                    by_bits(&bytes[..place + length]),
                    "{length} after {place}"
                );
            }
        }
    }
}
