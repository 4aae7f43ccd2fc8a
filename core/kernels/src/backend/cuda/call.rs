//! What an operation's CUDA kernel is given, and how it launches: views on the device, arguments, grids.
//! `execute` makes a [`CudaCall`]; `Op::cuda` in each operation's file uses it.

use super::buffers::Buffer;
use super::capture_session;
use super::driver::{Address, Function, Grid};
use super::faults::Site;
use super::gpu::Gpu;
use super::kernel_warm_up;
use super::program::Kernel;
use crate::backend::cpu::View;
use crate::dtype::DType;
use crate::error::Result;
use crate::shape::MAX_RANK;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::panic::Location;
use std::sync::atomic::Ordering;

/// Threads of a block, unless a kernel asks for another number.
pub const THREADS: u32 = 256;
/// Elements that one thread takes before more threads are asked for.
const EACH: usize = 4;
/// Blocks of a grid for each multiprocessor, at most: many more than run at once, so that the last ones to finish do not leave
/// the others idle for long.
const WAVES: usize = 64;

/// One call of an operation on a device. The views' addresses are the device's.
pub struct CudaCall<'a> {
    pub gpu: &'static Gpu,
    pub inputs: &'a [View],
    pub outputs: &'a [View],
    /// A bit for each input that lies in the host's memory, see `Op::takes_from_host`.
    pub on_host: u64,
    pub op: &'static str,
    pub location: &'static Location<'static>,
}

impl CudaCall<'_> {
    /// Launches a kernel whose threads share `count` elements in strides of the grid; the count is its first argument.
    ///
    /// # Safety
    /// The arguments behind the count are those that the kernel declares, and stay inside the views.
    pub unsafe fn elements(
        &self,
        kernel: &'static Kernel,
        types: &[DType],
        count: usize,
        arguments: impl FnOnce(&mut Arguments),
    ) -> Result<()> {
        let function = self.gpu.kernel(kernel, types)?;
        // SAFETY: by the caller's promise.
        unsafe { self.elements_of(function, count, EACH, arguments) }
    }

    /// As [`CudaCall::elements`] for a function that is loaded; `each` elements are worth a thread.
    ///
    /// # Safety
    /// As there.
    pub(super) unsafe fn elements_of(
        &self,
        function: Function,
        count: usize,
        each: usize,
        arguments: impl FnOnce(&mut Arguments),
    ) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        crate::moved::note(|| count);
        let most = self.gpu.multiprocessors() as usize * WAVES;
        let blocks = count.div_ceil(THREADS as usize * each).clamp(1, most) as u32;
        let mut all = Arguments::new();
        all.size(count);
        arguments(&mut all);
        // SAFETY: by the caller's promise.
        unsafe { self.start(function, Grid { blocks: [blocks, 1, 1], threads: [THREADS, 1, 1], shared: 0 }, &mut all) }
    }

    /// Launches a kernel over a grid of its own.
    ///
    /// # Safety
    /// The arguments are those that the kernel declares, and stay inside the views.
    pub unsafe fn launch(
        &self,
        kernel: &'static Kernel,
        types: &[DType],
        grid: Grid,
        arguments: impl FnOnce(&mut Arguments),
    ) -> Result<()> {
        let function = self.gpu.kernel(kernel, types)?;
        let mut all = Arguments::new();
        arguments(&mut all);
        // SAFETY: by the caller's promise.
        unsafe { self.start(function, grid, &mut all) }
    }

    /// # Safety
    /// As [`CudaCall::launch`].
    pub(super) unsafe fn start(&self, function: Function, grid: Grid, arguments: &mut Arguments) -> Result<()> {
        // SAFETY: by the caller's promise.
        unsafe { arguments.launch(self.gpu, self.op, function, grid) }
    }

    /// Memory for the time of this call's kernels.
    pub fn scratch(&self, bytes: usize) -> Result<Buffer> {
        self.gpu.allocate(bytes).map_err(|e| e.in_op(self.op))
    }

    /// Whether the output lies over input `index`, as `Op::overwrites` allows it.
    pub fn lies_over(&self, index: usize) -> bool {
        std::ptr::eq(self.inputs[index].ptr, self.outputs[0].ptr)
    }

    /// Whether input `index` lies in the host's memory.
    pub fn is_here(&self, index: usize) -> bool {
        index < 64 && self.on_host >> index & 1 == 1
    }

    /// The kernels of an assertion were queued: what the host does next must wait for its word.
    pub fn asserted(&self) {
        if capture_session::with_session(|session| session.asserts = true).is_err() && !kernel_warm_up::collecting() {
            self.gpu.asserted[0].fetch_add(1, Ordering::AcqRel);
        }
    }

    /// The place of this call, for kernels that may refuse operands.
    pub fn site(&self) -> Site {
        Site { op: self.op, location: self.location }
    }
}

