//! Kernels through cudarc on the emulated device: element-wise, reductions, atomics, dynamic shared memory, in all
//! orders of threads.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each block calls the driver with handles and addresses of this test, or with wrong ones on purpose"
)]

mod support;

use cudarc::driver::{LaunchConfig, PushKernelArg};
use eagerflow_cuda_emulation::Order;

const ORDERS: [Order; 3] = [Order::Forward, Order::Reverse, Order::Shuffled(3)];

fn launch(blocks: u32, threads: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 }
}

#[test]
fn vectors_are_added() {
    let Some(d) = support::device() else { return };
    let source = r#"
        extern "C" __global__ void add(const float* x, const float* y, float* z, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) z[i] = __fadd_rn(x[i], y[i]);
        }"#;
    let add = d.kernel(source, "add");
    let n = 1000i32;
    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let y: Vec<f32> = (0..n).map(|i| 0.5 * i as f32).collect();
    let (dx, dy) = (d.stream.clone_htod(&x).unwrap(), d.stream.clone_htod(&y).unwrap());
    let mut dz = unsafe { d.stream.alloc::<f32>(n as usize) }.unwrap();
    unsafe { d.stream.launch_builder(&add).arg(&dx).arg(&dy).arg(&mut dz).arg(&n).launch(launch(4, 256)) }.unwrap();
    assert_eq!(d.emulation.counters().launches, 0, "nothing runs before somebody waits");
    assert!(d.emulation.pending_work() > 0);
    let z = d.stream.clone_dtoh(&dz).unwrap();
    assert_eq!(z, x.iter().zip(&y).map(|(a, b)| a + b).collect::<Vec<_>>());
    let c = d.emulation.counters();
    assert_eq!((c.launches, c.threads, c.host_to_device, c.host_to_device_bytes), (1, 1024, 2, 8000));
    assert_eq!((c.device_to_host, c.device_to_host_bytes), (1, 4000));
}

#[test]
fn rows_are_summed_with_shuffles_in_every_order() {
    let Some(d) = support::device() else { return };
    let source = r#"
        template <class T> __device__ T block_sum(T v) {
            __shared__ T parts[32];
            for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
            if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
            __syncthreads();
            v = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : T(0);
            if (threadIdx.x < 32)
                for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
            return v;
        }
        #define ROWS(T) extern "C" __global__ void __launch_bounds__(256) rows_##T(const T* x, T* y, long n) {  \
            extern __shared__ T line_##T[];                                                                 \
            for (long i = threadIdx.x; i < n; i += blockDim.x) line_##T[i] = x[blockIdx.x * n + i];         \
            __syncthreads();                                                                                \
            T sum = 0;                                                                                      \
            for (long i = threadIdx.x; i < n; i += blockDim.x) sum += line_##T[n - 1 - i];                  \
            sum = block_sum(sum);                                                                           \
            if (threadIdx.x == 0) y[blockIdx.x] = sum;                                                      \
        }
        ROWS(double)
        ROWS(int)"#;
    let rows = d.kernel(source, "rows_double");
    let (m, n) = (7usize, 333i64);
    let x: Vec<f64> = (0..m as i64 * n).map(|i| (i % 17) as f64).collect();
    let want: Vec<f64> = x.chunks(n as usize).map(|row| row.iter().sum()).collect();
    for order in ORDERS {
        d.emulation.set_order(order);
        let dx = d.stream.clone_htod(&x).unwrap();
        let mut dy = d.stream.alloc_zeros::<f64>(m).unwrap();
        let config = LaunchConfig { shared_mem_bytes: 8 * n as u32, ..launch(m as u32, 256) };
        unsafe { d.stream.launch_builder(&rows).arg(&dx).arg(&mut dy).arg(&n).launch(config) }.unwrap();
        assert_eq!(d.stream.clone_dtoh(&dy).unwrap(), want, "{order:?}");
    }
    d.emulation.set_order(Order::Forward);
}

#[test]
fn threads_have_three_dimensions_and_atomics_add_up() {
    let Some(d) = support::device() else { return };
    let source = r#"
        struct Job { int scale; int* out; long sizes[3]; };
        extern "C" __global__ void count(Job job, float* total) {
            int i = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
            int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
            atomicAdd(&job.out[i], job.scale * t);
            atomicAdd(total, 1.0f);
            int any = __any_sync(__activemask(), t == 0);
            int all = __syncthreads_count(any);
            if (t == 1) atomicMax(&job.out[gridDim.x * gridDim.y * gridDim.z], all);
        }"#;
    let count = d.kernel(source, "count");
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Job {
        scale: i32,
        out: u64,
        sizes: [i64; 3],
    }
    // SAFETY: plain numbers, laid out as the kernel's struct.
    unsafe impl cudarc::driver::DeviceRepr for Job {}
    use cudarc::driver::DevicePtr;
    for order in ORDERS {
        d.emulation.set_order(order);
        let out = d.stream.alloc_zeros::<i32>(13).unwrap();
        let mut total = d.stream.alloc_zeros::<f32>(1).unwrap();
        let job = Job { scale: 3, out: out.device_ptr(&d.stream).0, sizes: [0; 3] };
        let config = LaunchConfig { grid_dim: (2, 3, 2), block_dim: (4, 4, 3), shared_mem_bytes: 0 };
        unsafe { d.stream.launch_builder(&count).arg(&job).arg(&mut total).launch(config) }.unwrap();
        let mut want = vec![3 * 47 * 48 / 2; 12];
        want.push(32);
        assert_eq!(d.stream.clone_dtoh(&out).unwrap(), want, "{order:?}");
        assert_eq!(d.stream.clone_dtoh(&total).unwrap(), [576.0]);
    }
    d.emulation.set_order(Order::Forward);
}

#[test]
fn a_text_that_does_not_compile_says_so_in_its_log() {
    let Some(_d) = support::device() else { return };
    let error = support::compile("extern \"C\" __global__ void f(float* x) {\n  x[0] = missing(1);\n}").unwrap_err();
    assert!(error.contains("missing") && error.contains(":2:"), "{error}");
    let two_types = r#"
        extern "C" __global__ void f(float* x) { extern __shared__ float a[]; x[0] = a[0]; }
        extern "C" __global__ void g(int* x) { extern __shared__ int a[]; x[0] = a[0]; }"#;
    assert!(support::compile(two_types).unwrap_err().contains("must have one type"));
    let standard = support::compile("extern \"C\" __global__ void f(float* x) { x[0] = std::min(1.0f, x[1]); }");
    assert!(standard.is_err(), "the device has no standard library, nor has the emulation");
}
