//! Planted bugs, each of which the emulation must find, in every order of threads; and what is found of misuse of the
//! driver.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each block calls the driver with handles and addresses of this test, or with wrong ones on purpose"
)]

mod support;

use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaFunction, DevicePtr, LaunchConfig, PushKernelArg, result, sys};
use eagerflow_cuda_emulation::Order;
use support::Device;

const ORDERS: [Order; 3] = [Order::Forward, Order::Reverse, Order::Shuffled(11)];

fn config(threads: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (1, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 }
}

/// Runs a kernel of `(const float* x, float* y, int n)` in every order; the first answers: the code and text of the
/// failure, or the result.
fn run(d: &Device, kernel: &CudaFunction, threads: u32, n: usize) -> Vec<Result<Vec<f32>, (CUresult, String)>> {
    d.emulation.set_quiet(true);
    let answers = ORDERS
        .iter()
        .map(|&order| {
            d.emulation.set_order(order);
            let x = d.stream.clone_htod(&(0..n).map(|i| i as f32).collect::<Vec<_>>()).unwrap();
            let mut y = unsafe { d.stream.alloc::<f32>(n) }.unwrap();
            let count = n as i32;
            unsafe { d.stream.launch_builder(kernel).arg(&x).arg(&mut y).arg(&count).launch(config(threads)) }.unwrap();
            let answer = d.stream.clone_dtoh(&y).map_err(|error| {
                let text = d.emulation.last_failure().expect("a text for every failure");
                assert!(d.stream.synchronize().is_err(), "a lost context stays lost");
                d.emulation.recover();
                (error.0, text)
            });
            // Frees must not fall into the lost context.
            drop((x, y));
            d.stream.synchronize().unwrap();
            answer
        })
        .collect();
    d.emulation.set_order(Order::Forward);
    d.emulation.set_quiet(false);
    answers
}

/// Every order must end with this code and these words.
fn assert_fails(d: &Device, source: &str, threads: u32, n: usize, code: CUresult, words: &[&str]) {
    let kernel = d.kernel(source, "planted");
    for answer in run(d, &kernel, threads, n) {
        let (got, text) = answer.expect_err("the planted bug must be found");
        assert_eq!(got, code, "{text}");
        for word in words.iter().chain(&["kernel `planted`"]) {
            assert!(text.contains(word), "{word:?} is not in {text:?}");
        }
    }
}

/// A sum of a block; the barrier between halves can be dropped.
fn tree_sum(barrier: &str) -> String {
    format!(
        r#"extern "C" __global__ void planted(const float* x, float* y, int n) {{
            __shared__ float sums[64];
            sums[threadIdx.x] = x[threadIdx.x];
            for (int half = blockDim.x / 2; half > 0; half /= 2) {{
                {barrier}
                if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
            }}
            if (threadIdx.x == 0) y[0] = sums[0];
        }}"#
    )
}

#[test]
fn a_dropped_barrier_gives_nan() {
    let Some(d) = support::device() else { return };
    let right = d.kernel(&tree_sum("__syncthreads();"), "planted");
    for answer in run(&d, &right, 64, 64) {
        assert_eq!(answer.unwrap()[0], 2016.0);
    }
    let dropped = d.kernel(&tree_sum(""), "planted");
    let wrong = run(&d, &dropped, 64, 64).into_iter().map(Result::unwrap).filter(|y| y[0] != 2016.0).count();
    assert!(wrong >= 2, "at least forward and shuffled threads must show it, not {wrong}");
}

#[test]
fn a_divergent_barrier_is_an_error() {
    let Some(d) = support::device() else { return };
    let code = CUresult::CUDA_ERROR_LAUNCH_FAILED;
    let in_a_branch = r#"extern "C" __global__ void planted(const float* x, float* y, int n) {
        if (threadIdx.x % 2 == 0) __syncthreads();
        y[threadIdx.x] = x[threadIdx.x];
    }"#;
    assert_fails(&d, in_a_branch, 64, 64, code, &["ended before a barrier", "line 2"]);
    let two_places = r#"extern "C" __global__ void planted(const float* x, float* y, int n) {
        if (threadIdx.x < 32)
            __syncthreads();
        else
            __syncthreads();
        y[threadIdx.x] = x[threadIdx.x];
    }"#;
    assert_fails(&d, two_places, 64, 64, code, &["divergent barrier", "line 3", "line 5"]);
    let early_return = r#"extern "C" __global__ void planted(const float* x, float* y, int n) {
        if (threadIdx.x >= n) return;
        __syncthreads();
        y[threadIdx.x] = x[threadIdx.x];
    }"#;
    assert_fails(&d, early_return, 64, 60, code, &["ended before a barrier", "line 3"]);
}

