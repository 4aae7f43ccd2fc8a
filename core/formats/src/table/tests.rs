//! The table against itself and against damage; its bytes are compared with TensorFlow's by the tests of bundles.

use super::*;
use crate::checksum;
use crate::testing::{Random, most_held, mutated};
use kernels::error::{Error, Result};

type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

fn table(pairs: &Pairs) -> Vec<u8> {
    let mut table = TableWriter::default();
    pairs.iter().for_each(|(key, value)| table.add(key, value));
    table.finish()
}

fn pairs_in(bytes: &[u8]) -> Result<Pairs> {
    let mut pairs = Pairs::new();
    read(bytes, "t.index", &mut |key, value| {
        pairs.push((key.into(), value.into()));
        Ok(())
    })?;
    Ok(pairs)
}

/// Keys with much and little in common, some of bytes that cannot rise.
fn some_pairs(count: usize, value: usize) -> Pairs {
    let mut random = Random(3);
    let mut pairs = Pairs::new();
    for i in 0..count {
        let mut key = [&b"model/"[..], b"\xff\xff", b""][random.below(3)].to_vec();
        key.extend((0..random.below(12)).map(|_| [0, b'a', b'b', 0xff][random.below(4)]));
        pairs.push((key, vec![i as u8; random.below(value)]));
    }
    pairs.push((Vec::new(), b"first".to_vec()));
    pairs.sort();
    pairs.dedup_by(|a, b| a.0 == b.0);
    pairs
}

#[test]
fn entries_come_back() {
    for (count, value) in [(0, 1), (1, 9), (15, 20), (16, 20), (17, 20), (400, 60), (3000, 2000), (20, 400_000)] {
        let pairs = some_pairs(count, value);
        assert_eq!(pairs_in(&table(&pairs)).unwrap(), pairs, "{count}");
    }
    assert_eq!(pairs_in(&table(&Pairs::new())).unwrap(), Pairs::new());
    let large: Pairs = [("a", 10), ("b", 600_000), ("c", 10)].map(|(key, size)| (key.into(), vec![7; size])).into();
    assert_eq!(pairs_in(&table(&large)).unwrap(), large);
}

#[test]
fn every_byte_counts() {
    let pairs = some_pairs(60, 30);
    let bytes = table(&pairs);
    for at in 0..bytes.len() {
        for bit in [0, 3, 7] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            match pairs_in(&damaged) {
                // The footer's zeros say nothing.
                Ok(read) => assert!(read == pairs && at >= bytes.len() - FOOTER, "byte {at}"),
                Err(error) => assert!(matches!(error, Error::DataLoss(_)) && error.to_string().contains("t.index")),
            }
        }
        assert!(matches!(pairs_in(&bytes[..at]), Err(Error::DataLoss(_))), "{at}");
    }
}

/// Puts right checksums to the one data block of a table that was changed.
fn with_checksum(mut bytes: Vec<u8>, block_end: usize) -> Vec<u8> {
    let crc = checksum::mask(checksum::of(&bytes[..=block_end])).to_le_bytes();
    bytes[block_end + 1..block_end + 5].copy_from_slice(&crc);
    bytes
}

#[test]
fn damage_under_a_right_checksum_is_found_too() {
    let pairs: Pairs = [("a1", "x"), ("a2", "y"), ("b", "z")].map(|(key, value)| (key.into(), value.into())).into();
    let bytes = table(&pairs);
    // Three entries of 6, 5 and 5 bytes, a restart and the number of restarts.
    let end = 16 + 8;
    assert_eq!(pairs_in(&with_checksum(bytes.clone(), end)).unwrap(), pairs);
    let changed = |at: usize, to: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = to;
        pairs_in(&with_checksum(bytes, end))
    };
    for (at, to, what) in [
        (0, 1, "shares more"),
        (1, 200, "longer than the block"),
        (2, 100, "longer than the block"),
        (9, b'1', "not in order"),
        (9, b'0', "not in order"),
        (14, b'c' + 1, "above its own"),
        (20, 200, "shorter than its restarts"),
        (24, 1, "compressed"),
        (24, 9, "unknown type"),
    ] {
        let text = changed(at, to).unwrap_err().to_string();
        assert!(text.contains(what) && text.contains("data block 0"), "{at}: {text}");
    }
    assert!(matches!(changed(24, 1), Err(Error::Unimplemented(_))));
}

#[test]
fn what_takes_the_entries_may_end_it() {
    let bytes = table(&some_pairs(20, 5));
    let mut count = 0;
    let result = read(&bytes, "t", &mut |_, _| {
        count += 1;
        if count == 3 { Err(Error::out_of_range("t", "enough")) } else { Ok(()) }
    });
    assert!(matches!(result, Err(Error::OutOfRange(_))));
    assert_eq!(count, 3);
}

#[test]
fn no_damage_makes_the_reader_panic_or_take_memory() {
    let mut random = Random(4);
    let bytes = table(&some_pairs(50, 20));
    let blocks = blocks_of(&bytes);
    assert_eq!(blocks.len(), 3);
    let (mut whole, mut refused) = (0, 0);
    for round in 0..20_000 {
        let damaged = match round % 4 {
            0 => mutated(&bytes, &mut random),
            _ => changed_under_checksums(&bytes, &blocks, &mut random),
        };
        let (held, result) = most_held(|| read(&damaged, "t", &mut |_, _| Ok(())));
        assert!(held < 3 * damaged.len() + 4096, "{held} bytes for {}", damaged.len());
        match result {
            Ok(()) => whole += 1,
            Err(Error::DataLoss(_) | Error::Unimplemented(_)) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(whole > 1000 && refused > 5000, "{whole} {refused}");
}

/// Changes some bytes and puts the checksums right, so that the changes reach the code behind them.
fn changed_under_checksums(bytes: &[u8], blocks: &[std::ops::Range<usize>], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(3) {
        let at = random.below(bytes.len());
        bytes[at] = [0, 1, 0x7f, 0x80, 0xff, random.next() as u8][random.below(6)];
    }
    for block in blocks {
        let crc = checksum::mask(checksum::of(&bytes[block.clone()]));
        bytes[block.end..block.end + 4].copy_from_slice(&crc.to_le_bytes());
    }
    bytes
}

/// The blocks of a table with their types, found by their checksums.
fn blocks_of(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut blocks = Vec::new();
    let mut start = 0;
    while start < bytes.len() - FOOTER {
        let matches =
            |&end: &usize| bytes[end..end + 4] == checksum::mask(checksum::of(&bytes[start..end])).to_le_bytes();
        let end = (start + 9..bytes.len() - 4).find(matches).expect("a block");
        blocks.push(start..end);
        start = end + 4;
    }
    blocks
}
