//! The CUDA side of the ground: devices, their memory, and kernels made from the scalar language or from operations' text.
//! Everything is found at run time: a machine without CUDA builds and runs the same program, which then sees no device.

mod ahead;
mod arena;
mod buffers;
mod call;
mod capture;
mod compact;
mod conditional;
mod conv;
mod direct;
mod doctor;
mod driver;
mod elementwise;
mod faults;
mod fused;
mod gpu;
mod joined;
mod kept;
mod library;
mod many;
mod memory;
mod moves;
mod packs;
mod patches;
mod product;
mod program;
mod progress;
mod reduce;
mod rows;
mod scan;
mod scatter;
mod text;
mod transfer;

pub(crate) use ahead::collect;
pub(crate) use call::{Arguments, CudaCall, Strided, THREADS, grid};
pub(crate) use capture::{Captured, all_on, as_captured, aside, capture, captured_on, capturing, choice, tried};
pub(crate) use compact::{count_set, write_set};
pub(crate) use conditional::{branch, repeat};
pub(crate) use conv::{conv_filter_gradient, conv_forward, conv_input_gradient};
pub(crate) use direct::DirectProduct;
pub use doctor::Finding;
pub(crate) use doctor::findings;
pub(crate) use elementwise::{Owner, copy, run as run_program};
pub(crate) use faults::{KEPT, PLACES, SHOWN, Word};
pub(crate) use fused::{FoldTo, run_fused};
pub(crate) use gpu::{Gpu, await_assertions, count, gpu, in_use};
pub(crate) use many::run_many;
pub(crate) use moves::{Along, Around, Moving, bits_of, copy_to, fill, frame, moving, unit_of, walk};
pub(crate) use product::{Plus, product};
pub(crate) use program::{Kernel, compiled};
pub(crate) use reduce::reduce;
pub(crate) use rows::{RowKernel, row_kernel};
pub(crate) use scan::{Lanes, scan};
pub(crate) use scatter::{Names, Rows, scatter};
#[cfg(test)]
pub(crate) use text::{Walk, elementwise_kernel};
