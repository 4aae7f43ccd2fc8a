//! Products through cublasLt's interface: types, transposes, batches, orders, epilogues, in the order of the stream and
//! in a graph; and what is refused.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each block calls the driver with handles and addresses of this test, or with wrong ones on purpose"
)]

mod support;

use cudarc::cublaslt::{result, sys};
use cudarc::driver::DevicePtr;
use half::{bf16, f16};
use std::ffi::c_void;
use sys::cublasComputeType_t as Compute;
use sys::cublasLtMatmulDescAttributes_t as Attribute;
use sys::cublasLtMatrixLayoutAttribute_t as LayoutAttribute;
use sys::cudaDataType_t as Type;

/// What a test asks for; matrices lie by columns.
#[derive(Clone, Copy)]
struct Asked {
    ty: Type,
    result: Type,
    compute: Compute,
    scale: Type,
    m: u64,
    n: u64,
    k: u64,
    transposed: (bool, bool),
    batch: i32,
    epilogue: i32,
}

const PLAIN: Asked = Asked {
    ty: Type::CUDA_R_32F,
    result: Type::CUDA_R_32F,
    compute: Compute::CUBLAS_COMPUTE_32F,
    scale: Type::CUDA_R_32F,
    m: 5,
    n: 7,
    k: 9,
    transposed: (false, false),
    batch: 1,
    epilogue: 1,
};

/// The descriptors of a product.
struct Plan {
    handle: sys::cublasLtHandle_t,
    operation: sys::cublasLtMatmulDesc_t,
    a: sys::cublasLtMatrixLayout_t,
    b: sys::cublasLtMatrixLayout_t,
    d: sys::cublasLtMatrixLayout_t,
    preference: sys::cublasLtMatmulPreference_t,
}

unsafe fn set<T>(operation: sys::cublasLtMatmulDesc_t, attribute: Attribute, value: T) {
    unsafe { result::set_matmul_desc_attribute(operation, attribute, &raw const value as _, size_of::<T>()) }.unwrap();
}

unsafe fn layout(ty: Type, rows: u64, cols: u64, batch: i32) -> sys::cublasLtMatrixLayout_t {
    let layout = result::create_matrix_layout(ty, rows, cols, rows as i64).unwrap();
    let stride = (rows * cols) as i64;
    unsafe {
        for (attribute, value, size) in [
            (LayoutAttribute::CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &raw const batch as *const c_void, 4),
            (LayoutAttribute::CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &raw const stride as _, 8),
        ] {
            result::set_matrix_layout_attribute(layout, attribute, value, size).unwrap();
        }
    }
    layout
}

impl Plan {
    fn new(q: Asked) -> Self {
        unsafe {
            let handle = result::create_handle().unwrap();
            let operation = result::create_matmul_desc(q.compute, q.scale).unwrap();
            set(operation, Attribute::CUBLASLT_MATMUL_DESC_TRANSA, q.transposed.0 as i32);
            set(operation, Attribute::CUBLASLT_MATMUL_DESC_TRANSB, q.transposed.1 as i32);
            set(operation, Attribute::CUBLASLT_MATMUL_DESC_EPILOGUE, q.epilogue);
            let swap = |t: bool, r, c| if t { (c, r) } else { (r, c) };
            let (ar, ac) = swap(q.transposed.0, q.m, q.k);
            let (br, bc) = swap(q.transposed.1, q.k, q.n);
            let preference = result::create_matmul_pref().unwrap();
            let attributes = sys::cublasLtMatmulPreferenceAttributes_t::CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES;
            let bytes = 1usize << 20;
            result::set_matmul_pref_attribute(preference, attributes, &raw const bytes as _, 8).unwrap();
            Self {
                handle,
                operation,
                a: layout(q.ty, ar, ac, q.batch),
                b: layout(q.ty, br, bc, q.batch),
                d: layout(q.result, q.m, q.n, q.batch),
                preference,
            }
        }
    }

    fn algorithm(&self) -> Result<sys::cublasLtMatmulHeuristicResult_t, result::CublasError> {
        unsafe {
            result::get_matmul_algo_heuristic(
                self.handle,
                self.operation,
                self.a,
                self.b,
                self.d,
                self.d,
                self.preference,
            )
        }
    }

