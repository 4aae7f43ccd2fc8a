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
mod copies;
mod direct;
mod doctor;
mod driver;
mod element;
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
mod session;
mod staging;
mod text;
mod transfer;

/// Whether this thread runs operations for something else than their results: it captures them, or collects their kernels.
pub(crate) fn pretending() -> bool {
    session::capturing() || ahead::collecting()
}

pub(crate) use ahead::collect;
pub(crate) use call::{Arguments, CudaCall, Strided, THREADS, grid};
pub(crate) use capture::{Captured, as_captured, capture, tried};
pub(crate) use compact::{count_set, write_set};
pub(crate) use conditional::{branch, repeat};
pub(crate) use conv::{conv_filter_gradient, conv_forward, conv_input_gradient};
pub(crate) use copies::copy;
pub(crate) use direct::DirectProduct;
pub use doctor::Finding;
pub(crate) use doctor::findings;
pub(crate) use elementwise::{Owner, run as run_program};
pub(crate) use faults::{KEPT, PLACES, SHOWN, Word};
pub(crate) use fused::{FoldTo, run_fused};
pub(crate) use gpu::{Gpu, await_assertions, count, gpu, in_use, is_default};
pub(crate) use many::run_many;
pub(crate) use moves::{Along, Around, Moving, bits_of, copy_to, fill, frame, moving, unit_of, walk};
pub(crate) use product::{Plus, product};
pub(crate) use program::{Kernel, compiled};
pub(crate) use reduce::reduce;
pub(crate) use rows::{RowKernel, row_kernel};
pub(crate) use scan::{Lanes, scan};
pub(crate) use scatter::{Names, Rows, scatter};
pub(crate) use session::{all_on, aside, captured_on, capturing, choice, hold};
#[cfg(test)]
pub(crate) use text::{Walk, elementwise_kernel};
