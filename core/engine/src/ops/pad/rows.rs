//! The rows that `pad` writes on the CPU: a margin, a dense run of the input, a margin.
//! `Pad` cuts them into chunks and writes each one here.

use super::{Pad, PadMode};
use kernels::backend::cpu::vector::{fill, load_bits};
use kernels::backend::cpu::{CpuCall, View};

/// Bytes of output that one chunk writes, about.
const CHUNK: usize = 128 * 1024;

/// The output as rows: a margin, a dense run of the input, a margin.
pub(super) struct Rows {
    /// The innermost axis with a margin; what lies inside it is copied in one piece.
    axis: usize,
    /// Elements of one index of that axis.
    inner: usize,
    pub count: usize,
}

impl Rows {
    pub fn new(pad: &Pad, call: &CpuCall<'_>) -> Self {
        let (input, out) = (&call.inputs[0], &call.outputs[0]);
        let axis = (0..input.rank()).rposition(|a| pad.margin(a) != (0, 0)).unwrap_or(0);
        let inner = input.dims().iter().skip(axis + 1).product();
        let count = if out.is_empty() { 0 } else { out.dims().iter().take(axis).product() };
        Self { axis, inner, count }
    }

    pub fn chunks(&self, call: &CpuCall<'_>) -> usize {
        let out = &call.outputs[0];
        (out.len() * out.dtype.size()).div_ceil(CHUNK).clamp(1, self.count.max(1))
    }

    /// The row of the input that a row of the output holds, or `None` for a row of constants.
    fn source(&self, pad: &Pad, input: &View, out: &View, row: usize) -> Option<usize> {
        let (mut rest, mut source, mut step) = (row, 0, 1);
        for axis in (0..self.axis).rev() {
            let at = mirrored(rest % out.dims()[axis], pad.margin(axis).0, input.dims()[axis], pad.mode)?;
            source += at * step;
            rest /= out.dims()[axis];
            step *= input.dims()[axis];
        }
        Some(source)
    }

    /// # Safety
    /// The call's views are dense and of the inferred types, and nobody else touches this row.
    pub unsafe fn write(&self, pad: &Pad, call: &CpuCall<'_>, row: usize) {
        let (input, out) = (&call.inputs[0], &call.outputs[0]);
        let bytes = input.dtype.size();
        let size = input.dims().get(self.axis).copied().unwrap_or(1);
        let (before, after) = if input.rank() == 0 { (0, 0) } else { pad.margin(self.axis) };
        let (inner, whole) = (self.inner, (before + size + after) * self.inner);
        // SAFETY: every source index lies inside the input, and the parts of the row follow each other.
        unsafe {
            let to = out.ptr.add(row * whole * bytes);
            let value = call.inputs.get(1).map_or(0, |value| load_bits(bytes, value.ptr));
            let Some(source) = self.source(pad, input, out, row) else {
                return fill(bytes, to, value, whole);
            };
            let from = input.ptr.add(source * size * inner * bytes);
            std::ptr::copy_nonoverlapping(from, to.add(before * inner * bytes), size * inner * bytes);
            for (start, width) in [(0, before), (before + size, after)] {
                if pad.mode == PadMode::Constant {
                    fill(bytes, to.add(start * inner * bytes), value, width * inner);
                    continue;
                }
                for at in start..start + width {
                    if let Some(index) = mirrored(at, before, size, pad.mode) {
                        let from = from.add(index * inner * bytes);
                        std::ptr::copy_nonoverlapping(from, to.add(at * inner * bytes), inner * bytes);
                    }
                }
            }
        }
    }
}

/// The index of the input that index `at` of the output shows; `None` in a margin of constants.
fn mirrored(at: usize, before: usize, size: usize, mode: PadMode) -> Option<usize> {
    let skip = usize::from(mode == PadMode::Reflect);
    match at.checked_sub(before) {
        Some(inside) if inside < size => Some(inside),
        _ if mode == PadMode::Constant => None,
        Some(beyond) => Some(2 * size - 1 - skip - beyond),
        None => Some(before - at - 1 + skip),
    }
}