    /// Queues the product on addresses.
    unsafe fn run(
        &self,
        d: &support::Device,
        [a, b, out]: [u64; 3],
        workspace: (u64, usize),
    ) -> Result<(), result::CublasError> {
        let found = self.algorithm()?;
        let (one, zero) = ([1.0f32.to_bits() as u64, 0], [0u64; 2]);
        let (one64, mut size) = (1.0f64.to_bits(), [0i32; 1]);
        unsafe {
            let read = Attribute::CUBLASLT_MATMUL_DESC_SCALE_TYPE;
            sys::cublasLtMatmulDescGetAttribute(self.operation, read, size.as_mut_ptr() as _, 4, std::ptr::null_mut())
                .result()?;
            let double = size[0] == Type::CUDA_R_64F as i32;
            let alpha = if double { &raw const one64 as *const c_void } else { one.as_ptr() as _ };
            result::matmul(
                self.handle,
                self.operation,
                alpha,
                zero.as_ptr() as _,
                a as _,
                self.a,
                b as _,
                self.b,
                out as _,
                self.d,
                out as _,
                self.d,
                &found.algo,
                workspace.0 as _,
                workspace.1,
                d.stream.cu_stream() as _,
            )
        }
    }
}

/// `op(A) op(B)` in doubles, all by columns.
fn reference(q: Asked, a: &[f64], b: &[f64]) -> Vec<f64> {
    let (m, n, k) = (q.m as usize, q.n as usize, q.k as usize);
    let mut out = Vec::new();
    for batch in 0..q.batch as usize {
        let (a, b) = (&a[batch * m * k..], &b[batch * k * n..]);
        for col in 0..n {
            for row in 0..m {
                let left = |i: usize| if q.transposed.0 { a[row * k + i] } else { a[i * m + row] };
                let right = |i: usize| if q.transposed.1 { b[i * n + col] } else { b[col * k + i] };
                out.push((0..k).map(|i| left(i) * right(i)).sum());
            }
        }
    }
    out
}

fn numbers(count: u64, seed: u64) -> Vec<f64> {
    (0..count).map(|i| ((i * 37 + seed * 101) % 64) as f64 / 16.0 - 2.0).collect()
}

/// Runs a product on numbers that all types hold exactly; the result in doubles.
fn product<T, R>(d: &support::Device, q: Asked, to: fn(f64) -> T, from: fn(R) -> f64, bias: Option<&[R]>) -> Vec<f64>
where
    T: cudarc::driver::DeviceRepr,
    R: cudarc::driver::DeviceRepr + cudarc::driver::ValidAsZeroBits + Copy + Default,
{
    let plan = Plan::new(q);
    let batch = q.batch as u64;
    let a: Vec<T> = numbers(q.m * q.k * batch, 1).into_iter().map(to).collect();
    let b: Vec<T> = numbers(q.k * q.n * batch, 2).into_iter().map(to).collect();
    let (a, b) = (d.stream.clone_htod(&a).unwrap(), d.stream.clone_htod(&b).unwrap());
    let out = unsafe { d.stream.alloc::<R>((q.m * q.n * batch) as usize) }.unwrap();
    let workspace = unsafe { d.stream.alloc::<u8>(4096) }.unwrap();
    let bias = bias.map(|values| d.stream.clone_htod(values).unwrap());
    let address = |p: &dyn Fn() -> u64| p();
    unsafe {
        if let Some(bias) = &bias {
            set(plan.operation, Attribute::CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.device_ptr(&d.stream).0);
        }
        let all = [
            address(&|| a.device_ptr(&d.stream).0),
            address(&|| b.device_ptr(&d.stream).0),
            address(&|| out.device_ptr(&d.stream).0),
        ];
        plan.run(d, all, (workspace.device_ptr(&d.stream).0, 4096)).unwrap();
    }
    d.stream.clone_dtoh(&out).unwrap().into_iter().map(from).collect()
}

fn assert_close(got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() <= tolerance * (1.0 + w.abs()), "{i}: {g} against {w}");
    }
}

#[test]
fn products_of_every_type_transpose_and_batch() {
    let Some(d) = support::device() else { return };
    for transposed in [(false, false), (true, false), (false, true), (true, true)] {
        for batch in [1, 3] {
            let q = Asked { transposed, batch, ..PLAIN };
            let want = reference(q, &numbers(q.m * q.k * batch as u64, 1), &numbers(q.k * q.n * batch as u64, 2));
            let single = |q| product::<f32, f32>(&d, q, |v| v as f32, |v| v.into(), None);
            assert_close(&single(q), &want, 1e-6);
            // The numbers have few digits: the fast mode must not change them.
            assert_close(&single(Asked { compute: Compute::CUBLAS_COMPUTE_32F_FAST_TF32, ..q }), &want, 1e-6);
            let double = Asked {
                ty: Type::CUDA_R_64F,
                result: Type::CUDA_R_64F,
                compute: Compute::CUBLAS_COMPUTE_64F,
                scale: Type::CUDA_R_64F,
                ..q
            };
            assert_close(&product::<f64, f64>(&d, double, |v| v, |v| v, None), &want, 1e-12);
            let half = Asked { ty: Type::CUDA_R_16F, result: Type::CUDA_R_16F, ..q };
            assert_close(&product::<f16, f16>(&d, half, f16::from_f64, |v| v.to_f64(), None), &want, 1e-3);
            let brain = Asked { ty: Type::CUDA_R_16BF, result: Type::CUDA_R_16BF, ..q };
            assert_close(&product::<bf16, bf16>(&d, brain, bf16::from_f64, |v| v.to_f64(), None), &want, 8e-3);
            let wide = Asked { result: Type::CUDA_R_32F, ..brain };
            assert_close(&product::<bf16, f32>(&d, wide, bf16::from_f64, |v| v.into(), None), &want, 1e-6);
        }
    }
}