#[test]
fn an_overrun_by_one_is_an_illegal_address() {
    let Some(d) = support::device() else { return };
    let code = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS;
    let read = r#"extern "C" __global__ void planted(const float* x, float* y, int n) {
        for (int i = threadIdx.x; i <= n; i += blockDim.x) if (x[i] == 3.0f) y[i] = 1.0f;
    }"#;
    assert_fails(&d, read, 32, 1024, code, &["illegal memory access", "0 bytes behind the end", "4096 bytes"]);
    let write = r#"extern "C" __global__ void planted(const float* x, float* y, int n) {
        for (int i = threadIdx.x; i <= n; i += blockDim.x) y[i] = 1.0f;
    }"#;
    assert_fails(&d, write, 32, 1024, code, &["illegal memory access", "behind the end"]);
    let shared = r#"extern "C" __global__ void planted(const float* x, float* y, int n) {
        __shared__ float line[32];
        for (int i = 0; i <= 32; i++) line[i] = x[i];
        y[threadIdx.x] = line[threadIdx.x];
    }"#;
    assert_fails(&d, shared, 32, 64, code, &["an index outside of an array", "line 3"]);
}

#[test]
fn a_write_into_the_margin_of_an_odd_size_is_found() {
    let Some(d) = support::device() else { return };
    // 10 floats end 216 bytes before the page that faults.
    let source = r#"extern "C" __global__ void planted(const float* x, float* y, int n) { y[n] = 1.0f; }"#;
    let kernel = d.kernel(source, "planted");
    for answer in run(&d, &kernel, 1, 10) {
        let (code, text) = answer.expect_err("a write beside an allocation");
        assert_eq!(code, CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
        assert!(text.contains("outside of an allocation") && text.contains("0 bytes behind the end"), "{text}");
    }
    let before = r#"extern "C" __global__ void planted(const float* x, float* y, int n) { y[-1] = 1.0f; }"#;
    let kernel = d.kernel(before, "planted");
    for answer in run(&d, &kernel, 1, 10) {
        let (_, text) = answer.expect_err("a write beside an allocation");
        assert!(text.contains("bytes before allocation"), "{text}");
    }
}

/// Whether the compiler knows the option by which registers are filled with a pattern.
fn compiler_fills_registers() -> bool {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".into());
    let mut command = std::process::Command::new(compiler);
    command.args(["-x", "c++", "-fsyntax-only", "-ftrivial-auto-var-init=pattern", "/dev/null"]);
    command.output().is_ok_and(|output| output.status.success())
}

#[test]
fn uninitialised_memory_is_poison_everywhere() {
    let Some(d) = support::device() else { return };
    let source = r#"extern "C" __global__ void planted(const float* x, float* y, int n) {
        __shared__ float fixed[32];
        extern __shared__ float dynamic[];
        if (threadIdx.x == 0) y[1] = fixed[5] + x[0];
        if (threadIdx.x == 1) y[2] = dynamic[5] + x[0];
        if (threadIdx.x == 2) { float sum; for (int i = 0; i < n; i++) if (x[i] > 1e9f) sum = x[i]; y[3] = sum; }
    }"#;
    let kernel = d.kernel(source, "planted");
    let x = d.stream.clone_htod(&[1.0f32; 4]).unwrap();
    let mut y = unsafe { d.stream.alloc::<f32>(4) }.unwrap();
    let config = LaunchConfig { shared_mem_bytes: 128, ..config(32) };
    unsafe { d.stream.launch_builder(&kernel).arg(&x).arg(&mut y).arg(&4i32).launch(config) }.unwrap();
    let y = d.stream.clone_dtoh(&y).unwrap();
    assert!(y[0].is_nan() && y[1].is_nan() && y[2].is_nan(), "{y:?}");
    // Registers hold a pattern where the compiler can do that (g++ 12), else anything.
    let patterned = y[3] < -1e30;
    assert!(patterned || !compiler_fills_registers(), "{y:?}");
}

