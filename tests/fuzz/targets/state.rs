//! The text file that tells the newest checkpoint: what is read is written and read back.

#![no_main]

use eagerflow_formats::state::CheckpointState;
use eagerflow_fuzz::bounded;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    bounded(bytes.len(), || {
        if let Ok(state) = CheckpointState::parse(bytes) {
            let again = CheckpointState::parse(state.text().as_bytes()).expect("its own text");
            assert_eq!(format!("{state:?}"), format!("{again:?}"));
        }
    });
});
