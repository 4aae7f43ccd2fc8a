//! Files that are right in all types, and every way in which one can be wrong.
//! None may panic or take memory for what a damaged header claims.

use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// The bytes of a file with this header.
fn file(code: u8, dims: &[u32], data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, code, dims.len() as u8];
    dims.iter().for_each(|d| bytes.extend(d.to_be_bytes()));
    bytes.extend(data);
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Small images like the digits: 3 of 4 by 5 pixels.
fn images() -> Vec<u8> {
    file(8, &[3, 4, 5], &(0..60).map(|i| (i * i % 251) as u8).collect::<Vec<_>>())
}

fn parse(bytes: &[u8]) -> Result<IdxFile> {
    IdxFile::parse(bytes, "test.idx")
}

fn same<T: crate::Element>(tensor: &crate::Tensor, values: &[T]) {
    assert_eq!(tensor.to_vec::<T>(), values);
}

#[test]
fn all_types() {
    let check = |code, dtype, on_disk: &[u8], native: &[u8]| {
        let right = IdxFile { dtype, shape: vec![2], data: native.to_vec() };
        let bytes = file(code, &[2], on_disk);
        assert_eq!(parse(&bytes).unwrap(), right);
        assert_eq!(parse(&gzip(&bytes)).unwrap(), right);
    };
    let tensor = |code: u8, data: &[u8]| parse(&file(code, &[2], data)).unwrap().into_tensor().unwrap();
    macro_rules! check {
        ($($code:literal $dtype:ident $values:expr;)*) => {$(
            let values = $values;
            let on_disk: Vec<u8> = values.iter().flat_map(|v| v.to_be_bytes()).collect();
            let native: Vec<u8> = values.iter().flat_map(|v| v.to_ne_bytes()).collect();
            check($code, DType::$dtype, &on_disk, &native);
            same(&tensor($code, &on_disk), &values);
        )*};
    }
    check! {
        0x08 U8 [7u8, 250];
        0x09 I8 [-7i8, 100];
        0x0B I16 [-300i16, 258];
        0x0C I32 [-70_000i32, 16_909_060];
        0x0D F32 [1.5f32, -1.0e-20];
        0x0E F64 [f64::MIN_POSITIVE, -3.25];
    }
}

#[test]
fn shapes() {
    let digits = parse(&images()).unwrap();
    assert_eq!((digits.shape, digits.data.len(), digits.data[59]), (vec![3, 4, 5], 60, (59 * 59 % 251) as u8));
    let empty = parse(&file(8, &[0, 28, 28], &[])).unwrap();
    assert_eq!((empty.shape, empty.data.len()), (vec![0, 28, 28], 0));
    assert_eq!(parse(&file(8, &[1; 8], &[9])).unwrap().shape, [1; 8]);
    let large = parse(&file(8, &[3, 1_000_000], &vec![5; 3_000_000])).unwrap();
    assert!(large.data == vec![5; 3_000_000]);
    // A gzip file may have several members, one after the other.
    let bytes = images();
    assert_eq!(parse(&[gzip(&bytes[..30]), gzip(&bytes[30..])].concat()).unwrap(), parse(&bytes).unwrap());
}

#[test]
fn headers_that_are_wrong() {
    let refused = |bytes: &[u8], words: &[&str]| {
        for bytes in [bytes.to_vec(), gzip(bytes)] {
            let error = parse(&bytes).unwrap_err();
            let text = error.to_string();
            assert!(words.iter().all(|w| text.contains(w)) && text.contains("test.idx"), "{text}");
        }
    };
    refused(b"<html>", &["InvalidArgument", "no IDX file", "0x3c 0x68"]);
    refused(&[0, 1, 8, 1, 0, 0, 0, 0], &["InvalidArgument", "no IDX file"]);
    for code in (0..=255).filter(|c| ![8, 9, 11, 12, 13, 14].contains(c)) {
        refused(&file(code, &[1], &[0; 8]), &["InvalidArgument", "unknown element type", "0x0e (float64)"]);
    }
    refused(&file(8, &[], &[]), &["InvalidArgument", "no dimensions"]);
    refused(&file(8, &[1; 9], &[1]), &["Unimplemented", "rank 9", "rank 1 to 8"]);
    refused(&file(8, &[2], &[1, 2, 3]), &["DataLoss", "after the last element", "2 bytes"]);
    refused(&file(0x0E, &[2], &[0; 15]), &["DataLoss", "15 bytes", "16 bytes", "[2]", "float64"]);
    refused(&[], &["DataLoss", "magic number", "0 bytes", "4 bytes"]);
    refused(&file(8, &[u32::MAX; 8], &[]), &["DataLoss", "address"]);
    refused(&file(0x0E, &[1 << 31, 1 << 31], &[]), &["DataLoss", "address"]);
    // 2^60 bytes can be addressed but not had: the end of the data is found before any of them is asked for.
    refused(&file(8, &[1 << 30, 1 << 30], &[1; 100]), &["DataLoss", "100 bytes", "1152921504606846976 bytes"]);
    refused(&file(8, &[0, u32::MAX], &[1]), &["DataLoss", "after the last element"]);
}

#[test]
fn a_bomb_is_not_unpacked() {
    // The header asks for ten bytes; the megabytes of zeros behind them are never decompressed.
    let bytes = gzip(&file(8, &[10], &vec![0; 50 << 20]));
    assert!(matches!(parse(&bytes), Err(Error::DataLoss(_))));
}

#[test]
fn cut_at_every_byte() {
    let bytes = images();
    for bytes in [gzip(&bytes), bytes] {
        assert!(parse(&bytes).is_ok());
        for end in 0..bytes.len() {
            assert!(matches!(parse(&bytes[..end]), Err(Error::DataLoss(_) | Error::InvalidArgument(_))), "{end}");
        }
    }
}

#[test]
fn every_bit_flipped() {
    let right = parse(&images()).unwrap();
    for (packed, bytes) in [(true, gzip(&images())), (false, images())] {
        for bit in 0..8 * bytes.len() {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            // A flipped pixel or sign is a file like any other; in gzip only fields that say nothing may change.
            if let Ok(file) = parse(&bytes) {
                assert!(!packed || file == right, "bit {bit}");
                assert_eq!(file.data.len(), file.shape.iter().product::<usize>() * file.dtype.size());
            }
        }
    }
}

#[test]
fn files() {
    let folder = std::env::temp_dir().join(format!("eagerflow-idx-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("digits.gz");
    fs::write(&path, gzip(&images())).unwrap();
    assert_eq!(IdxFile::read(&path).unwrap(), parse(&images()).unwrap());
    let error = IdxFile::read(&folder.join("missing")).unwrap_err();
    assert!(matches!(error, Error::NotFound(_)) && error.to_string().contains("missing"), "{error}");
    assert!(IdxFile::read(&folder).is_err());
    fs::remove_dir_all(&folder).unwrap();
}
