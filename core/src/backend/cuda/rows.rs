//! Kernels that work row by row on dense rows of the last dimension: a warp for a short row, a block for a long one.
//! Softmax, its logarithm, the cross entropies and their gradients are declared with it beside their operations.

use super::call::{Arguments, CudaCall, THREADS, grid};
use super::program::Kernel;
use crate::dtype::DType;
use crate::error::Result;

/// The longest row that a warp takes.
const SHORT: usize = 512;

/// One text compiled for rows of both lengths.
pub(crate) struct RowKernel {
    pub short: Kernel,
    pub long: Kernel,
}

/// Declares a [`RowKernel`] from the name of the function and the file that holds it.
macro_rules! row_kernel {
    ($name:literal, $file:literal) => {
        $crate::backend::cuda::RowKernel {
            short: $crate::backend::cuda::Kernel {
                name: $name,
                text: concat!(
                    "#define LANES 32\n",
                    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/backend/cuda/rows.cuh")),
                    include_str!($file)
                ),
            },
            long: $crate::backend::cuda::Kernel {
                name: $name,
                text: concat!(
                    "#define LANES 256\n",
                    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/backend/cuda/rows.cuh")),
                    include_str!($file)
                ),
            },
        }
    };
}
pub(crate) use row_kernel;

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
        let (kernel, per_block) = if n <= SHORT { (&kernel.short, THREADS as usize / 32) } else { (&kernel.long, 1) };
        let blocks = rows.div_ceil(per_block).min(self.gpu.multiprocessors() as usize * 32);
        // SAFETY: by the caller's promise.
        unsafe {
            self.launch(kernel, types, grid(blocks, THREADS), |all| {
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
