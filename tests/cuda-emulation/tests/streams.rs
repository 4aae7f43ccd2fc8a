//! Streams and events: laziness, order between streams, polling, timing, the default stream, and several threads of the
//! host at once.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each block calls the driver with handles and addresses of this test, or with wrong ones on purpose"
)]

mod support;

use cudarc::driver::sys::{self, CUevent_flags, CUresult};
use cudarc::driver::{DevicePtr, LaunchConfig, PushKernelArg, result};
use std::sync::atomic::{AtomicUsize, Ordering};

const ADD: &str =
    r#"extern "C" __global__ void add(int* x, int by) { x[threadIdx.x] += by * (int)(threadIdx.x + 1); }"#;

const CONFIG: LaunchConfig = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (64, 1, 1), shared_mem_bytes: 0 };

#[test]
fn events_are_passed_when_work_before_them_has_run() {
    let Some(d) = support::device() else { return };
    let add = d.kernel(ADD, "add");
    let mut x = d.stream.alloc_zeros::<i32>(64).unwrap();
    d.stream.synchronize().unwrap();
    let (before, after) = (
        d.context.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT)).unwrap(),
        d.context.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT)).unwrap(),
    );
    before.record(&d.stream).unwrap();
    unsafe { d.stream.launch_builder(&add).arg(&mut x).arg(&1i32).launch(CONFIG) }.unwrap();
    after.record(&d.stream).unwrap();
    unsafe { d.stream.launch_builder(&add).arg(&mut x).arg(&1i32).launch(CONFIG) }.unwrap();
    assert!(!after.is_complete(), "polling finds it pending first");
    assert!(after.is_complete(), "and passed then");
    assert_eq!(d.emulation.pending_work(), 1, "what comes behind the event still waits");
    assert!(before.elapsed_ms(&after).unwrap() >= 0.0);
    unsafe {
        assert_eq!(sys::cuStreamQuery(d.stream.cu_stream()), CUresult::CUDA_ERROR_NOT_READY);
        assert_eq!(sys::cuStreamQuery(d.stream.cu_stream()), CUresult::CUDA_SUCCESS);
    }
    assert_eq!(d.emulation.launches_by_kernel(), [("add".to_string(), 2)]);
}

#[test]
fn the_default_stream_waits_for_blocking_streams_only() {
    let Some(d) = support::device() else { return };
    unsafe {
        let (mut blocking, mut free) = (std::ptr::null_mut(), std::ptr::null_mut());
        sys::cuStreamCreate(&mut blocking, 0).result().unwrap();
        sys::cuStreamCreate(&mut free, 1).result().unwrap();
        let x = d.stream.alloc_zeros::<u8>(2).unwrap();
        d.stream.synchronize().unwrap();
        let at = x.device_ptr(&d.stream).0;
        result::memset_d8_async(at, 7, 1, blocking).unwrap();
        result::memset_d8_async(at + 1, 7, 1, free).unwrap();
        let mut got = [0u8; 2];
        result::memcpy_dtoh_sync(&mut got, at).unwrap();
        assert_eq!(got, [7, 0], "the copy is in order with the blocking stream only");
        result::stream::synchronize(free).unwrap();
        result::memcpy_dtoh_sync(&mut got, at).unwrap();
        assert_eq!(got, [7, 7]);
        result::stream::destroy(blocking).unwrap();
        result::stream::destroy(free).unwrap();
        assert!(result::stream::synchronize(free).is_err(), "a destroyed stream");
    }
}

#[test]
fn threads_of_the_host_work_side_by_side() {
    let Some(d) = support::device() else { return };
    let add = d.kernel(ADD, "add");
    let good = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for t in 0..4 {
            let (add, good, context) = (&add, &good, &d.context);
            scope.spawn(move || {
                context.bind_to_thread().unwrap();
                let stream = context.new_stream().unwrap();
                for round in 0..20 {
                    let mut x = stream.clone_htod(&[t; 64]).unwrap();
                    for by in 1..=3 {
                        unsafe { stream.launch_builder(add).arg(&mut x).arg(&by).launch(CONFIG) }.unwrap();
                    }
                    let want: Vec<i32> = (0..64).map(|i| t + 6 * (i + 1)).collect();
                    assert_eq!(stream.clone_dtoh(&x).unwrap(), want, "thread {t}, round {round}");
                    good.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(good.into_inner(), 80);
    assert_eq!(d.emulation.counters().launches, 240);
}

#[test]
fn copies_of_rows_have_pitches_and_fills_have_elements() {
    let Some(d) = support::device() else { return };
    let x = d.stream.alloc_zeros::<u16>(24).unwrap();
    let at = x.device_ptr(&d.stream).0;
    let source: Vec<u16> = (0..8).collect();
    unsafe {
        // Four columns of two rows into columns 2.. of a matrix with six columns.
        let copy = sys::CUDA_MEMCPY2D {
            srcXInBytes: 0,
            srcY: 0,
            srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
            srcHost: source.as_ptr().cast(),
            srcDevice: 0,
            srcArray: std::ptr::null_mut(),
            srcPitch: 8,
            dstXInBytes: 4,
            dstY: 1,
            dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE,
            dstHost: std::ptr::null_mut(),
            dstDevice: at,
            dstArray: std::ptr::null_mut(),
            dstPitch: 12,
            WidthInBytes: 8,
            Height: 2,
        };
        sys::cuMemcpy2DAsync_v2(&copy, d.stream.cu_stream()).result().unwrap();
        let outside = sys::CUDA_MEMCPY2D { dstY: 3, ..copy };
        assert_eq!(sys::cuMemcpy2DAsync_v2(&outside, d.stream.cu_stream()), CUresult::CUDA_ERROR_INVALID_VALUE);
        sys::cuMemsetD16Async(at, 0x0102, 2, d.stream.cu_stream()).result().unwrap();
        sys::cuMemsetD32Async(at + 40, 0x0304_0506, 2, d.stream.cu_stream()).result().unwrap();
    }
    let want = [0x102, 0x102, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 4, 5, 6, 7, 0, 0, 0x506, 0x304, 0x506, 0x304];
    assert_eq!(d.stream.clone_dtoh(&x).unwrap(), want);
}
