//! Records come back as they were written, from any place; whatever was cut off or damaged is an error that says where.
//! Memory grows with bytes that are there, not with lengths that are told.

use super::*;
use crate::checksum;
use crate::testing::{Folder, put_file};
use flate2::write::{GzEncoder, ZlibEncoder};
use kernels::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;

const ALL: [Compression; 3] = [Compression::None, Compression::Gzip, Compression::Zlib];

fn packed(bytes: &[u8], compression: Compression) -> Vec<u8> {
    let level = flate2::Compression::default();
    match compression {
        Compression::None => bytes.to_vec(),
        Compression::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), level);
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        Compression::Zlib => {
            let mut encoder = ZlibEncoder::new(Vec::new(), level);
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
    }
}

/// All records up to the end or an error, and the positions in front of each and behind the last.
fn rest(reader: &mut dyn Records) -> (Vec<Vec<u8>>, Vec<Position>, Option<Error>) {
    let (mut records, mut places) = (Vec::new(), vec![reader.position()]);
    loop {
        match reader.next() {
            Ok(Some(record)) => records.push(record.to_vec()),
            Ok(None) => return (records, places, None),
            Err(error) => return (records, places, Some(error)),
        }
        places.push(reader.position());
    }
}

fn some() -> Vec<Vec<u8>> {
    [0, 1, 100, 5, 0, 70_000, 3].iter().map(|&n: &u32| (0..n).map(|i| (i * 7 + n) as u8).collect()).collect()
}

fn write(path: &Path, records: &[Vec<u8>], compression: Compression) {
    let mut writer = RecordWriter::create(path, compression, 6, false).unwrap();
    records.iter().for_each(|record| writer.write(record).unwrap());
    assert_eq!(writer.records(), records.len() as u64);
    writer.finish().unwrap();
}