#[test]
fn a_shuffle_from_an_absent_lane_is_an_error() {
    let Some(d) = support::device() else { return };
    let code = CUresult::CUDA_ERROR_LAUNCH_FAILED;
    let short_block = r#"extern "C" __global__ void planted(const float* x, float* y, int n) {
        y[threadIdx.x] = __shfl_down_sync(0xffffffffu, x[threadIdx.x], 16);
    }"#;
    assert_fails(&d, short_block, 20, 20, code, &["shuffles from lane 20", "absent", "line 2"]);
    let in_a_branch = r#"extern "C" __global__ void planted(const float* x, float* y, int n) {
        if (threadIdx.x < 16) y[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 16);
        __syncthreads();
    }"#;
    assert_fails(&d, in_a_branch, 32, 32, code, &["waits for lane 16", "line 2", "line 3"]);
    let wrong_mask = r#"extern "C" __global__ void planted(const float* x, float* y, int n) {
        y[threadIdx.x] = __shfl_sync(0x0000ffffu, x[threadIdx.x], 0);
    }"#;
    assert_fails(&d, wrong_mask, 32, 32, code, &["not in its own mask", "line 2"]);
}

#[test]
fn misaligned_vectors_division_by_zero_and_assertions_are_errors() {
    let Some(d) = support::device() else { return };
    let misaligned = r#"extern "C" __global__ void planted(const float* x, float* y, int n) {
        float4 v = *(const float4*)(x + 1);
        y[threadIdx.x] = v.x;
    }"#;
    assert_fails(&d, misaligned, 1, 64, CUresult::CUDA_ERROR_MISALIGNED_ADDRESS, &["alignment", "line 2"]);
    let division = r#"extern "C" __global__ void planted(const float* x, float* y, int n) {
        y[threadIdx.x] = (float)(n / (int)x[threadIdx.x]);
    }"#;
    assert_fails(&d, division, 4, 64, CUresult::CUDA_ERROR_LAUNCH_FAILED, &["division by zero", "thread (0, 0, 0)"]);
    let assertion = r#"extern "C" __global__ void planted(const float* x, float* y, int n) {
        assert(threadIdx.x != 3);
    }"#;
    assert_fails(&d, assertion, 8, 64, CUresult::CUDA_ERROR_ASSERT, &["threadIdx.x != 3", "thread (3, 0, 0)"]);
}

#[test]
fn memory_is_checked_by_every_call_that_names_it() {
    let Some(d) = support::device() else { return };
    let invalid = CUresult::CUDA_ERROR_INVALID_VALUE;
    unsafe {
        let before = d.emulation.counters();
        let a = result::malloc_sync(100).unwrap();
        assert_eq!(result::memcpy_htod_sync(a, &[0u8; 101]).unwrap_err().0, invalid, "one byte too many");
        assert_eq!(result::memcpy_htod_sync(a + 1, &[0u8; 100]).unwrap_err().0, invalid);
        assert_eq!(result::memset_d8_async(a, 0, 101, d.stream.cu_stream()).unwrap_err().0, invalid);
        assert_eq!(result::free_sync(a + 4).unwrap_err().0, invalid, "not the start of an allocation");
        result::free_sync(a).unwrap();
        assert_eq!(result::free_sync(a).unwrap_err().0, invalid, "a double free");
        assert_eq!(result::memcpy_htod_sync(a, &[0u8; 1]).unwrap_err().0, invalid, "freed");
        let b = result::malloc_async(d.stream.cu_stream(), 64).unwrap();
        result::free_async(b, d.stream.cu_stream()).unwrap();
        assert_eq!(result::free_async(b, d.stream.cu_stream()).unwrap_err().0, invalid, "leaving already");
        assert_eq!(result::memset_d8_async(b, 0, 64, d.stream.cu_stream()).unwrap_err().0, invalid);
        d.stream.synchronize().unwrap();
        let after = d.emulation.counters();
        assert_eq!(after.allocations - before.allocations, 2);
        assert_eq!((after.live_allocations, after.bytes_in_use), (before.live_allocations, before.bytes_in_use));
    }
}