/// One dimension of threads and blocks.
pub fn grid(blocks: usize, threads: u32) -> Grid {
    Grid { blocks: [blocks.clamp(1, i32::MAX as usize) as u32, 1, 1], threads: [threads, 1, 1], shared: 0 }
}

/// The bytes of a kernel's arguments, each aligned to eight.
pub struct Arguments {
    words: [MaybeUninit<u64>; WORDS],
    used: usize,
    starts: [u16; MOST],
    pub(super) count: usize,
    /// A bit for each argument that is a number of the user's, which may look like an address.
    numbers: u128,
}

/// Words that arguments may take: 4 KiB, which every device takes.
const WORDS: usize = 512;
/// The most arguments of a kernel.
const MOST: usize = 96;

/// Sizes and strides as kernels take them (`struct Strided` of the prelude).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Strided {
    rank: i64,
    dims: [i64; MAX_RANK],
    strides: [i64; MAX_RANK],
}

impl Strided {
    /// Of one element.
    pub const SCALAR: Self = Self { rank: 0, dims: [1; MAX_RANK], strides: [0; MAX_RANK] };

    pub fn new(dims: &[usize], strides: &[isize]) -> Self {
        let mut all = Self { rank: dims.len() as i64, dims: [1; MAX_RANK], strides: [0; MAX_RANK] };
        for (to, &dim) in all.dims.iter_mut().zip(dims) {
            *to = dim as i64;
        }
        for (to, &stride) in all.strides.iter_mut().zip(strides) {
            *to = stride as i64;
        }
        all
    }

    pub fn of(view: &View) -> Self {
        Self::new(view.dims(), view.strides())
    }

    /// Whether every stride is a multiple of so many elements.
    pub(super) fn steps_by(&self, each: usize) -> bool {
        self.strides[..self.rank as usize].iter().all(|stride| stride.unsigned_abs().is_multiple_of(each as u64))
    }

    /// Whether the innermost dimension is made of runs of so many neighbours, to which all other strides lead.
    pub(super) fn has_rows_of(&self, each: usize) -> bool {
        let Some(last) = (self.rank as usize).checked_sub(1) else { return false };
        let outer = Self { rank: self.rank - 1, ..*self };
        self.strides[last] == 1 && self.dims[last].unsigned_abs().is_multiple_of(each as u64) && outer.steps_by(each)
    }
}

impl Arguments {
    pub(super) fn new() -> Self {
        Self { words: [MaybeUninit::uninit(); WORDS], used: 0, starts: [0; MOST], count: 0, numbers: 0 }
    }

    /// A plain value, as it lies in memory.
    pub fn value<T: Copy>(&mut self, value: T) {
        let words = size_of::<T>().div_ceil(8);
        assert!(align_of::<T>() <= 8 && self.used + words <= WORDS && self.count < MOST, "too many kernel arguments");
        if !size_of::<T>().is_multiple_of(8) {
            // Whoever reads the words later reads whole ones.
            self.words[self.used + words - 1].write(0);
        }
        // SAFETY: the words are there, aligned to eight, and a plain value may be written to them.
        unsafe { self.words.as_mut_ptr().add(self.used).cast::<T>().write(value) };
        self.starts[self.count] = self.used as u16;
        self.used += words;
        self.count += 1;
    }

    /// A struct of words.
    pub fn words(&mut self, words: &[i64]) {
        assert!(self.used + words.len() <= WORDS && self.count < MOST, "too many kernel arguments");
        self.starts[self.count] = self.used as u16;
        for &word in words {
            self.words[self.used].write(word as u64);
            self.used += 1;
        }
        self.count += 1;
    }

