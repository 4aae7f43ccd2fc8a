//! Kernels that work row by row on dense rows of the last dimension: eight threads, a warp or a block for each.
//! Softmax, its logarithm, the cross entropies and their gradients are declared with it beside their operations.

use super::call::{Arguments, CudaCall, THREADS, grid};
use super::program::Kernel;
use crate::backend::cpu::View;
use crate::dtype::DType;
use crate::error::Result;

/// The threads of a row, and the longest row that so many take.
const LANES: [(usize, usize); 3] = [(8, 128), (32, 512), (THREADS as usize, usize::MAX)];

/// One text compiled for rows of several lengths, whose elements are taken one by one or as many as make 16 bytes at once.
pub(crate) struct RowKernel {
    /// In the order of [`LANES`]; of each first one by one.
    pub kernels: [Kernel; 6],
}

/// Declares a [`RowKernel`] from the name of the function and the file that holds it.
macro_rules! row_kernel {
    ($name:literal, $file:literal) => {
        $crate::backend::cuda::RowKernel {
            kernels: $crate::backend::cuda::row_kernel!(@ $name, $file, "8" "0", "8" "1", "32" "0", "32" "1", "256" "0", "256" "1"),
        }
    };
    (@ $name:literal, $file:literal, $($lanes:literal $at_once:literal),*) => {
        [$($crate::backend::cuda::Kernel {
            name: $name,
            text: concat!(
                "#define LANES ", $lanes, "\n#define AT_ONCE ", $at_once, "\n",
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/backend/cuda/rows.cuh")),
                include_str!($file)
            ),
        }),*]
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
        let way = LANES.iter().position(|&(_, longest)| n <= longest).unwrap_or(LANES.len() - 1);
        let per_block = THREADS as usize / LANES[way].0;
        // All views whose rows are walked have the first type; one number for each row has no need of alignment.
        let each = 16 / types[0].size();
        let aligned = |view: &View| view.dtype != types[0] || view.ptr.addr().is_multiple_of(16);
        let at_once = n.is_multiple_of(each) && self.inputs.iter().chain(self.outputs).all(aligned);
        let kernel = &kernel.kernels[2 * way + usize::from(at_once)];
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
