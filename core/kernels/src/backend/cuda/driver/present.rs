//! The driver through `cudarc`, whose libraries are looked for at run time: a machine without them only gets errors.
//! Every function asks for a library before its first call, because a missing one would panic inside `cudarc`.

use super::{Address, Answer, Event, Failure, Function, Grid, Opened, Stream, forgets};
use cudarc::driver::{result, sys};
use std::ffi::{CString, c_void};
use std::sync::OnceLock;

/// The answer of a driver call. Only the code is kept: printing `cudarc`'s error would call the driver once more.
pub(super) fn driver<T>(call: &'static str, answer: Result<T, result::DriverError>) -> Answer<T> {
    answer.map_err(|e| Failure { call, said: format!("{:?}", e.0) })
}

/// As [`driver`], for calls that `cudarc` does not wrap.
pub(super) fn raw(call: &'static str, code: sys::CUresult) -> Answer<()> {
    driver(call, code.result())
}

/// Whether the driver's library is there, else why it is not. Asked of the system once.
pub fn present() -> Result<(), String> {
    static THERE: OnceLock<bool> = OnceLock::new();
    // SAFETY: loads the driver's library, whose initialisers are those of a system library, and keeps it.
    if *THERE.get_or_init(|| unsafe {
        sys::is_culib_present() && {
            sys::culib();
            true
        }
    }) {
        return Ok(());
    }
    Err("the driver's library (libcuda.so.1) is not on this machine".into())
}

/// How many devices there are. Only after [`present`].
pub fn device_count() -> Answer<usize> {
    driver("cuInit", result::init())?;
    driver("cuDeviceGetCount", result::device::get_count()).map(|n| n.max(0) as usize)
}

/// Opens device `index`: its primary context, current on this thread, and a stream of its own.
pub fn open(index: usize) -> Answer<Opened> {
    use sys::CUdevice_attribute as Is;
    let device = driver("cuDeviceGet", result::device::get(index as i32))?;
    // SAFETY: a device that the driver has just named; the context is kept until the process ends.
    unsafe {
        let context = driver("cuDevicePrimaryCtxRetain", result::primary_ctx::retain(device))?;
        driver("cuCtxSetCurrent", result::ctx::set_current(context))?;
        let attribute = |which| driver("cuDeviceGetAttribute", result::device::get_attribute(device, which));
        let major = attribute(Is::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(Is::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let multiprocessors = attribute(Is::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let stream = driver("cuStreamCreate", result::stream::create(result::stream::StreamKind::NonBlocking))?;
        Ok(Opened {
            context: context as usize,
            stream: Stream(stream as usize),
            name: driver("cuDeviceGetName", result::device::get_name(device))?,
            capability: (major as u32, minor as u32),
            multiprocessors: multiprocessors.max(1) as u32,
            memory: driver("cuDeviceTotalMem", result::device::total_mem(device))?,
        })
    }
}

/// Makes a context current on this thread.
pub fn set_current(context: usize) -> Answer<()> {
    // SAFETY: a context of `open`, which is never released.
    driver("cuCtxSetCurrent", unsafe { result::ctx::set_current(context as sys::CUcontext) })
}

/// Bytes that are free, and bytes in all, of the current context's device.
pub fn memory_info() -> Answer<(usize, usize)> {
    driver("cuMemGetInfo", result::mem_get_info())
}

/// Memory of the current context's device. It is no part of work that this thread captures, which may need it.
pub fn allocate(bytes: usize) -> Answer<Address> {
    // Without this the driver refuses while the thread captures: the call could have waited for the device.
    let mut mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
    // SAFETY: a mode to exchange, which is put back below; the memory is unset, which the allocator's users expect.
    unsafe {
        raw("cuThreadExchangeStreamCaptureMode", sys::cuThreadExchangeStreamCaptureMode(&raw mut mode))?;
        let memory = driver("cuMemAlloc", result::malloc_sync(bytes));
        raw("cuThreadExchangeStreamCaptureMode", sys::cuThreadExchangeStreamCaptureMode(&raw mut mode))?;
        memory
    }
}

/// # Safety
/// The address came from [`allocate`], and neither host nor queued work uses it any more.
pub unsafe fn free(address: Address) -> Answer<()> {
    // SAFETY: by the caller's promise.
    driver("cuMemFree", unsafe { result::free_sync(address) })
}

/// As [`allocate`], of exactly this size and from the driver's own pool, in the order of the stream.
pub fn allocate_in_order(bytes: usize, stream: Stream) -> Answer<Address> {
    // SAFETY: the memory is unset, which the allocator's users expect; the stream is never destroyed.
    driver("cuMemAllocAsync", unsafe { result::malloc_async(stream.0 as _, bytes) })
}

/// # Safety
/// The address came from [`allocate_in_order`], and what uses it was queued in this stream before.
pub unsafe fn free_in_order(address: Address, stream: Stream) -> Answer<()> {
    // SAFETY: by the caller's promise.
    driver("cuMemFreeAsync", unsafe { result::free_async(address, stream.0 as _) })
}

/// Memory of the host that the device reads and writes without a copy in between.
pub fn allocate_pinned(bytes: usize) -> Answer<*mut u8> {
    // SAFETY: the memory is unset, which its users expect.
    driver("cuMemHostAlloc", unsafe { result::malloc_host(bytes, 0) }).map(<*mut c_void>::cast)
}

/// # Safety
/// Both sides are valid for `bytes` bytes; pinned host memory stays untouched until the stream has come past the copy.
pub unsafe fn copy_to_device(to: Address, from: *const u8, bytes: usize, stream: Stream) -> Answer<()> {
    // SAFETY: by the caller's promise.
    raw("cuMemcpyHtoDAsync", unsafe { sys::cuMemcpyHtoDAsync_v2(to, from.cast(), bytes, stream.0 as _) })
}

/// # Safety
/// As [`copy_to_device`].
pub unsafe fn copy_to_host(to: *mut u8, from: Address, bytes: usize, stream: Stream) -> Answer<()> {
    // SAFETY: by the caller's promise.
    raw("cuMemcpyDtoHAsync", unsafe { sys::cuMemcpyDtoHAsync_v2(to.cast(), from, bytes, stream.0 as _) })
}

/// # Safety
/// Both sides are memory of this device, valid for `bytes` bytes, and do not overlap.
pub unsafe fn copy_within(to: Address, from: Address, bytes: usize, stream: Stream) -> Answer<()> {
    if forgets(stream) {
        return Ok(());
    }
    // SAFETY: by the caller's promise.
    raw("cuMemcpyDtoDAsync", unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes, stream.0 as _) })
}

/// # Safety
/// The memory is valid for `bytes` bytes.
pub unsafe fn set_bytes(to: Address, byte: u8, bytes: usize, stream: Stream) -> Answer<()> {
    if forgets(stream) {
        return Ok(());
    }
    // SAFETY: by the caller's promise.
    raw("cuMemsetD8Async", unsafe { sys::cuMemsetD8Async(to, byte, bytes, stream.0 as _) })
}

/// Waits until the stream has nothing left to do.
pub fn synchronize(stream: Stream) -> Answer<()> {
    // SAFETY: a stream of `open`, which is never destroyed.
    driver("cuStreamSynchronize", unsafe { result::stream::synchronize(stream.0 as _) })
}

/// An event of the current context, for waits alone; it lives until the process ends.
pub fn new_event() -> Answer<Event> {
    let event = driver("cuEventCreate", result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING));
    event.map(|e| Event(e as usize))
}

