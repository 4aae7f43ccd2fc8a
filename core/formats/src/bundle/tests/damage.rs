//! Every byte of a bundle that is changed or missing is found, or makes no difference; no bytes make the readers panic or take memory.

use super::*;
use crate::checksum::mask;
use crate::messages::{BundleEntryProto, BundleHeaderProto, Dim, Extent, TensorShapeProto, TensorSliceProto};
use crate::table::{self, TableWriter};
use crate::testing::{Random, most_held, mutated, put_file};
use kernels::error::{Error, Result};
use std::path::PathBuf;

/// A folder with a copy of a golden bundle.
fn copy_of(name: &str) -> (Folder, PathBuf, Vec<PathBuf>) {
    let folder = Folder::new();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(golden("")).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_str().unwrap();
        if file.starts_with(&format!("{name}.index")) || names::is_data_of(file, name) {
            std::fs::copy(&path, folder.join(file)).unwrap();
            files.push(folder.join(file));
        }
    }
    files.sort();
    assert!(files.len() >= 2);
    let prefix = folder.join(name);
    (folder, prefix, files)
}

fn read_all(prefix: &Path) -> Result<Vec<Value>> {
    let bundle = Bundle::open(prefix)?;
    let value = |entry: &Stored| match entry.dtype() {
        DataType::String => bundle.read_strings(entry.key()).map(Value::Strings),
        DataType::Variant | DataType::Resource | DataType::Invalid => Ok(Value::Bytes(Vec::new())),
        _ => bundle.read_bytes(entry.key()).map(Value::Bytes),
    };
    bundle.entries().iter().map(value).collect()
}

/// Whether an error is of damage, and names one of the bundle's files.
fn names_a_file(error: &Error, prefix: &Path) -> bool {
    let kind = matches!(
        error,
        Error::DataLoss(_) | Error::Unimplemented(_) | Error::NotFound(_) | Error::ResourceExhausted(_)
    );
    kind && error.to_string().contains(prefix.to_str().unwrap())
}

#[test]
fn every_byte_that_is_changed_or_cut_off_is_found() {
    for name in ["ck-1", "sliced", "sharded"] {
        let (_folder, prefix, files) = copy_of(name);
        let whole = read_all(&prefix).unwrap();
        for file in &files {
            let bytes = std::fs::read(file).unwrap();
            for at in (0..bytes.len()).step_by(if bytes.len() > 1000 { 7 } else { 1 }) {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << (at % 8);
                put_file(file, &damaged);
                match read_all(&prefix) {
                    // Zeros in the footer of the index say nothing.
                    Ok(read) => assert!(read == whole && file.extension().unwrap() == "index", "{file:?} {at}"),
                    Err(error) => assert!(names_a_file(&error, &prefix), "{error}"),
                }
                put_file(file, &bytes[..at]);
                let error = read_all(&prefix).unwrap_err();
                assert!(matches!(error, Error::DataLoss(_)) && names_a_file(&error, &prefix), "{error}");
            }
            put_file(file, &bytes);
        }
        std::fs::remove_file(&files[0]).unwrap();
        let error = Bundle::open(&prefix).unwrap_err();
        assert!(matches!(error, Error::NotFound(_)) && names_a_file(&error, &prefix), "{error}");
    }
}

#[test]
fn a_damaged_value_is_named_and_others_are_read() {
    let (_folder, prefix, files) = copy_of("ck-1");
    let mut bytes = std::fs::read(&files[0]).unwrap();
    // The second value, behind eight bytes.
    bytes[8 + 5] ^= 1;
    std::fs::write(&files[0], &bytes).unwrap();
    let bundle = Bundle::open(&prefix).unwrap();
    let key = "model/w/.ATTRIBUTES/VARIABLE_VALUE";
    bundle.verify(&["model/b/.ATTRIBUTES/VARIABLE_VALUE", "_CHECKPOINTABLE_OBJECT_GRAPH"], 0).unwrap();
    for error in [bundle.verify(&[key], 0).unwrap_err(), bundle.read_bytes(key).unwrap_err()] {
        let text = error.to_string();
        assert!(
            matches!(error, Error::DataLoss(_)) && text.contains(key) && text.contains(".data-00000-of-00001"),
            "{text}"
        );
    }
}

/// Rows of an index, decoded.
fn rows_of(index: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut rows = Vec::new();
    table::read(index, "t", &mut |key, value| {
        rows.push((key.to_vec(), value.to_vec()));
        Ok(())
    })
    .unwrap();
    rows
}

fn index_of(rows: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let mut table = TableWriter::default();
    rows.iter().for_each(|(key, value)| table.add(key, value));
    table.finish()
}

