//! The CPU: kernel loops per instruction set, the team of threads, and the views that kernels work on.
//! Operations call these from their `cpu` methods; nothing here allocates tensors or knows an operation.

pub mod collapse;
pub mod conv;
pub mod copy;
pub mod exponentials;
pub mod gemm;
mod isa;
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
pub mod jit;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(miri))))]
#[path = "jit/none.rs"]
pub mod jit;
pub mod math;
pub mod moments;
pub mod numbered_rows;
pub mod philox;
pub mod pool2d;
pub mod reduce;
pub mod scan;
pub mod staged;
pub mod team;
pub mod tile;
pub mod vector;
mod view;

pub use isa::Isa;
pub use view::{CpuCall, PHASES, View, Work, part};