    /// A number of elements, bytes, rows...: `long long` in the kernel.
    pub fn size(&mut self, size: usize) {
        self.value(size as i64);
    }

    /// Several sizes, one argument each.
    pub fn sizes(&mut self, sizes: &[usize]) {
        sizes.iter().for_each(|&size| self.size(size));
    }

    /// The scalar that a view in the host's memory shows, by value.
    ///
    /// # Safety
    /// The view is valid.
    pub unsafe fn number(&mut self, view: &View) {
        self.numbers |= 1 << self.count;
        // SAFETY: by the caller's promise.
        self.value(unsafe { crate::backend::cpu::vector::load_bits(view.dtype.size(), view.ptr) });
    }

    /// What a sum is divided by; -1 stands for nothing.
    pub fn divisor(&mut self, divisor: Option<usize>) {
        self.value(divisor.map_or(-1, |n| n as i64));
    }

    /// The scalar input `index`, of which there may be none: its bits if it lies in the host's memory, and its address if
    /// it lies on the device (`T number, const T* place` in the kernel, one of them 0).
    ///
    /// # Safety
    /// The call's views are valid.
    pub unsafe fn number_or_place(&mut self, call: &CudaCall<'_>, index: usize) {
        match call.inputs.get(index) {
            // SAFETY: by the caller's promise.
            Some(view) if call.is_here(index) => unsafe { self.number(view) },
            _ => self.value(0u64),
        }
        match call.inputs.get(index) {
            Some(view) if !call.is_here(index) => self.view(view),
            _ => self.value(0u64),
        }
    }

    /// The first element of a view.
    pub fn view(&mut self, view: &View) {
        self.value(view.ptr.addr() as u64);
    }

    /// The first elements of several views, one argument each.
    pub fn views(&mut self, views: &[&View]) {
        views.iter().for_each(|view| self.view(view));
    }

    pub fn address(&mut self, address: Address) {
        self.value(address);
    }

    /// Sizes and strides of a view.
    pub fn strided(&mut self, view: &View) {
        self.value(Strided::of(view));
    }

    /// The word for faults and this call's number in it: `Faults*, unsigned`.
    pub fn faults(&mut self, call: &CudaCall<'_>) {
        self.faults_of(call, call.site().number());
    }

    /// As [`Arguments::faults`], with a number that the caller has.
    pub fn faults_of(&mut self, call: &CudaCall<'_>, site: u32) {
        self.value(call.gpu.faults());
        self.value(site);
    }

    /// Queues a kernel with these arguments.
    ///
    /// # Safety
    /// The arguments are those that the kernel declares, and what it touches is valid in the order of the stream.
    pub(super) unsafe fn launch(&mut self, gpu: &Gpu, op: &str, function: Function, grid: Grid) -> Result<()> {
        let mut pointers = self.pointers();
        // SAFETY: by the caller's promise; the arguments outlive the call, which copies them.
        unsafe { gpu.launch(op, function, grid, &mut pointers[..self.count])? };
        match capture_session::capturing() {
            true => capture_session::note_launch(gpu, function, grid, self),
            false => Ok(()),
        }
    }

    /// The words, where each argument starts, and which words are numbers of the user's.
    pub(super) fn parts(&self) -> (Vec<u64>, Vec<u16>, Vec<u16>) {
        let starts = self.starts[..self.count].to_vec();
        let numbers = starts.iter().enumerate().filter(|(i, _)| self.numbers >> i & 1 == 1).map(|(_, &s)| s).collect();
        // SAFETY: as many words were set aside for arguments; an argument may leave bytes of its last one as they were, which is why
        // they were zeroed.
        let words = self.words[..self.used].iter().map(|word| unsafe { word.assume_init() }).collect();
        (words, starts, numbers)
    }

    fn pointers(&mut self) -> [*mut c_void; MOST] {
        let base = self.words.as_mut_ptr();
        // Behind `count` all point to the start, which nobody reads.
        self.starts.map(|start| base.wrapping_add(start as usize).cast())
    }
}
