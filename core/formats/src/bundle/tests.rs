//! Bundles against TensorFlow's own files, and against damage of every kind.

use super::*;
use crate::messages::{DataType, Message, TrackableObjectGraph};
use crate::testing::{Folder, golden};
use std::path::Path;

mod crashes;
mod damage;
mod goldens;
mod pieces;

/// All of a bundle's values, in the order of their places, to be written again.
fn values(bundle: &Bundle) -> Vec<(Stored, Value)> {
    let value = |entry: &Stored| match entry.dtype() {
        DataType::String => Value::Strings(bundle.read_strings(entry.key()).unwrap()),
        _ => Value::Bytes(bundle.read_bytes(entry.key()).unwrap()),
    };
    let mut values: Vec<(Stored, Value)> = bundle.entries().iter().map(|entry| (entry.clone(), value(entry))).collect();
    let place = |entry: &Stored| entry.regions().map(|region| (region.offset, region.size)).next();
    values.sort_by_key(|(entry, _)| place(entry));
    values
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Strings(Vec<Vec<u8>>),
    Bytes(Vec<u8>),
}

fn entries(values: &[(Stored, Value)]) -> Vec<Entry<'_>> {
    values.iter().map(entry).collect()
}

fn entry((stored, value): &(Stored, Value)) -> Entry<'_> {
    let source = match value {
        Value::Strings(strings) => Source::Strings(strings),
        Value::Bytes(bytes) => Source::Bytes(bytes),
    };
    Entry { key: stored.key(), dtype: stored.dtype(), shape: stored.shape().to_vec(), source }
}

/// The two files of a bundle.
fn files_of(prefix: &Path) -> [Vec<u8>; 2] {
    [names::index(prefix), names::data(prefix, 0, 1)].map(|path| std::fs::read(path).unwrap())
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn plain<'a>(key: &'a str, bytes: &'a [u8]) -> Entry<'a> {
    Entry { key, dtype: DataType::Uint8, shape: vec![bytes.len() as u64], source: Source::Bytes(bytes) }
}

const UNSYNCED: Options<'static> = Options { sync: false, threads: 0, storage: &crate::files::Disk };
