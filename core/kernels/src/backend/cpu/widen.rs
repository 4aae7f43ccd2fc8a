//! Kernels on operands that their loops do not know: 16-bit floats are widened into scratch memory and groups of channels laid
//! apart there, and results are put back from it. Operations call it from `work` and `cpu`; GPUs read such operands as they lie.

use super::{CpuCall, View, Work, part};
use crate::dtype::DType;
use crate::error::Result;
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use smallvec::SmallVec;

/// Elements that are converted by one chunk.
const PIECE: usize = 1 << 16;

/// A call whose operands go through scratch memory.
pub struct Staged<'a> {
    call: &'a CpuCall<'a>,
    groups: usize,
    /// Where the room of each operand begins, inputs first, and the bytes of one group; nothing for those that stay.
    rooms: SmallVec<[Option<(usize, usize)>; 6]>,
    /// Bytes of all rooms.
    bytes: usize,
}

impl<'a> Staged<'a> {
    /// The call with groups of the last dimension of every operand; `None` if its operands are what loops know.
    pub fn new(call: &'a CpuCall<'a>, groups: usize) -> Option<Self> {
        let halves = |view: &View| view.dtype.is_floating() && view.dtype.compute() != view.dtype;
        let all = || call.inputs.iter().chain(call.outputs);
        if groups == 1 && !all().any(halves) {
            return None;
        }
        let mut bytes = 0;
        let rooms = all()
            .map(|view| {
                let start = bytes;
                (groups > 1 || halves(view)).then(|| {
                    let room = (view.len() / groups * view.dtype.compute().size()).next_multiple_of(64);
                    bytes += room * groups;
                    (start, room)
                })
            })
            .collect();
        Some(Self { call, groups, rooms, bytes })
    }

    fn operand(&self, i: usize) -> &View {
        self.call.inputs.get(i).unwrap_or_else(|| &self.call.outputs[i - self.call.inputs.len()])
    }

    /// Operand `i` of a group, as loops know it.
    fn staged(&self, i: usize, group: usize) -> View {
        let view = self.operand(i);
        let Some((start, room)) = self.rooms[i] else { return *view };
        let mut dims: SmallVec<[usize; 8]> = view.dims().into();
        if let Some(last) = dims.last_mut() {
            *last /= self.groups;
        }
        let place = self.call.scratch.wrapping_add(start + room * group);
        View::dense(place, view.dtype.compute(), &dims)
    }

