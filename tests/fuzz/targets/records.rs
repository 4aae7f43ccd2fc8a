//! See `readers::records`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| eagerflow_fuzz::readers::records(bytes));
