//! Damaged files: an IDX file cut off at every place, with every byte changed, of absurd sizes, missing, or no IDX at all.
//! Each is an error that names the file and the caller's line, never a panic.

use crate::refused;
use eagerflow as tf;
use std::path::Path;
use tf::data::IdxFile;

/// A file of 2 × 3 bytes.
const FILE: [u8; 18] = [0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6];

#[test]
fn cut_off_at_every_place() {
    for len in 0..FILE.len() {
        let error = IdxFile::parse(&FILE[..len], "cut.idx").expect_err("a part is no file");
        let text = error.to_string();
        let known = matches!(error, tf::Error::DataLoss(_) | tf::Error::InvalidArgument(_));
        assert!(known && text.contains("cut.idx") && text.contains(file!()), "{len} bytes: {text}");
    }
    assert_eq!(IdxFile::parse(&FILE, "whole.idx").expect("the whole file").shape, [2, 3]);
}

#[test]
fn clear_errors() {
    refused!(IdxFile::parse(&FILE[..15], "short.idx"), DataLoss, "short.idx", ["[2, 3]"]);
    refused!(IdxFile::parse(&[&FILE[..], &[0]].concat(), "long.idx"), DataLoss, "long.idx", ["more bytes"]);
    refused!(IdxFile::parse(b"<!DOCTYPE html>", "page.idx"), InvalidArgument, "page.idx", ["IDX"]);
    let huge = [0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255];
    refused!(IdxFile::parse(&huge, "huge.idx"), DataLoss, "huge.idx", ["4294967295"]);
    let missing = IdxFile::read(Path::new("/nonexistent/digits.idx")).expect_err("it is not there");
    assert!(matches!(missing, tf::Error::NotFound(_)), "{missing}");
    let text = missing.to_string();
    assert!(text.contains("/nonexistent/digits.idx") && text.contains(file!()) && text.contains("help"), "{text}");
}

#[test]
fn any_changed_byte_of_a_compressed_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/data/digits/t10k-labels-idx1-ubyte.gz");
    let whole = std::fs::read(&path).expect("the labels of the test images");
    let want = IdxFile::parse(&whole, "labels").expect("it is whole");
    for at in (0..whole.len()).step_by(3) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        // Some bytes of gzip's header mean nothing; whatever is read then is the very data.
        if let Ok(read) = IdxFile::parse(&bytes, "labels") {
            assert_eq!(read, want, "byte {at} was changed");
        }
        assert!(IdxFile::parse(&whole[..at], "labels").is_err(), "cut off after {at} bytes");
    }
}

#[test]
fn a_file_that_is_a_folder() {
    let error = IdxFile::read(Path::new(env!("CARGO_MANIFEST_DIR"))).expect_err("a folder is no file");
    assert!(error.to_string().contains(env!("CARGO_MANIFEST_DIR")), "{error}");
}
