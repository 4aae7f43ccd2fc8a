//! A bundle: an index whose messages are anything, beside a data file that is anything.

#![no_main]

use eagerflow_formats::bundle::Bundle;
use eagerflow_formats::messages::DataType;
use eagerflow_formats::table::TableWriter;
use eagerflow_fuzz::{bounded, file, pieces, put_right, split};
use libfuzzer_sys::fuzz_target;

/// Keys and messages in a table that is sound.
fn sound_table(bytes: &[u8]) -> Vec<u8> {
    let mut pairs: Vec<(&[u8], &[u8])> = pieces(bytes).chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    pairs.sort();
    pairs.dedup_by_key(|pair| pair.0);
    let mut table = TableWriter::default();
    pairs.into_iter().for_each(|(key, message)| table.add(key, message));
    table.finish()
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    let (index, data) = split(bytes);
    let index = if kind % 2 == 0 {
        sound_table(index)
    } else {
        let mut index = index.to_vec();
        put_right(&mut index);
        index
    };
    let prefix = file("b", &[]);
    file("b.index", &index);
    file("b.data-00000-of-00001", data);
    bounded(index.len() + data.len(), || {
        let Ok(bundle) = Bundle::open(&prefix) else { return };
        for entry in bundle.entries() {
            let verified = bundle.verify(&[entry.key()], 1).is_ok();
            if entry.dtype() == DataType::String {
                let read = bundle.read_strings(entry.key());
                assert!(verified || read.is_err(), "{} was read but not verified", entry.key());
            } else if let Ok(read) = bundle.read_bytes(entry.key()) {
                assert_eq!(read.len() as u64, entry.size());
                assert!(verified, "{} was read but not verified", entry.key());
            }
        }
    });
});
