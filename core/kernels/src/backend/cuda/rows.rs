//! Kernels that work row by row on dense rows of the last dimension: from eight threads to a block of 512 for each.
//! Softmax, its logarithm, the cross entropies and their gradients are declared with it beside their operations.

use super::call::{Arguments, CudaCall, THREADS, grid};
use super::program::Kernel;
use crate::backend::cpu::View;
use crate::dtype::DType;
use crate::error::Result;

/// The threads of a row, and how many 32-bit words of it, as it is computed, each of them keeps in its registers. Enough for the row, so that
/// it is read once, and no more than about twice that, since all of them are computed with; many loads for a thread, so that they are
/// on their way together. Rows that nobody can keep are read again: by large blocks, few of which run at a time, so that the
/// second-level cache still has them. The macro below says the same once more for the texts.
const RUNGS: [(usize, usize); 10] =
    [(8, 4), (8, 8), (8, 16), (16, 16), (32, 16), (32, 32), (64, 32), (128, 32), (256, 32), (512, 16)];

/// One text compiled for rows of several lengths, and for each in three ways of reading them.
pub struct RowKernel {
    /// In the order of [`RUNGS`] and [`Reading`].
    pub kernels: [[Kernel; 3]; RUNGS.len()],
}

/// How a thread takes elements of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reading {
    /// One by one.
    Single,
    /// As many neighbours as make 16 bytes; rows begin and end anywhere in them.
    Neighbours,
    /// The same, and each row is a whole number of them.
    Whole,
}

/// The text that kernels over rows begin with.
pub const ROWS: &str = include_str!("rows.cuh");

/// Declares a [`RowKernel`] from the name of the function and the file that holds it.
#[doc(hidden)]
#[macro_export]
macro_rules! __row_kernel {
    ($name:literal, $file:literal) => {
        $crate::backend::cuda::row_kernel!(@ $name, $file,
            "8" "4" "0", "8" "8" "0", "8" "16" "0", "16" "16" "0", "32" "16" "0", "32" "32" "0", "64" "32" "0", "128" "32" "0",
            "256" "32" "0", "512" "16" "1")
    };
    (@ $name:literal, $file:literal, $($lanes:literal $words:literal $far:literal),*) => {
        $crate::backend::cuda::RowKernel {
            kernels: [$([
                $crate::backend::cuda::row_kernel!(@ $name, $file, $lanes $words $far "0";),
                $crate::backend::cuda::row_kernel!(@ $name, $file, $lanes $words $far "1";),
                $crate::backend::cuda::row_kernel!(@ $name, $file, $lanes $words $far "2";),
            ]),*],
        }
    };
    (@ $name:literal, $file:literal, $lanes:literal $words:literal $far:literal $packed:literal;) => {
        $crate::backend::cuda::Kernel {
            name: $name,
            text: &[
                concat!("#define LANES ", $lanes, "\n#define KEPT_WORDS ", $words, "\n"),
                concat!("#define FAR ", $far, "\n#define PACKED ", $packed, "\n"),
                $crate::backend::cuda::ROWS,
                include_str!($file),
            ],
        }
    };
}
pub use crate::__row_kernel as row_kernel;

/// Bytes of rows that are worth a block's start, where there are more blocks than keep a device busy.
const WORTH_A_BLOCK: usize = 1 << 14;

/// Which of [`RUNGS`] takes rows of `n` elements of a dtype. Where they begin anywhere in 16 bytes they may touch as many more.
fn rung(n: usize, dtype: DType, reading: Reading) -> usize {
    let beside = if reading == Reading::Neighbours { 16 / dtype.size() - 1 } else { 0 };
    let words = n.saturating_add(beside).saturating_mul(dtype.compute().size() / 4);
    RUNGS.iter().position(|(lanes, kept)| words <= lanes * kept).unwrap_or(RUNGS.len() - 1)
}

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
        // All views whose rows are walked have the first type; one number for each row has no need of alignment.
        let aligned = |view: &View| view.dtype != types[0] || view.ptr.addr().is_multiple_of(16);
        let bytes = n.saturating_mul(types[0].size());
        let reading = match self.inputs.iter().chain(self.outputs).all(aligned) {
            false => Reading::Single,
            true if bytes.is_multiple_of(16) => Reading::Whole,
            true => Reading::Neighbours,
        };
        let rung = rung(n, types[0], reading);
        let threads = if RUNGS[rung].0 > 32 { RUNGS[rung].0 as u32 } else { THREADS };
        let per_block = threads as usize / RUNGS[rung].0;
        let busy = (self.gpu.multiprocessors() as usize * 32).max(rows.saturating_mul(bytes) / WORTH_A_BLOCK);
        let blocks = rows.div_ceil(per_block).min(busy);
        let kernel = &kernel.kernels[rung][reading as usize];
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

#[cfg(test)]
mod tests {
    use super::*;

    static KERNEL: RowKernel = row_kernel!("softmax", "rows.cuh");

    #[test]
    fn texts_are_those_of_their_rungs() {
        for (at, ((lanes, kept), of_rung)) in RUNGS.iter().zip(&KERNEL.kernels).enumerate() {
            let far = usize::from(at + 1 == RUNGS.len());
            for (reading, kernel) in of_rung.iter().enumerate() {
                let head = format!(
                    "#define LANES {lanes}\n#define KEPT_WORDS {kept}\n#define FAR {far}\n#define PACKED {reading}\n"
                );
                assert!(kernel.text.concat().starts_with(&head), "{head}");
            }
        }
    }

    #[test]
    fn a_row_and_what_lies_beside_it_are_kept() {
        assert_eq!(rung(0, DType::F32, Reading::Whole), 0);
        assert_eq!(rung(1024, DType::F32, Reading::Whole), 5);
        assert_eq!(rung(1024, DType::F64, Reading::Whole), 6);
        assert_eq!(rung(1021, DType::F32, Reading::Neighbours), 5);
        assert_eq!(rung(1022, DType::F32, Reading::Neighbours), 6);
        assert_eq!(rung(1017, DType::BF16, Reading::Neighbours), 5);
        assert_eq!(rung(1018, DType::BF16, Reading::Neighbours), 6);
        assert_eq!(rung(1025, DType::BF16, Reading::Single), 6);
        assert_eq!(rung(8193, DType::F16, Reading::Single), 9);
        assert_eq!(rung(usize::MAX, DType::F32, Reading::Single), 9);
    }
}
