//! The CUDA side of the ground: devices, their memory, and kernels made from the scalar language or from operations' text.
//! Everything is found at run time: a machine without CUDA builds and runs the same program, which then sees no device.

mod call;
mod capture;
mod doctor;
mod driver;
mod elementwise;
mod faults;
mod fused;
mod gpu;
mod memory;
mod program;
mod reduce;
mod text;

pub(crate) use call::{Arguments, CudaCall, Strided, THREADS, grid};
pub(crate) use capture::{Captured, capture, capturing_on};
pub use doctor::Finding;
pub(crate) use doctor::findings;
pub(crate) use driver::Grid;
pub(crate) use elementwise::{Owner, copy, run as run_program};
pub(crate) use fused::{FoldTo, run_fused};
pub(crate) use gpu::{Buffer, Gpu, count, gpu, in_use};
pub(crate) use memory::Held;
pub(crate) use program::Kernel;
pub(crate) use reduce::reduce;
pub(crate) use text::{Walk, elementwise_kernel};