    /// Calls `f` with the call of one group, whose own scratch memory has this many bytes.
    fn with<T>(&self, group: usize, scratch: usize, f: impl FnOnce(&CpuCall<'_>) -> T) -> T {
        let inputs = self.call.inputs.len();
        let views: SmallVec<[View; 6]> = (0..self.rooms.len()).map(|i| self.staged(i, group)).collect();
        let scratch = self.call.scratch.wrapping_add(self.bytes + group * scratch);
        f(&CpuCall { inputs: &views[..inputs], outputs: &views[inputs..], scratch, isa: self.call.isa })
    }

    /// Chunks of an operand's way into its room or out of it.
    fn pieces(&self, i: usize) -> usize {
        match self.rooms[i] {
            None => 0,
            Some(_) if self.groups > 1 => self.groups,
            Some(_) => self.operand(i).len().div_ceil(PIECE),
        }
    }

    /// How the work splits, given how that of one group does.
    pub fn work(&self, inner: impl Fn(&CpuCall<'_>) -> Work) -> Work {
        let own = self.with(0, 0, inner);
        debug_assert!(own.phases[3..].iter().all(|&chunks| chunks == 0), "no phases are left for the way in and out");
        let inputs = self.call.inputs.len();
        let count = |range: std::ops::Range<usize>| range.map(|i| self.pieces(i)).sum();
        let [a, b, c, ..] = own.phases.map(|chunks| chunks * self.groups);
        let phases = [count(0..inputs), a, b, c, count(inputs..self.rooms.len())];
        Work { scratch: self.bytes + own.scratch.next_multiple_of(64) * self.groups, phases }
    }

    /// Runs a chunk; `inner` runs those of one group.
    ///
    /// # Safety
    /// As `Op::cpu` for the work that [`Staged::work`] said; operands are dense.
    pub unsafe fn run(
        &self,
        phase: usize,
        chunk: usize,
        work: impl Fn(&CpuCall<'_>) -> Work,
        inner: impl FnOnce(&CpuCall<'_>, usize, usize) -> Result<()>,
    ) -> Result<()> {
        let inputs = self.call.inputs.len();
        if (1..=3).contains(&phase) {
            let own = self.with(0, 0, work);
            let chunks = own.phases[phase - 1].max(1);
            return self
                .with(chunk / chunks, own.scratch.next_multiple_of(64), |call| inner(call, phase - 1, chunk % chunks));
        }
        let (mut i, mut piece) = (if phase == 0 { 0 } else { inputs }, chunk);
        while piece >= self.pieces(i) {
            piece -= self.pieces(i);
            i += 1;
        }
        // SAFETY: by the caller's promise; each chunk has elements of its own.
        unsafe { self.copy(i, piece, phase == 0) };
        Ok(())
    }

    /// Brings a piece of an operand into its room, or back.
    ///
    /// # Safety
    /// As [`Staged::run`].
    unsafe fn copy(&self, i: usize, piece: usize, into: bool) {
        let there = self.operand(i);
        let group = if self.groups > 1 { piece } else { 0 };
        let here = self.staged(i, group);
        let last = there.dims().last().copied().unwrap_or(1);
        let (rows, run, pitch) = match self.groups {
            1 => {
                let own = part(there.len(), piece, self.pieces(i), 1);
                let at = |view: &View| view.ptr.wrapping_add(own.start * view.dtype.size());
                // SAFETY: by the caller's promise.
                return unsafe { convert([&there.at(at(there)), &here.at(at(&here))], own.len(), into) };
            }
            groups => (there.len().checked_div(last).unwrap_or(0), last / groups, last),
        };
        for row in 0..rows {
            let a = there.ptr.wrapping_add((row * pitch + group * run) * there.dtype.size());
            let b = here.ptr.wrapping_add(row * run * here.dtype.size());
            // SAFETY: by the caller's promise; the row lies in both.
            unsafe { convert([&there.at(a), &here.at(b)], run, into) };
        }
    }
}

/// Copies `n` elements from where `there` begins to where `here` does, or back, converted.
///
/// # Safety
/// Both are valid for so many elements, and apart.
unsafe fn convert([there, here]: [&View; 2], n: usize, into: bool) {
    if n == 0 {
        return;
    }
    macro_rules! halves {
        ($t:ty) => {{
            // SAFETY: by the caller's promise.
            let there = unsafe { std::slice::from_raw_parts_mut(there.as_ptr::<$t>(), n) };
            // SAFETY: as above.
            let here = unsafe { std::slice::from_raw_parts_mut(here.as_ptr::<f32>(), n) };
            match into {
                true => there.convert_to_f32_slice(here),
                false => there.convert_from_f32_slice(here),
            }
        }};
    }
    match there.dtype {
        DType::F16 => halves!(f16),
        DType::BF16 => halves!(bf16),
        dtype => {
            let (from, to) = if into { (there.ptr, here.ptr) } else { (here.ptr, there.ptr) };
            // SAFETY: by the caller's promise.
            unsafe { std::ptr::copy_nonoverlapping(from, to, n * dtype.size()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cpu::Isa;

    /// Negates each group's elements through the stage.
    fn negate(call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        assert_eq!((phase, chunk), (0, 0));
        // SAFETY: dense views of floats, of one length.
        unsafe {
            let (x, y) = (call.inputs[0].as_slice::<f32>(), call.outputs[0].as_ptr::<f32>());
            x.iter().enumerate().for_each(|(i, x)| *y.add(i) = -x);
        }
        Ok(())
    }

    #[test]
    fn groups_and_halves_go_there_and_back() {
        for (groups, count) in [(1, 200_000), (2, 24), (3, 24), (12, 24), (1, 0)] {
            let x: Vec<bf16> = (0..count).map(|i| bf16::from_f32((i % 100) as f32)).collect();
            let mut y = vec![bf16::ZERO; count];
            let dims = [count / 12, 12];
            let inputs = [View::dense(x.as_ptr().cast_mut().cast(), DType::BF16, &dims)];
            let outputs = [View::dense(y.as_mut_ptr().cast(), DType::BF16, &dims)];
            let mut call =
                CpuCall { inputs: &inputs, outputs: &outputs, scratch: std::ptr::null_mut(), isa: Isa::current() };
            let serial = |_: &CpuCall<'_>| Work::SERIAL;
            let work = Staged::new(&call, groups).unwrap().work(serial);
            let mut scratch = vec![0u64; work.scratch / 8 + 8];
            call.scratch = scratch.as_mut_ptr().cast();
            for (phase, &chunks) in work.phases.iter().enumerate() {
                for chunk in 0..chunks {
                    // SAFETY: room as the work said.
                    unsafe { Staged::new(&call, groups).unwrap().run(phase, chunk, serial, negate).unwrap() };
                }
            }
            let whole = count / 12 * 12;
            assert!(x[..whole].iter().zip(&y).all(|(x, y)| -x.to_f32() == y.to_f32()), "{groups} {count}");
        }
    }
}
