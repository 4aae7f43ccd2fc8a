//! Programs that users may write: each file must compile, some without a single warning, and its test runs what it holds.
//! One crate beside `ui`, which checks what is refused: so that test builds no code and asks the compiler once for all its files.

#![allow(clippy::all, reason = "the programs are written as they are to be tested, not as they are prettiest")]

mod branches;
mod closures;
mod custom_gradient;
mod effects;
mod flags;
mod host;
mod loops;
mod methods;
mod modules;
mod moves;
mod operators;
mod reexport;
mod state;
mod syntax;
mod values;
mod whole_programs;
