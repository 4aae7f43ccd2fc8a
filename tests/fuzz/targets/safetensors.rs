//! A safetensors file: its header and everything that it tells of.

#![no_main]

use eagerflow_formats::safetensors::Safetensors;
use eagerflow_fuzz::{bounded, file};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // The length in front is put right where the header ends in the file.
    let mut bytes = bytes.to_vec();
    if let Some(end) = bytes.iter().rposition(|&byte| byte == b'}').filter(|&end| end >= 8 && bytes[7] == 0) {
        let length = (end as u64 + 1 - 8).to_le_bytes();
        bytes[..8].copy_from_slice(&length);
    }
    let path = file("t.safetensors", &bytes);
    bounded(bytes.len(), || {
        let Ok(file) = Safetensors::open(&path) else { return };
        let mut sum = 0;
        for tensor in file.tensors() {
            let read = file.read_bytes(tensor.name());
            if let Ok(read) = &read {
                assert_eq!(read.len() as u64, tensor.size());
                sum += read.len();
            }
        }
        assert!(sum <= bytes.len(), "tensors do not lie over each other");
    });
});
