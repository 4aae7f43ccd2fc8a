//! The CPU: kernel loops per instruction set, the thread pool, and the views that kernels work on.
//! Operations call these from their `cpu` methods; nothing here allocates tensors or knows an operation.

pub mod adam_step;
pub mod attention;
pub mod conv;
pub mod copy;
pub mod denormals;
pub mod extremes;
pub mod fourier;
pub mod gemm;
pub mod indexed_rows;
mod isa;
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
pub mod jit;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(miri))))]
#[path = "jit/none.rs"]
pub mod jit;
pub mod math;
pub mod merge_dims;
pub mod norm_rows;
pub mod philox;
pub mod pool2d;
pub mod reduce;
pub mod scan;
pub mod simd;
pub mod softmax_columns;
pub mod softmax_rows;
pub mod sort;
pub mod thread_pool;
pub mod tile;
pub mod vector;
mod view;
pub mod widen;

pub use isa::Isa;
pub use view::{CpuCall, PHASES, View, Work, part};
