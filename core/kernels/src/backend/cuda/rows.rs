//! Kernels that work row by row on dense rows of the last dimension: eight threads, a warp, or a block of two sizes for each.
//! Softmax, its logarithm, the cross entropies and their gradients are declared with it beside their operations.

use super::call::{Arguments, CudaCall, THREADS, grid};
use super::program::Kernel;
use crate::backend::cpu::View;
use crate::dtype::DType;
use crate::error::Result;

/// The threads of a row, and the bytes of the longest row, as it is computed, that so many keep in their registers. Rows that
/// nobody can keep are read again: by large blocks, few of which run at a time, so that the second-level cache still has them.
const LANES: [(usize, usize); 4] = [(8, 1 << 9), (32, 1 << 12), (256, 1 << 14), (512, usize::MAX)];

/// One text compiled for rows of several lengths, whose elements are taken one by one or as many as make 16 bytes at once.
pub struct RowKernel {
    /// In the order of [`LANES`]; of each first one by one.
    pub kernels: [Kernel; 8],
}

/// The text that kernels over rows begin with.
pub const ROWS: &str = include_str!("rows.cuh");

/// Declares a [`RowKernel`] from the name of the function and the file that holds it.
#[doc(hidden)]
#[macro_export]
macro_rules! __row_kernel {
    ($name:literal, $file:literal) => {
        $crate::backend::cuda::RowKernel {
            kernels: $crate::backend::cuda::row_kernel!(@ $name, $file, "8" "0", "8" "1", "32" "0", "32" "1", "256" "0", "256" "1", "512" "0", "512" "1"),
        }
    };
    (@ $name:literal, $file:literal, $($lanes:literal $at_once:literal),*) => {
        [$($crate::backend::cuda::Kernel {
            name: $name,
            text: &[
                concat!("#define LANES ", $lanes, "\n#define AT_ONCE ", $at_once, "\n"),
                $crate::backend::cuda::ROWS,
                include_str!($file),
            ],
        }),*]
    };
}
pub use crate::__row_kernel as row_kernel;

impl CudaCall<'_> {
    /// Launches a kernel over `rows` rows of `n` elements, which are its first arguments; `faults` puts the word for faults
    /// and the call's number before them.
    ///
    /// # Safety
    /// The other arguments are those that the kernel declares, and stay inside the views.
    pub unsafe fn rows(
        &self,
        kernel: &'static RowKernel,
        types: &[DType],
        [rows, n]: [usize; 2],
        faults: bool,
        arguments: impl FnOnce(&mut Arguments),
    ) -> Result<()> {
        if rows == 0 {
            return Ok(());
        }
        let bytes = n.saturating_mul(types[0].compute().size());
        let way = LANES.iter().position(|&(_, longest)| bytes <= longest).unwrap_or(LANES.len() - 1);
        let threads = THREADS.max(LANES[way].0 as u32);
        let per_block = threads as usize / LANES[way].0;
        // All views whose rows are walked have the first type; one number for each row has no need of alignment.
        let aligned = |view: &View| view.dtype != types[0] || view.ptr.addr().is_multiple_of(16);
        let at_once = self.inputs.iter().chain(self.outputs).all(aligned);
        let kernel = &kernel.kernels[2 * way + usize::from(at_once)];
        let blocks = rows.div_ceil(per_block).min(self.gpu.multiprocessors() as usize * 32);
        // SAFETY: by the caller's promise.
        unsafe {
            self.launch(kernel, types, grid(blocks, threads), |all| {
                if faults {
                    all.faults(self);
                }
                all.size(rows);
                all.size(n);
                arguments(all);
            })
        }
    }
}
