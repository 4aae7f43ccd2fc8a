//! One product by cublasLt as its manual shows it: a handle, a preference and an algorithm of its own, nothing kept elsewhere.
//! `measure.rs` compares the library's products with it; no operation calls it.

use super::products::{library, types};
use super::{Address, Answer, Stream};
use crate::dtype::DType;
use cudarc::cublaslt::{result, sys};
use std::ffi::c_void;

/// A product of row-major matrices, ready to run. Handles are released when it is dropped.
pub struct Direct {
    handle: sys::cublasLtHandle_t,
    description: sys::cublasLtMatmulDesc_t,
    layouts: [sys::cublasLtMatrixLayout_t; 3],
    algorithm: sys::cublasLtMatmulAlgo_t,
    double: bool,
}

impl Direct {
    /// Of a matrix of `m` rows and `k` columns and one of `k` rows and `n` columns, in the current context.
    pub fn new(dtype: DType, fast: bool, [m, k, n]: [u64; 3], workspace: usize) -> Answer<Self> {
        use sys::cublasLtMatmulPreferenceAttributes_t::CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES as WORKSPACE;
        let (data, compute, scale) = types(dtype, fast);
        let handle = library("cublasLtCreate", result::create_handle())?;
        let description = library("cublasLtMatmulDescCreate", result::create_matmul_desc(compute, scale))?;
        let layout = |rows, columns| {
            library("cublasLtMatrixLayoutCreate", result::create_matrix_layout(data, rows, columns, rows as i64))
        };
        // Column-major: the turned result is the product of the turned factors in the other order.
        let layouts = [layout(n, k)?, layout(k, m)?, layout(n, m)?];
        let wishes = library("cublasLtMatmulPreferenceCreate", result::create_matmul_pref())?;
        let bytes = workspace as u64;
        let [left, right, out] = layouts;
        // SAFETY: handles of this function; the attribute is 64 bits wide.
        let found = unsafe {
            let set = result::set_matmul_pref_attribute(wishes, WORKSPACE, (&raw const bytes).cast(), 8);
            library("cublasLtMatmulPreferenceSetAttribute", set)?;
            let found = result::get_matmul_algo_heuristic(handle, description, left, right, out, out, wishes);
            let _ = result::destroy_matmul_pref(wishes);
            library("cublasLtMatmulAlgoGetHeuristic", found)?
        };
        Ok(Self { handle, description, layouts, algorithm: found.algo, double: dtype == DType::F64 })
    }

    /// Queues the product.
    ///
    /// # Safety
    /// The matrices and the workspace have the sizes told, and are valid when the stream gets there.
    pub unsafe fn run(&self, [a, b, c]: [Address; 3], workspace: (Address, usize), stream: Stream) -> Answer<()> {
        let pointer = |address: Address| address as usize as *mut c_void;
        let (single, double) = ([1f32, 0f32], [1f64, 0f64]);
        let number = |i: usize| -> *const c_void {
            if self.double { (&raw const double[i]).cast() } else { (&raw const single[i]).cast() }
        };
        let [left, right, out] = self.layouts;
        // SAFETY: by the caller's promise.
        library("cublasLtMatmul", unsafe {
            result::matmul(
                self.handle,
                self.description,
                number(0),
                number(1),
                pointer(b),
                left,
                pointer(a),
                right,
                pointer(c),
                out,
                pointer(c),
                out,
                &raw const self.algorithm,
                pointer(workspace.0),
                workspace.1,
                stream.0 as _,
            )
        })
    }
}

impl Drop for Direct {
    fn drop(&mut self) {
        // SAFETY: handles of `new`, which nobody else has; the library waits for nothing that still needs them.
        unsafe {
            for layout in self.layouts {
                let _ = result::destroy_matrix_layout(layout);
            }
            let _ = result::destroy_matmul_desc(self.description);
            let _ = result::destroy_handle(self.handle);
        }
    }
}