/// The index itself is right here, so that the mutations reach the messages and what is made of them.
#[test]
fn no_messages_make_the_reader_panic_or_take_memory() {
    let mut random = Random(5);
    for name in ["sliced", "sharded", "mixed"] {
        let (_folder, prefix, _) = copy_of(name);
        let rows = rows_of(&std::fs::read(names::index(&prefix)).unwrap());
        let (mut read, mut refused) = (0, 0);
        for _ in 0..1500 {
            let mut rows = rows.clone();
            for _ in 0..1 + random.below(2) {
                let at = random.below(rows.len());
                match random.below(8) {
                    0 if at > 0 => rows[at].0 = mutated(&rows[at].0, &mut random),
                    1 => drop(rows.remove(at)),
                    2 => rows[at].1 = rows[random.below(rows.len())].1.clone(),
                    _ => rows[at].1 = mutated(&rows[at].1, &mut random),
                }
                rows.sort();
                rows.dedup_by(|a, b| a.0 == b.0);
            }
            put_file(&names::index(&prefix), &index_of(&rows));
            let (held, result) = most_held(|| read_all(&prefix));
            assert!(held < 1 << 21, "{held}");
            match result {
                Ok(_) => read += 1,
                Err(error) => {
                    assert!(names_a_file(&error, &prefix), "{error}");
                    refused += 1;
                }
            }
        }
        assert!(read > 20 && refused > 200, "{name}: {read} {refused}");
    }
}

fn shape(sizes: &[i64]) -> Option<TensorShapeProto> {
    let dim = sizes.iter().map(|&size| Dim { size, name: String::new() }).collect();
    Some(TensorShapeProto { dim, unknown_rank: false })
}

/// What [`Bundle::open`] says of an index with these rows behind a header, and 16 bytes of data.
fn opened(header: BundleHeaderProto, rows: &[(&[u8], BundleEntryProto)]) -> Result<Bundle> {
    let folder = Folder::new();
    let prefix = folder.join("lies");
    let mut all = vec![(Vec::new(), header.encode_to_vec())];
    all.extend(rows.iter().map(|(key, row)| (key.to_vec(), row.encode_to_vec())));
    all.sort();
    put_file(&names::index(&prefix), &index_of(&all));
    std::fs::write(names::data(&prefix, 0, 1), [0; 16]).unwrap();
    Bundle::open(&prefix)
}

fn header() -> BundleHeaderProto {
    BundleHeaderProto { num_shards: 1, ..Default::default() }
}

fn row() -> BundleEntryProto {
    BundleEntryProto { dtype: 1, shape: shape(&[2]), size: 8, crc32c: mask(0), ..Default::default() }
}

#[test]
fn an_index_that_lies_is_refused() {
    opened(header(), &[(b"w", row())]).unwrap();
    let slice = |start, length| TensorSliceProto { extent: vec![Extent { start, length }] };
    let sliced = |slices| BundleEntryProto { size: 0, crc32c: 0, slices, ..row() };
    let cases = [
        (BundleEntryProto { size: 7, ..row() }, "size of float32"),
        (BundleEntryProto { size: -8, ..row() }, "negative"),
        (BundleEntryProto { offset: -1, ..row() }, "negative"),
        (BundleEntryProto { offset: 9, ..row() }, "cut off"),
        (BundleEntryProto { offset: i64::MAX, ..row() }, "cut off"),
        (BundleEntryProto { shard_id: 1, ..row() }, "data file 1 of 1"),
        (BundleEntryProto { shard_id: -1, ..row() }, "negative"),
        (BundleEntryProto { dtype: 101, ..row() }, "unknown type 101"),
        (BundleEntryProto { dtype: 7, size: 5, ..row() }, "size of string"),
        (BundleEntryProto { shape: shape(&[-1]), ..row() }, "not known"),
        (BundleEntryProto { shape: Some(TensorShapeProto { dim: vec![], unknown_rank: true }), ..row() }, "not known"),
        (BundleEntryProto { shape: shape(&[1; 300]), ..row() }, "dimensions"),
        (BundleEntryProto { shape: shape(&[i64::MAX, 4]), ..row() }, "impossible shape"),
        (BundleEntryProto { shape: shape(&[1 << 62]), ..row() }, "impossible shape"),
        (sliced(vec![slice(0, None)]), "slices than there are"),
    ];
    for (row, what) in cases {
        let error = opened(header(), &[(b"some/key", row)]).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(what) && text.contains("lies"), "{what}: {text}");
        assert!(text.contains("\"some/key\"") || what == "cut off", "{text}");
    }
    let overlapping = [(&b"v"[..], row()), (b"w", BundleEntryProto { offset: 4, ..row() })];
    assert!(opened(header(), &overlapping).unwrap_err().to_string().contains("where another does"));
    assert!(opened(header(), &[(b"\xff", row())]).unwrap_err().to_string().contains("no text"));
    let part = slices::Slice { extents: vec![slices::Extent { start: 0, length: Some(1) }] };
    let key = ordered::slice_key("w", &part);
    let part = BundleEntryProto { shape: shape(&[1]), size: 4, ..row() };
    for (slices, what) in [
        (vec![slice(0, Some(1))], "make up the whole"),
        (vec![slice(1, Some(1))], "lacks one"),
        (vec![slice(1, Some(2))], "no part"),
        (vec![slice(-1, Some(1))], "no part"),
        (vec![slice(i64::MAX, Some(i64::MAX))], "no part"),
        (vec![TensorSliceProto::default()], "no part"),
    ] {
        let error = opened(header(), &[(b"w", sliced(slices)), (&key, part.clone())]).unwrap_err();
        assert!(matches!(error, Error::DataLoss(_)) && error.to_string().contains(what), "{what}: {error}");
    }
}

