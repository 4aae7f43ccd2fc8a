//! See `readers::object_graph`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| eagerflow_fuzz::readers::object_graph(bytes));
