//! A file of digits, plain or compressed.

#![no_main]

use eagerflow::data::IdxFile;
use eagerflow_fuzz::bounded;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // What is compressed may be a thousand times as long, and is meant to be read whole.
    let size = if bytes.starts_with(&[0x1f, 0x8b]) { bytes.len() * 1032 * 2 } else { bytes.len() };
    bounded(size, || {
        if let Ok(file) = IdxFile::parse(bytes, "file.idx") {
            let elements = file.shape.iter().product::<usize>();
            assert_eq!(file.data.len(), elements * file.dtype.size());
            let shape = file.shape.clone();
            if let Ok(tensor) = file.into_tensor() {
                assert!(tensor.shape().iter().filter_map(|size| size.known_value()).eq(shape));
            }
        }
    });
});
