//! The ground under all operations: loops, threads and text generation for each kind of device.
//! No file here knows an operation by name; operations hand it scalar programs, views and geometries.

pub mod cpu;
pub mod cuda;
pub mod special;
