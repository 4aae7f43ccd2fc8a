//! The index of a bundle as a table: blocks, restarts, keys and handles, with right checksums.

#![no_main]

use eagerflow_formats::table;
use eagerflow_fuzz::{bounded, put_right};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    put_right(&mut bytes);
    bounded(bytes.len(), || {
        let mut last: Option<Vec<u8>> = None;
        let _ = table::read(&bytes, "index", &mut |key, _| {
            assert!(last.as_deref().is_none_or(|last| last < key), "keys are in order");
            last = Some(key.to_vec());
            Ok(())
        });
    });
});
