//! The gradients of scale and offset of normalised rows on a device: sums of columns, in parts that a second kernel adds up.
//! `rows.rs` launches them behind the gradient of the rows.

use super::rows::Form;
use crate::ops::normalise::rows_of;
use kernels::backend::cuda::{CudaCall, Kernel, THREADS, grid};
use kernels::error::Result;

const TEXT: &[&str] = &[include_str!("norm_columns.cuh")];
static COLUMNS: Kernel = Kernel { name: "normalize_rows_columns", text: TEXT };
static PARTS: Kernel = Kernel { name: "normalize_rows_parts", text: TEXT };

/// Threads side by side: with numbers of 32 bits they read whole lines of memory.
const ACROSS: usize = 32;
/// Blocks for each multiprocessor, and the least rows that a thread of one should have.
const BLOCKS: usize = 4;
const ROWS: usize = 8;

/// How rows are cut for so many blocks that the device runs at once: columns in pieces, rows of a part, and parts.
fn cut(busy: usize, rows: usize, columns: usize) -> [usize; 3] {
    let pieces = columns.div_ceil(ACROSS).max(1);
    let parts = (busy / pieces).clamp(1, rows.div_ceil(ROWS * THREADS as usize / ACROSS).max(1));
    let part = rows.div_ceil(parts).max(1);
    [pieces, part, rows.div_ceil(part).max(1)]
}

/// Writes the gradients that the form asks for behind the first result. Inputs are rows, means, roots and the cotangent of the results.
///
/// # Safety
/// Dense tensors of the operation's shapes, valid on the call's device in the order of its stream.
pub(super) unsafe fn sums(call: &CudaCall<'_>, form: Form) -> Result<()> {
    let dx = &call.outputs[0];
    let (count, n) = rows_of(dx);
    if n == 0 {
        return Ok(());
    }
    let [pieces, part, parts] = cut(call.gpu.multiprocessors() as usize * BLOCKS, count, n);
    let sums = call.scratch(2 * parts * n * dx.dtype.compute().size())?;
    // SAFETY: by the caller's promise; two sums of each column and part lie in scratch memory of that size.
    unsafe {
        call.launch(&COLUMNS, &[dx.dtype], grid(pieces * parts, THREADS), |to| {
            to.sizes(&[n, count, part]);
            to.value(ACROSS as i32);
            to.views(&[0, 1, 2, 3].map(|i| &call.inputs[i]));
            to.address(sums.address());
        })?;
        call.launch(&PARTS, &[dx.dtype], grid(pieces, THREADS), |to| {
            to.sizes(&[n, parts]);
            to.value(ACROSS as i32);
            to.address(sums.address());
            let (scaled, shifted) = (form.scaled, form.shifted);
            to.address(if scaled { call.outputs[1].ptr.addr() as u64 } else { 0 });
            to.address(if shifted { call.outputs[1 + usize::from(scaled)].ptr.addr() as u64 } else { 0 });
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_hold_all_rows_and_fill_the_device() {
        for rows in [0, 1, 63, 64, 65, 2048, 100_000] {
            for columns in [1, 31, 33, 768, 50_000] {
                let [pieces, part, parts] = cut(528, rows, columns);
                assert!(part * parts >= rows && (parts - 1) * part < rows.max(1), "{rows} {columns}");
                assert!(pieces * ACROSS >= columns);
            }
        }
        assert_eq!(cut(528, 100_000, 128), [4, 758, 132]);
        assert_eq!(cut(528, 2048, 128), [4, 64, 32]);
    }
}
