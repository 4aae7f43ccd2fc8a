//! Captured work: what a stretch of operations queues becomes one graph of the driver's, which is started by one call.
//! Traced functions capture their kernels; buffers that are made meanwhile belong to the capture and stay where they are.

use super::driver::{self, Recorded, Stream};
use super::gpu::Gpu;
use super::memory::Blocks;
use crate::device::DeviceId;
use crate::error::{Error, Result};
use std::cell::{Cell, RefCell};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// The memory of one capture. Blocks that are freed while capturing serve again within it, in the order of the stream.
pub(super) struct Arena {
    pub blocks: Mutex<Blocks>,
    /// The segments' buffers, taken from the device's allocator for as long as the capture lives.
    segments: Mutex<Vec<super::Buffer>>,
}

/// What this thread is doing.
struct Session {
    gpu: &'static Gpu,
    stream: Stream,
    arena: Arc<Arena>,
}

thread_local! {
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
    static REHEARSED: Cell<Option<DeviceId>> = const { Cell::new(None) };
}

/// The stream and the memory of the capture under way on this thread, for this device.
pub(super) fn under_way(gpu: &Gpu) -> Option<(Stream, Arc<Arena>)> {
    SESSION.with_borrow(|session| {
        session.as_ref().filter(|s| std::ptr::eq(s.gpu, gpu)).map(|s| (s.stream, s.arena.clone()))
    })
}

/// Whether this thread captures: then nothing may wait for a device or read from it.
pub(crate) fn capturing() -> bool {
    SESSION.with_borrow(Option::is_some)
}

/// The device on which everything belongs while this thread captures, or rehearses it.
pub(crate) fn all_on() -> Option<DeviceId> {
    SESSION.with_borrow(|session| session.as_ref().map(|s| s.gpu.id)).or_else(|| REHEARSED.get())
}

/// Runs `work` with everything placed as it will be when it is captured: kernels that only captured work needs are compiled
/// then, which cannot be done while capturing.
pub(crate) fn rehearse<T>(gpu: &'static Gpu, work: impl FnOnce() -> T) -> T {
    struct End(Option<DeviceId>);
    impl Drop for End {
        fn drop(&mut self) {
            REHEARSED.set(self.0);
        }
    }
    let _end = End(REHEARSED.replace(Some(gpu.id)));
    work()
}

/// A graph of the driver's, with the memory that its kernels use.
pub(crate) struct Captured {
    gpu: &'static Gpu,
    recorded: Recorded,
    asserts: bool,
    _arena: Arc<Arena>,
}

impl Captured {
    /// Queues all captured work.
    pub fn start(&self) -> Result<()> {
        self.gpu.bind()?;
        if self.asserts {
            self.gpu.asserted.store(true, Ordering::Relaxed);
        }
        // SAFETY: the arena lives as long as this does; whoever captured keeps the other addresses valid.
        unsafe { driver::start(self.recorded, self.gpu.stream()) }.map_err(|e| self.gpu.failed("graph", &e))
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        // Work of the graph may still be under way; only then may its memory go.
        let _ = self.gpu.bind().and_then(|()| self.gpu.synchronize_quietly());
        // SAFETY: nobody starts it again.
        let _ = unsafe { driver::destroy(self.recorded) };
    }
}

impl Arena {
    /// A block of at least `size` bytes, as [`super::memory::rounded`] gives them.
    pub fn take(&self, gpu: &'static Gpu, size: usize) -> Result<u64> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(address) = blocks.take(size) {
            return Ok(address);
        }
        let segment = super::memory::segment_for(size);
        let buffer = gpu.allocate_outside(segment)?;
        blocks.add_segment(buffer.address(), segment, segment == super::memory::segment_for(0));
        self.segments.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
        blocks.take(size).ok_or_else(|| Error::internal("device", "a fresh segment does not hold what it was made for"))
    }
}

/// Runs `work`, whose operations are queued on one GPU, into a graph instead of the device.
///
/// # Errors
/// Those of the work; a wait or a read of elements while capturing is one.
pub(crate) fn capture<T>(gpu: &'static Gpu, work: impl FnOnce() -> Result<T>) -> Result<(T, Captured)> {
    gpu.bind()?;
    let failed = |e: driver::Failure| gpu.failed("graph", &e);
    let stream = driver::new_stream().map_err(failed)?;
    let arena = Arc::new(Arena { blocks: Mutex::default(), segments: Mutex::default() });
    if let Err(e) = driver::begin_capture(stream) {
        let _ = driver::destroy_stream(stream);
        return Err(failed(e));
    }
    SESSION.set(Some(Session { gpu, stream, arena: arena.clone() }));
    /// Ends the session also when the work panics.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            SESSION.set(None);
        }
    }
    let end = End;
    let result = work();
    drop(end);
    let recorded = driver::end_capture(stream);
    let _ = driver::destroy_stream(stream);
    let value = result?;
    let recorded = recorded.map_err(failed)?;
    // Nobody has waited since an assertion of the work was queued.
    let asserts = gpu.asserted.load(Ordering::Relaxed);
    Ok((value, Captured { gpu, recorded, asserts, _arena: arena }))
}
