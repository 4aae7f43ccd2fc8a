//! Compiles every file of `fail/` and `pass/`: what the macros refuse says so at the user's tokens, the rest compiles.
//! The expected messages are those of the toolchain in `rust-version`'s series; after a change run with
//! `TRYBUILD=overwrite` and read the difference.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("fail/*.rs");
    cases.pass("pass/*.rs");
}
