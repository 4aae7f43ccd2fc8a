//! Compiles every file of `fail/`: what the macros refuse says so at the user's tokens. Programs that compile are those of `programs`:
//! one of them here, and all files would be built one by one. After a change of messages run with `TRYBUILD=overwrite` and read the difference.

#[test]
fn ui() {
    trybuild::TestCases::new().compile_fail("fail/*.rs");
}