#[test]
fn a_kernel_that_uses_freed_memory_faults() {
    let Some(d) = support::device() else { return };
    let source = r#"extern "C" __global__ void planted(float* y) { y[threadIdx.x] = 1.0f; }"#;
    let kernel = d.kernel(source, "planted");
    d.emulation.set_quiet(true);
    unsafe {
        let y = result::malloc_async(d.stream.cu_stream(), 128).unwrap();
        result::free_async(y, d.stream.cu_stream()).unwrap();
        d.stream.launch_builder(&kernel).arg(&y).launch(config(32)).unwrap();
    }
    assert_eq!(d.stream.synchronize().unwrap_err().0, CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
    let text = d.emulation.last_failure().unwrap();
    assert!(text.contains("not allocated (freed?)"), "{text}");
    d.emulation.recover();
    d.emulation.set_quiet(false);
    d.stream.synchronize().unwrap();
}

#[test]
fn a_missing_wait_shows_in_pinned_memory_and_between_streams() {
    let Some(d) = support::device() else { return };
    let x = d.stream.clone_htod(&[5.0f32; 8]).unwrap();
    d.stream.synchronize().unwrap();
    unsafe {
        let pinned = result::malloc_host(32, 0).unwrap().cast::<f32>();
        let to = std::slice::from_raw_parts_mut(pinned, 8);
        result::memcpy_dtoh_async(to, x.device_ptr(&d.stream).0, d.stream.cu_stream()).unwrap();
        assert!(to[0].is_nan(), "the copy has not run yet");
        d.stream.synchronize().unwrap();
        assert_eq!(to, [5.0; 8]);

        let other = d.context.new_stream().unwrap();
        let mut y = other.alloc_zeros::<f32>(8).unwrap();
        other.synchronize().unwrap();
        other.memcpy_dtod(&x, &mut y).unwrap();
        assert_eq!(d.stream.clone_dtoh(&y).unwrap(), [0.0; 8], "the other stream was not waited for");
        d.stream.join(&other).unwrap();
        assert_eq!(d.stream.clone_dtoh(&y).unwrap(), [5.0; 8]);
        result::free_host(pinned.cast()).unwrap();
    }
}

#[test]
fn launches_are_checked_against_the_limits_of_the_device() {
    let Some(d) = support::device() else { return };
    let source = r#"extern "C" __global__ void __launch_bounds__(128) planted(float* y) { y[0] = 1.0f; }
        __global__ void mangled(float* y) { y[0] = 1.0f; }"#;
    let program = support::compile(source).unwrap();
    let module = d.context.load_module(program).unwrap();
    let planted = module.load_function("planted").unwrap();
    assert_eq!(module.load_function("mangled").unwrap_err().0, CUresult::CUDA_ERROR_NOT_FOUND, "C++ linkage");
    let mut y = d.stream.alloc_zeros::<f32>(1).unwrap();
    let mut launch = |config| unsafe { d.stream.launch_builder(&planted).arg(&mut y).launch(config) }.map(|_| ());
    let code = |result: Result<(), cudarc::driver::DriverError>| result.unwrap_err().0;
    assert_eq!(code(launch(config(256))), CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "beyond __launch_bounds__");
    assert_eq!(code(launch(config(0))), CUresult::CUDA_ERROR_INVALID_VALUE);
    assert_eq!(code(launch(config(2048))), CUresult::CUDA_ERROR_INVALID_VALUE);
    let shared = LaunchConfig { shared_mem_bytes: 64 << 10, ..config(32) };
    assert_eq!(code(launch(shared)), CUresult::CUDA_ERROR_INVALID_VALUE, "more than 48 KiB must be asked for");
    let attribute = sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    planted.set_attribute(attribute, 64 << 10).unwrap();
    launch(shared).unwrap();
    assert_eq!(d.stream.clone_dtoh(&y).unwrap(), [1.0]);
}

#[test]
fn memory_runs_out_and_calls_fail_when_asked_to() {
    let Some(d) = support::device() else { return };
    let free = result::mem_get_info().unwrap().0;
    let in_use = d.emulation.counters().bytes_in_use;
    d.emulation.set_memory(in_use + 1000);
    unsafe {
        assert_eq!(result::malloc_sync(1001).unwrap_err().0, CUresult::CUDA_ERROR_OUT_OF_MEMORY);
        let a = result::malloc_sync(600).unwrap();
        assert_eq!(result::mem_get_info().unwrap().0, 400);
        result::free_async(a, d.stream.cu_stream()).unwrap();
        // What a stream is about to give back counts as free.
        let b = result::malloc_sync(1000).unwrap();
        result::free_sync(b).unwrap();
        d.emulation.set_memory(free as u64 + in_use);
        d.emulation.plant_failure("cuMemAlloc_v2", 2, 2);
        let c = result::malloc_sync(8).unwrap();
        assert_eq!(result::malloc_sync(8).unwrap_err().0, CUresult::CUDA_ERROR_OUT_OF_MEMORY, "the second call");
        result::free_sync(c).unwrap();
        result::free_sync(result::malloc_sync(8).unwrap()).unwrap();
    }
}
