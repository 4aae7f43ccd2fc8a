//! One launch that copies many inputs of a `concat` to their places on a device.
//! `Concat` calls it for inputs that lie dense; others are copied one by one.

use super::Concat;
use kernels::backend::cpu::View;
use kernels::backend::cuda::{CudaCall, DIVIDED, Moving, THREADS, grid, moving, unit_of};
use kernels::error::Result;

/// Inputs that one launch copies: what a kernel's parameters hold.
pub(super) const PARTS: usize = 64;
/// Units that a block of the kernel copies.
const EACH: usize = 1024;

static CONCAT: Moving = moving!(
    "concat",
    "#define PARTS 64\n#define EACH 1024\n",
    DIVIDED,
    include_str!("../concat.cuh")
);

impl Concat {
    /// Copies dense inputs, none of them empty, to where they begin along the axis: one launch for all.
    ///
    /// # Safety
    /// As `Op::cuda`, for at most [`PARTS`] inputs.
    pub(super) unsafe fn join(&self, call: &CudaCall<'_>, some: &[(&View, usize)]) -> Result<()> {
        let out = &call.outputs[0];
        let inner = out.dims()[self.axis + 1..].iter().product::<usize>() * out.dtype.size();
        let addresses = some.iter().flat_map(|(v, at)| [v.ptr.addr(), at * inner, v.dims()[self.axis] * inner]);
        let unit = unit_of(addresses.chain([out.ptr.addr(), out.dims()[self.axis] * inner]));
        let (mut words, mut blocks) = ([0i64; 5 * PARTS], 0);
        for (word, (view, at)) in words.chunks_exact_mut(5).zip(some) {
            let count = view.len() * view.dtype.size() / unit;
            let width = view.dims()[self.axis] * inner / unit;
            let all = [view.ptr.addr(), width, at * inner / unit, count, blocks];
            word.iter_mut().zip(all).for_each(|(to, from)| *to = from as i64);
            blocks += count.div_ceil(EACH);
        }
        let (kernel, ty) = CONCAT.of(unit);
        // SAFETY: by the caller's promise; every unit of every input has its own place in the output.
        unsafe {
            call.launch(kernel, &[ty], grid(blocks, THREADS), |arguments| {
                arguments.view(out);
                arguments.size(out.dims()[self.axis] * inner / unit);
                arguments.size(some.len());
                arguments.words(&words);
            })
        }
    }
}
