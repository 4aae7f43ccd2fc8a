//! The elements of a tensor on a GPU that are not zero: how many there are, and their indices in row-major order.
//! `where_indices` calls it, whose type rule has to know the number before there can be a result.

use super::buffers::Buffer;
use super::call::{CudaCall, Strided, THREADS, grid};
use super::program::Kernel;
use super::scatter::starts;
use crate::backend::cpu::View;
use crate::backend::cpu::merge_dims::collapse;
use crate::error::Result;
use smallvec::SmallVec;

const TEXT: &str = concat!(include_str!("divided.cuh"), include_str!("before.cuh"), include_str!("nonzero.cuh"));
static COUNT_SET: Kernel = Kernel { name: "count_set", text: &[TEXT] };
static WRITE_SET: Kernel = Kernel { name: "write_set", text: &[TEXT] };

/// Elements of a block, as the kernels have it.
const SHARE: usize = 4096;

/// How the kernels walk a view: as few dimensions as it takes.
fn layout(view: &View) -> Strided {
    let space = collapse(view.dims(), 1, |_, axis| view.strides()[axis], |_, _| true);
    let strides: SmallVec<[isize; 8]> = (0..space.dims.len()).map(|axis| space.stride(axis, 0)).collect();
    Strided::new(&space.dims, &strides)
}

/// Where the indices of each share begin, and behind the last how many there are.
///
/// # Safety
/// The view is valid on the call's device in the order of its stream, and not empty.
unsafe fn begins(call: &CudaCall<'_>, from: &View) -> Result<Buffer> {
    let shares = from.len().div_ceil(SHARE);
    let counts = call.scratch((shares + 1) * 8)?;
    // SAFETY: by the caller's promise; a word for each share and one more.
    unsafe {
        call.launch(&COUNT_SET, &[from.dtype], grid(shares, THREADS), |arguments| {
            arguments.view(from);
            arguments.value(layout(from));
            arguments.address(counts.address());
            arguments.size(from.len());
        })?;
        starts(call, counts.address(), shares)?;
    }
    Ok(counts)
}

/// How many elements are not zero: waits for the device, and reads this one number.
///
/// # Safety
/// The view is valid on the call's device in the order of its stream.
pub unsafe fn count_set(call: &CudaCall<'_>, from: &View) -> Result<usize> {
    if from.is_empty() {
        return Ok(0);
    }
    let mut count = 0u64;
    // SAFETY: by the caller's promise; the total stands behind the shares.
    unsafe {
        let counts = begins(call, from)?;
        let total = counts.address() + (from.len().div_ceil(SHARE) * 8) as u64;
        call.gpu.download((&raw mut count).cast(), total, 8)?;
    }
    Ok(count as usize)
}

/// Writes the index of each element that is not zero as a row of the output, as many as it has room for.
///
/// # Safety
/// As [`count_set`]; the output is a dense matrix of `int64` with a column for each dimension.
pub unsafe fn write_set(call: &CudaCall<'_>, from: &View, to: &View) -> Result<()> {
    if to.is_empty() {
        return Ok(());
    }
    // SAFETY: by the caller's promise.
    unsafe {
        let begins = begins(call, from)?;
        call.launch(&WRITE_SET, &[from.dtype], grid(from.len().div_ceil(SHARE), THREADS), |arguments| {
            arguments.view(from);
            arguments.value(layout(from));
            arguments.address(begins.address());
            arguments.size(from.len());
            arguments.strided(&View::dense(from.ptr, from.dtype, from.dims()));
            arguments.view(to);
            arguments.size(to.dims()[0]);
        })
    }
}