#[test]
fn the_fast_mode_drops_digits_and_the_plain_one_does_not() {
    let Some(d) = support::device() else { return };
    let q = Asked { m: 1, n: 1, k: 1, ..PLAIN };
    let a = |_: f64| 1.0f32 + 2f32.powi(-12);
    let exact = product::<f32, f32>(&d, q, a, |v| v.into(), None)[0];
    let fast =
        product::<f32, f32>(&d, Asked { compute: Compute::CUBLAS_COMPUTE_32F_FAST_TF32, ..q }, a, |v| v.into(), None)
            [0];
    assert!((exact - 1.0).abs() > 1e-4 && fast == 1.0, "{exact} {fast}");
}

#[test]
fn epilogues_add_a_bias_and_clip() {
    let Some(d) = support::device() else { return };
    let bias: Vec<f32> = (0..PLAIN.m).map(|i| i as f32 - 3.0).collect();
    let plain = reference(PLAIN, &numbers(PLAIN.m * PLAIN.k, 1), &numbers(PLAIN.k * PLAIN.n, 2));
    let with = |f: &dyn Fn(f64) -> f64| -> Vec<f64> {
        plain.iter().enumerate().map(|(i, v)| f(v + bias[i % PLAIN.m as usize] as f64)).collect()
    };
    let run = |epilogue| {
        product::<f32, f32>(&d, Asked { epilogue, ..PLAIN }, |v| v as f32, |v| v.into(), Some(bias.as_slice()))
    };
    assert_close(&run(4), &with(&|v| v), 1e-6);
    assert_close(&run(6), &with(&|v| v.max(0.0)), 1e-6);
    let gelu = |v: f64| 0.5 * v * (1.0 + (0.7978845608028654 * (v + 0.044715 * v.powi(3))).tanh());
    assert_close(&run(36), &with(&gelu), 1e-6);
}

#[test]
fn saved_masks_and_bias_gradients_work_together() {
    let Some(d) = support::device() else { return };
    let q = Asked { epilogue: 130, ..PLAIN };
    let plan = Plan::new(q);
    let back = Plan::new(Asked { epilogue: 152, ..PLAIN });
    let a = d.stream.clone_htod(&numbers(q.m * q.k, 1).iter().map(|v| *v as f32).collect::<Vec<_>>()).unwrap();
    let b = d.stream.clone_htod(&numbers(q.k * q.n, 2).iter().map(|v| *v as f32).collect::<Vec<_>>()).unwrap();
    let out = d.stream.alloc_zeros::<f32>((q.m * q.n) as usize).unwrap();
    let mask = d.stream.alloc_zeros::<u8>(128 * q.n as usize / 8).unwrap();
    let totals = d.stream.alloc_zeros::<f32>(q.m as usize).unwrap();
    let workspace = d.stream.alloc_zeros::<u8>(4096).unwrap();
    let s = &d.stream;
    let workspace = (workspace.device_ptr(s).0, 4096);
    let all = [a.device_ptr(s).0, b.device_ptr(s).0, out.device_ptr(s).0];
    let plain = reference(PLAIN, &numbers(q.m * q.k, 1), &numbers(q.k * q.n, 2));
    unsafe {
        for operation in [plan.operation, back.operation] {
            set(operation, Attribute::CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, mask.device_ptr(s).0);
            set(operation, Attribute::CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, 128i64);
        }
        plan.run(&d, all, workspace).unwrap();
        let positive = s.clone_dtoh(&out).unwrap();
        assert_close(
            &positive.iter().map(|v| f64::from(*v)).collect::<Vec<_>>(),
            &plain.iter().map(|v| v.max(0.0)).collect::<Vec<_>>(),
            1e-6,
        );
        set(back.operation, Attribute::CUBLASLT_MATMUL_DESC_BIAS_POINTER, totals.device_ptr(s).0);
        back.run(&d, all, workspace).unwrap();
        let rows: Vec<f64> = (0..q.m as usize)
            .map(|row| plain.iter().skip(row).step_by(q.m as usize).filter(|v| **v > 0.0).sum())
            .collect();
        let got: Vec<f64> = s.clone_dtoh(&totals).unwrap().into_iter().map(f64::from).collect();
        assert_close(&got, &rows, 1e-5);
    }
}