/// From now on the event stands for what is queued on the stream so far.
pub fn record(event: Event, stream: Stream) -> Answer<()> {
    // SAFETY: an event of `new_event`, and a stream of the same context.
    driver("cuEventRecord", unsafe { result::event::record(event.0 as _, stream.0 as _) })
}

/// Waits until the stream has come past the event.
pub fn await_event(event: Event) -> Answer<()> {
    // SAFETY: an event of `new_event`.
    driver("cuEventSynchronize", unsafe { result::event::synchronize(event.0 as _) })
}

/// The version of CUDA that the driver knows, as (13, 0).
pub fn driver_version() -> Answer<(i32, i32)> {
    let mut version = 0;
    // SAFETY: a number to write to.
    raw("cuDriverGetVersion", unsafe { sys::cuDriverGetVersion(&raw mut version) })?;
    Ok((version / 1000, version % 1000 / 10))
}

/// Loads a binary into the current context; it stays there until the process ends.
pub fn load(binary: &[u8]) -> Answer<usize> {
    // SAFETY: the driver checks what it is given; the bytes outlive the call.
    driver("cuModuleLoadData", unsafe { result::module::load_data(binary.as_ptr().cast()) }).map(|m| m as usize)
}

/// The version from which on a kernel can be brought to the device before it is launched.
const LOADS_KERNELS: (i32, i32) = (12, 4);

/// The kernel `name` of a loaded binary, on the device: left to itself the driver brings it there with the first launch, which
/// may be one that is captured.
pub fn function(module: usize, name: &str) -> Answer<Function> {
    let name = CString::new(name).map_err(|e| Failure { call: "cuModuleGetFunction", said: e.to_string() })?;
    // SAFETY: a module of `load`, which is never unloaded.
    let function = unsafe { result::module::get_function(module as sys::CUmodule, name) };
    let function = driver("cuModuleGetFunction", function)?;
    if driver_version()? >= LOADS_KERNELS {
        // SAFETY: a kernel of that module.
        raw("cuFuncLoad", unsafe { sys::cuFuncLoad(function) })?;
    }
    Ok(Function(function as usize))
}

/// Queues a kernel.
///
/// # Safety
/// The arguments are those that the kernel declares, and what it reads and writes is valid when the stream gets there.
pub unsafe fn launch(function: Function, grid: Grid, stream: Stream, arguments: &mut [*mut c_void]) -> Answer<()> {
    if forgets(stream) {
        return Ok(());
    }
    let ([bx, by, bz], [tx, ty, tz]) = (grid.blocks, grid.threads);
    // SAFETY: by the caller's promise.
    raw("cuLaunchKernel", unsafe {
        sys::cuLaunchKernel(
            function.0 as sys::CUfunction,
            bx,
            by,
            bz,
            tx,
            ty,
            tz,
            grid.shared,
            stream.0 as sys::CUstream,
            arguments.as_mut_ptr(),
            std::ptr::null_mut(),
        )
    })
}