#[test]
fn records_come_back_from_any_place() {
    let folder = Folder::new();
    let path = folder.join("a");
    for compression in ALL {
        write(&path, &some(), compression);
        for buffer in [1, 100, BUFFER] {
            let open = |from| RecordReader::open(&path, compression, buffer, from).unwrap();
            let (records, places, error) = rest(&mut open(Position::default()));
            assert!(error.is_none() && records == some(), "{compression:?}");
            for (number, place) in places.into_iter().enumerate() {
                assert_eq!(rest(&mut open(place)).0, some()[number..], "{compression:?}");
                assert_eq!(place.record, number as u64);
            }
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn lines_are_tensorflows() {
    let folder = Folder::new();
    let path = folder.join("a");
    // What TensorFlow 2.21 reads of these.
    let all: [(&[u8], &[&str]); 8] = [
        (b"a\rb\r\nc", &["ab", "c"]),
        (b"", &[]),
        (b"\n", &[""]),
        (b"a\n\nb\n", &["a", "", "b"]),
        (b"a\r\r\nb\r", &["a", "b"]),
        (b"\r\n\r", &[""]),
        (b"long and longer\nx", &["long and longer", "x"]),
        (b"\xff\n", &["\u{0}"]),
    ];
    for (bytes, lines) in all {
        for compression in ALL {
            put_file(&path, &packed(bytes, compression));
            let open = |from| LineReader::open(&path, compression, 1, from).unwrap();
            let (records, places, error) = rest(&mut open(Position::default()));
            assert!(error.is_none());
            let expected: Vec<Vec<u8>> = match bytes[..] {
                [0xff, _] => vec![vec![0xff]],
                _ => lines.iter().map(|line| line.as_bytes().to_vec()).collect(),
            };
            assert_eq!(records, expected, "{bytes:?}");
            for (number, place) in places.into_iter().enumerate() {
                assert_eq!(rest(&mut open(place)).0, expected[number..]);
            }
        }
    }
}

#[test]
fn records_of_one_length_lie_between_header_and_footer() {
    let folder = Folder::new();
    let path = folder.join("a");
    let layout = Layout { header: 2, record: 2, footer: 3 };
    for compression in ALL {
        let open = |from| FixedReader::open(&path, compression, 1, layout, from);
        put_file(&path, &packed(b"HHaabbccFFF", compression));
        let (records, places, error) = rest(&mut open(None).unwrap());
        assert!(error.is_none());
        assert_eq!(records, [b"aa", b"bb", b"cc"]);
        for (number, place) in places.into_iter().enumerate() {
            assert_eq!(rest(&mut open(Some(place)).unwrap()).0, [b"aa", b"bb", b"cc"][number..]);
        }
        for wrong in [&b"HHaabbcFFF"[..], b"HHFF", b"H"] {
            put_file(&path, &packed(wrong, compression));
            let error = open(None).and_then(|mut reader| rest(&mut reader).2.map_or(Ok(()), Err)).unwrap_err();
            match compression {
                Compression::None => assert!(matches!(error, Error::InvalidArgument(_)), "{error}"),
                _ => assert!(matches!(error, Error::DataLoss(_)), "{error}"),
            }
            assert!(error.to_string().contains(path.to_str().unwrap()));
        }
        put_file(&path, &packed(b"HHFFF", compression));
        assert!(rest(&mut open(None).unwrap()).0.is_empty());
    }
}

#[test]
fn gzip_members_follow_each_other_and_nothing_else_does() {
    let folder = Folder::new();
    let path = folder.join("a");
    let lines = |compression, bytes: &[u8]| {
        put_file(&path, bytes);
        let (lines, _, error) = rest(&mut LineReader::open(&path, compression, 8, Position::default()).unwrap());
        (lines.len(), error.map(|e| e.to_string()))
    };
    let [one, two] = [b"a\nb", b"c\nd"].map(|text| packed(text, Compression::Gzip));
    assert_eq!(lines(Compression::Gzip, &[one.clone(), two].concat()), (3, None));
    assert_eq!(lines(Compression::Gzip, b""), (0, None));
    let refused = |compression, bytes: &[u8], words: &str| {
        let error = lines(compression, bytes).1.unwrap_or_default();
        assert!(error.starts_with("DataLoss") && error.contains(words), "{error}");
    };
    refused(Compression::Gzip, &[&one[..], b"xyz"].concat(), "gzip stream is");
    refused(Compression::Gzip, b"hello, world, no gzip", "gzip stream is damaged");
    refused(Compression::Gzip, &one[..one.len() - 1], "cut off");
    let zlib = packed(b"a\n", Compression::Zlib);
    refused(Compression::Zlib, &[&zlib[..], b"a"].concat(), "follow the end");
    refused(Compression::Zlib, &zlib[..zlib.len() - 5], "cut off");
}

#[test]
fn what_is_cut_off_is_an_error_behind_whole_records() {
    let folder = Folder::new();
    let path = folder.join("a");
    let records: Vec<Vec<u8>> = vec![b"abc".to_vec(), Vec::new(), b"defgh".to_vec()];
    for compression in ALL {
        write(&path, &records, Compression::None);
        let plain = fs::read(&path).unwrap();
        let whole = packed(&plain, compression);
        let ends = [19, 35, 56];
        for cut in 0..whole.len() {
            put_file(&path, &whole[..cut]);
            let mut reader = RecordReader::open(&path, compression, 16, Position::default()).unwrap();
            let (found, places, error) = rest(&mut reader);
            assert_eq!(found, records[..found.len()]);
            if compression == Compression::None {
                assert_eq!(found.len(), ends.iter().filter(|&&end| end <= cut).count());
                assert_eq!(error.is_none(), cut == 0 || ends.contains(&cut));
            } else {
                assert_eq!(error.is_none(), cut == 0, "{cut}");
            }
            if let Some(error) = error {
                assert!(matches!(error, Error::DataLoss(_)), "{error}");
                let text = error.to_string();
                assert!(text.contains(path.to_str().unwrap()), "{text}");
                if compression == Compression::None {
                    let Position { offset, record, .. } = places[found.len()];
                    assert!(text.contains(&format!("record {record} at byte {offset}")), "{text}");
                }
            }
        }
    }
}

#[test]
fn no_damaged_bit_goes_unnoticed() {
    let folder = Folder::new();
    let path = folder.join("a");
    let records: Vec<Vec<u8>> = vec![b"abc".to_vec(), Vec::new(), b"defgh".to_vec()];
    write(&path, &records, Compression::None);
    let whole = fs::read(&path).unwrap();
    for bit in 0..whole.len() * 8 {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        put_file(&path, &bytes);
        let mut reader = RecordReader::open(&path, Compression::None, 64, Position::default()).unwrap();
        let (found, _, error) = rest(&mut reader);
        let at = [19, 35, 56].iter().filter(|&&end| end <= bit / 8).count();
        assert_eq!(found, records[..at], "bit {bit}");
        assert!(matches!(error, Some(Error::DataLoss(_))), "bit {bit}");
    }
}

#[test]
fn a_length_that_is_not_there_takes_no_memory() {
    let folder = Folder::new();
    let path = folder.join("a");
    for length in [1_u64 << 40, u64::MAX, u64::MAX - 15, 1 << 62] {
        let mut bytes = length.to_le_bytes().to_vec();
        bytes.extend(checksum::mask(checksum::of(&bytes)).to_le_bytes());
        bytes.extend([7; 1000]);
        put_file(&path, &bytes);
        let mut reader = RecordReader::open(&path, Compression::None, 64, Position::default()).unwrap();
        let error = reader.next().unwrap_err().to_string();
        assert!(error.starts_with("DataLoss") && error.contains("record 0 at byte 0"), "{error}");
        assert!(error.contains("got: 1000 bytes"), "{error}");
    }
}

#[test]
fn a_place_behind_the_end_is_an_error() {
    let folder = Folder::new();
    let path = folder.join("a");
    for compression in ALL {
        put_file(&path, &packed(b"abc\n", compression));
        let from = Position { offset: 5, record: 1, line: 0 };
        let error = LineReader::open(&path, compression, 64, from).err().unwrap();
        assert!(matches!(error, Error::DataLoss(_)), "{error}");
    }
    let open = |path: &Path| LineReader::open(path, Compression::None, 64, Position::default()).err().unwrap();
    assert!(matches!(open(folder.path()), Error::FailedPrecondition(_)));
    assert!(matches!(open(&folder.join("none")), Error::NotFound(_)));
}

#[test]
fn a_writer_that_is_dropped_leaves_the_old_file() {
    let folder = Folder::new();
    let path = folder.join("a");
    write(&path, &some(), Compression::None);
    let mut writer = RecordWriter::create(&path, Compression::Zlib, 9, false).unwrap();
    writer.write(b"new").unwrap();
    writer.flush().unwrap();
    drop(writer);
    let mut reader = RecordReader::open(&path, Compression::None, BUFFER, Position::default()).unwrap();
    assert_eq!(rest(&mut reader).0, some());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