#[test]
fn what_the_library_refuses_is_refused() {
    let Some(d) = support::device() else { return };
    let status = |plan: &Plan| plan.algorithm().map(|_| ()).unwrap_err().0;
    let invalid = sys::cublasStatus_t::CUBLAS_STATUS_INVALID_VALUE;
    let unsupported = sys::cublasStatus_t::CUBLAS_STATUS_NOT_SUPPORTED;
    let mut wrong = Plan::new(PLAIN);
    wrong.b = unsafe { layout(PLAIN.ty, PLAIN.k + 1, PLAIN.n, 1) };
    assert_eq!(status(&wrong), invalid, "inner sizes differ");
    wrong = Plan::new(PLAIN);
    wrong.a = unsafe { layout(PLAIN.ty, PLAIN.m, PLAIN.k, 2) };
    assert_eq!(status(&wrong), invalid, "batches differ");
    assert_eq!(status(&Plan::new(Asked { compute: Compute::CUBLAS_COMPUTE_64F, ..PLAIN })), unsupported);
    assert_eq!(status(&Plan::new(Asked { ty: Type::CUDA_R_16F, result: Type::CUDA_R_16BF, ..PLAIN })), unsupported);
    assert_eq!(status(&Plan::new(Asked { epilogue: 3, ..PLAIN })), invalid);
    let plan = Plan::new(PLAIN);
    let short = [0u8; 2];
    let refused = unsafe {
        result::set_matmul_desc_attribute(
            plan.operation,
            Attribute::CUBLASLT_MATMUL_DESC_TRANSA,
            short.as_ptr() as _,
            2,
        )
    };
    assert_eq!(refused.unwrap_err().0, invalid, "an attribute of another size");

    let x = d.stream.alloc_zeros::<f32>(200).unwrap();
    let at = x.device_ptr(&d.stream).0;
    let run = |all, workspace| unsafe { plan.run(&d, all, workspace) }.map_err(|e| e.0);
    assert_eq!(run([at, at + 256, at + 512], (0, 0)), Err(invalid), "the algorithm wants memory");
    let work = d.stream.alloc_zeros::<u8>(4096).unwrap();
    let workspace = (work.device_ptr(&d.stream).0, 4096);
    assert_eq!(run([at + 4, at + 256, at + 512], workspace), Err(invalid), "aligned to 4 bytes only");
    assert_eq!(run([at, at + 256, at + 768], workspace), Err(invalid), "the result leaves its allocation");
    assert_eq!(run([at, at + 256, at + 512], workspace), Ok(()));
    d.stream.synchronize().unwrap();
}

#[test]
fn products_wait_in_streams_and_are_captured() {
    let Some(d) = support::device() else { return };
    let q = Asked { m: 2, n: 2, k: 2, ..PLAIN };
    let plan = Plan::new(q);
    let s = &d.stream;
    let mut a = s.clone_htod(&[1.0f32, 0.0, 0.0, 1.0]).unwrap();
    let b = s.clone_htod(&[1.0f32, 2.0, 3.0, 4.0]).unwrap();
    let out = s.alloc_zeros::<f32>(4).unwrap();
    let work = s.alloc_zeros::<u8>(4096).unwrap();
    let all = [a.device_ptr(s).0, b.device_ptr(s).0, out.device_ptr(s).0];
    let workspace = (work.device_ptr(s).0, 4096);
    s.synchronize().unwrap();
    d.emulation.reset_counters();
    unsafe {
        plan.run(&d, all, workspace).unwrap();
        assert_eq!(d.emulation.counters().matmuls, 0);
        assert_eq!(s.clone_dtoh(&out).unwrap(), [1.0, 2.0, 3.0, 4.0]);
        use cudarc::driver::sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        s.begin_capture(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
        plan.run(&d, all, workspace).unwrap();
        let graph = s.end_capture(std::mem::zeroed()).unwrap().unwrap();
        s.memcpy_htod(&[2.0f32, 0.0, 0.0, 10.0], &mut a).unwrap();
        graph.launch().unwrap();
        assert_eq!(s.clone_dtoh(&out).unwrap(), [2.0, 20.0, 6.0, 40.0]);
    }
    assert_eq!(d.emulation.counters().matmuls, 2);
}