/// The product of such sizes is nothing, but not on the way there.
#[test]
fn sizes_beside_a_zero_may_be_large() {
    let extent = |start, length| Extent { start, length: Some(length) };
    let place = [extent(0, 0), extent(1 << 61, 1 << 61), extent(3, 1)];
    let slice = slices::Slice::new(&TensorSliceProto { extent: place.to_vec() });
    let part = BundleEntryProto { shape: shape(&[0, 1 << 61, 1]), size: 0, ..row() };
    let slices = vec![TensorSliceProto { extent: place.to_vec() }];
    let whole = BundleEntryProto { shape: shape(&[0, 1 << 62, 4]), size: 0, crc32c: 0, slices, ..row() };
    let bundle = opened(header(), &[(b"w", whole), (&ordered::slice_key("w", &slice), part)]).unwrap();
    assert!(bundle.read_bytes("w").unwrap().is_empty());
    bundle.verify(&["w"], 1).unwrap();
}

#[test]
fn headers_of_another_kind_are_refused() {
    let version = |min_consumer| Some(crate::messages::VersionDef { min_consumer, ..Default::default() });
    for (header, what) in [
        (BundleHeaderProto { endianness: 1, ..header() }, "big-endian"),
        (BundleHeaderProto { endianness: 2, ..header() }, "endianness 2"),
        (BundleHeaderProto { num_shards: 0, ..header() }, "0 data files"),
        (BundleHeaderProto { num_shards: -1, ..header() }, "-1 data files"),
        (BundleHeaderProto { version: version(2), ..header() }, "newer version"),
    ] {
        let error = opened(header, &[(b"w", row())]).unwrap_err();
        assert!(error.to_string().contains(what) && error.to_string().contains("lies.index"), "{error}");
        assert_eq!(
            matches!(error, Error::Unimplemented(_)),
            what == "big-endian" || what == "newer version",
            "{error}"
        );
    }
    let folder = Folder::new();
    std::fs::write(folder.join("a.index"), index_of(&[(b"w".to_vec(), row().encode_to_vec())])).unwrap();
    assert!(Bundle::open(&folder.join("a")).unwrap_err().to_string().contains("header"));
    std::fs::write(folder.join("a.index"), index_of(&[])).unwrap();
    assert!(Bundle::open(&folder.join("a")).unwrap_err().to_string().contains("no header"));
}

/// Keys that share all of a long one, which a small file holds and memory would not.
#[test]
fn keys_cannot_take_more_memory_than_is_allowed() {
    let folder = Folder::new();
    let long = "k".repeat(100_000);
    let rows: Vec<(Vec<u8>, Vec<u8>)> = (0..1500u32)
        .map(|i| {
            (
                format!("{long}{i:05}").into_bytes(),
                BundleEntryProto { size: 0, shape: shape(&[0]), ..row() }.encode_to_vec(),
            )
        })
        .collect();
    let mut table = TableWriter::default();
    table.add(b"", &header().encode_to_vec());
    rows.iter().for_each(|(key, value)| table.add(key, value));
    let index = table.finish();
    std::fs::write(folder.join("a.index"), &index).unwrap();
    let (held, result) = most_held(|| Bundle::open(&folder.join("a")).map(drop));
    assert!(matches!(result, Err(Error::ResourceExhausted(_))));
    assert!(held < 2 * index.len() + (65 << 20), "{held} of {}", index.len());
}
