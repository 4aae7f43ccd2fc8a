//! The CPU: kernel loops per instruction set, the team of threads, and the views that kernels work on.
//! Operations call these from their `cpu` methods; nothing here allocates tensors or knows an operation.

pub(crate) mod collapse;
pub(crate) mod conv;
pub(crate) mod copy;
pub(crate) mod exponentials;
pub(crate) mod gemm;
mod isa;
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
pub(crate) mod jit;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(miri))))]
#[path = "jit/none.rs"]
pub(crate) mod jit;
pub(crate) mod math;
pub(crate) mod moments;
pub(crate) mod numbered_rows;
pub(crate) mod philox;
pub(crate) mod pool2d;
pub(crate) mod reduce;
pub(crate) mod scan;
pub(crate) mod staged;
pub(crate) mod team;
pub(crate) mod tile;
pub(crate) mod vector;
mod view;

pub use isa::Isa;
pub(crate) use view::{CpuCall, PHASES, View, Work, part};
