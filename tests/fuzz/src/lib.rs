//! What the fuzz targets run: all readers of files, one function each, with a bound on the memory that they take.
//! The test `readers` of this repository runs the same functions on seeded damage.

mod checksums;
mod files;
mod memory;
pub mod readers;
