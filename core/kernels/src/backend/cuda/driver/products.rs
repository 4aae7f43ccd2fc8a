//! Products by cublasLt through `cudarc`: a handle, plans that hold descriptors and an algorithm, and the call.
//! `library.rs` keeps the plans; everything is column-major here, as the library has it.

use super::{Addend, Address, Answer, Failure, Operand, ProductPlan, ProductShape, Stream, forgets};
use crate::dtype::DType;
use cudarc::cublaslt::{result, sys};
use std::ffi::c_void;
use std::sync::OnceLock;

pub(super) fn library<T>(call: &'static str, answer: Result<T, result::CublasError>) -> Answer<T> {
    answer.map_err(|e| Failure { call, said: format!("{:?}", e.0) })
}

/// Whether the library is there, else why it is not.
pub fn products_present() -> Result<(), String> {
    static THERE: OnceLock<bool> = OnceLock::new();
    // SAFETY: loads the library, whose initialisers are those of a system library, and keeps it: it is large.
    if *THERE.get_or_init(|| unsafe {
        sys::is_culib_present() && {
            sys::culib();
            true
        }
    }) {
        return Ok(());
    }
    Err("the library for them (libcublasLt.so) was not found; it comes with the CUDA toolkit and with the Python \
         package nvidia-cublas, and its folder must be in LD_LIBRARY_PATH"
        .into())
}

/// A handle of the library for the current context; it lives until the process ends.
pub fn open_products() -> Answer<usize> {
    library("cublasLtCreate", result::create_handle()).map(|handle| handle as usize)
}

/// How elements are stored, and what sums are kept in and scaled by.
pub(super) fn types(dtype: DType, fast: bool) -> (sys::cudaDataType, sys::cublasComputeType_t, sys::cudaDataType) {
    use sys::cublasComputeType_t as Compute;
    use sys::cudaDataType_t as Data;
    match dtype {
        DType::F64 => (Data::CUDA_R_64F, Compute::CUBLAS_COMPUTE_64F, Data::CUDA_R_64F),
        DType::F16 => (Data::CUDA_R_16F, Compute::CUBLAS_COMPUTE_32F, Data::CUDA_R_32F),
        DType::BF16 => (Data::CUDA_R_16BF, Compute::CUBLAS_COMPUTE_32F, Data::CUDA_R_32F),
        _ if fast => (Data::CUDA_R_32F, Compute::CUBLAS_COMPUTE_32F_FAST_TF32, Data::CUDA_R_32F),
        _ => (Data::CUDA_R_32F, Compute::CUBLAS_COMPUTE_32F, Data::CUDA_R_32F),
    }
}

fn layout(data: sys::cudaDataType, operand: &Operand, batch: i32) -> Answer<usize> {
    use sys::cublasLtMatrixLayoutAttribute_t as Is;
    let made = result::create_matrix_layout(data, operand.rows, operand.columns, operand.lead);
    let layout = library("cublasLtMatrixLayoutCreate", made)?;
    // SAFETY: the layout was just made; the attributes have these types.
    unsafe {
        let set = |what, value: *const c_void, bytes| {
            library("cublasLtMatrixLayoutSetAttribute", result::set_matrix_layout_attribute(layout, what, value, bytes))
        };
        set(Is::CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, (&raw const batch).cast(), 4)?;
        let stride = (&raw const operand.batch_stride).cast();
        set(Is::CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride, 8)?;
    }
    Ok(layout as usize)
}

/// A plan for products of a shape, or `None` where the library has no way. Descriptors live until the process ends.
pub fn plan_product(handle: usize, shape: &ProductShape, workspace: usize) -> Answer<Option<ProductPlan>> {
    use sys::cublasLtMatmulDescAttributes_t as Is;
    let (data, compute, scale) = types(shape.dtype, shape.fast);
    let description = library("cublasLtMatmulDescCreate", result::create_matmul_desc(compute, scale))?;
    let describe = |what, value: &i32| {
        // SAFETY: the description was just made; these attributes are 32 bits wide.
        let set = unsafe { result::set_matmul_desc_attribute(description, what, std::ptr::from_ref(value).cast(), 4) };
        library("cublasLtMatmulDescSetAttribute", set)
    };
    // `CUBLAS_OP_N` and `CUBLAS_OP_T`, which the bindings of this library leave out.
    let turned = |operand: &Operand| i32::from(operand.transposed);
    describe(Is::CUBLASLT_MATMUL_DESC_TRANSA, &turned(&shape.left))?;
    describe(Is::CUBLASLT_MATMUL_DESC_TRANSB, &turned(&shape.right))?;
    if shape.addend == Addend::Row {
        describe(Is::CUBLASLT_MATMUL_DESC_EPILOGUE, &(sys::cublasLtEpilogue_t::CUBLASLT_EPILOGUE_BIAS as i32))?;
        // Nothing is read from it: the choice of an algorithm wants an address, and looks at what it is a multiple of.
        let anywhere: Address = 1 << shape.addend_alignment.max(2);
        // SAFETY: the description was just made; the attribute is an address.
        unsafe { set_row(description as usize, &anywhere)? };
    }
    let added = match shape.addend {
        Addend::Matrix { lead } => Operand { lead, ..shape.out },
        Addend::None | Addend::Row => shape.out,
    };
    let batch = shape.batch;
    let layouts = [
        layout(data, &shape.left, batch)?,
        layout(data, &shape.right, batch)?,
        layout(data, &added, batch)?,
        layout(data, &shape.out, batch)?,
    ];
    let description = description as usize;
    let found = best_algorithm(handle, description, layouts, shape, workspace)?;
    Ok(found.map(|algorithm| ProductPlan { description, layouts, algorithm, shape: *shape }))
}

/// Tells where the numbers lie that are added to the rows of a result.
///
/// # Safety
/// The description is one of the library's.
unsafe fn set_row(description: usize, address: &Address) -> Answer<()> {
    let what = sys::cublasLtMatmulDescAttributes_t::CUBLASLT_MATMUL_DESC_BIAS_POINTER;
    // SAFETY: by the caller's promise; the attribute is an address.
    let set =
        unsafe { result::set_matmul_desc_attribute(description as _, what, std::ptr::from_ref(address).cast(), 8) };
    library("cublasLtMatmulDescSetAttribute", set)
}

/// What the library thinks is fastest, if it knows any way.
fn best_algorithm(
    handle: usize,
    description: usize,
    layouts: [usize; 4],
    shape: &ProductShape,
    workspace: usize,
) -> Answer<Option<[u64; 8]>> {
    use sys::cublasLtMatmulPreferenceAttributes_t as Is;
    let wishes = library("cublasLtMatmulPreferenceCreate", result::create_matmul_pref())?;
    // SAFETY: handles of this file, and attributes of their types. Partial sums are kept in the type of the sums, in a fixed
    // order, so that results neither lose digits nor differ from run to run.
    unsafe {
        let set = |what, value: *const c_void, bytes| {
            let set = result::set_matmul_pref_attribute(wishes, what, value, bytes);
            library("cublasLtMatmulPreferenceSetAttribute", set)
        };
        let bytes = workspace as u64;
        set(Is::CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, (&raw const bytes).cast(), 8)?;
        let sums = sys::cublasLtReductionScheme_t::CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE as u32;
        set(Is::CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, (&raw const sums).cast(), 4)?;
        let alignments = [
            (Is::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, shape.left.alignment),
            (Is::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, shape.right.alignment),
            (Is::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, shape.addend_alignment.min(shape.out.alignment)),
            (Is::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, shape.out.alignment),
        ];
        for (what, alignment) in alignments {
            let bytes = 1u32 << alignment;
            set(what, (&raw const bytes).cast(), 4)?;
        }
        let [left, right, added, out] = layouts.map(|l| l as sys::cublasLtMatrixLayout_t);
        let found = result::get_matmul_algo_heuristic(handle as _, description as _, left, right, added, out, wishes);
        let _ = result::destroy_matmul_pref(wishes);
        // What it does not like about a shape or a device: own kernels multiply it.
        match library("cublasLtMatmulAlgoGetHeuristic", found) {
            Err(e) if e.is_refusal() => Ok(None),
            found => found.map(|found| Some(found.algo.data)),
        }
    }
}

/// Queues a product: left and right factor, addend (the result, if there is none) and result.
///
/// # Safety
/// The operands are of the plan's shape and alignment and valid when the stream gets there, as is the workspace, and nobody
/// else uses the plan meanwhile.
pub unsafe fn product(
    handle: usize,
    plan: &ProductPlan,
    [left, right, added, out]: [Address; 4],
    (workspace, bytes): (Address, usize),
    stream: Stream,
) -> Answer<()> {
    if forgets(stream) {
        return Ok(());
    }
    let pointer = |address: Address| address as usize as *mut c_void;
    let (single, double) = ([1f32, 0f32], [1f64, 0f64]);
    let number = |i: usize| -> *const c_void {
        match plan.shape.dtype {
            DType::F64 => (&raw const double[i]).cast(),
            _ => (&raw const single[i]).cast(),
        }
    };
    let matrix = matches!(plan.shape.addend, Addend::Matrix { .. });
    // SAFETY: by the caller's promise.
    unsafe {
        if plan.shape.addend == Addend::Row {
            set_row(plan.description, &added)?;
        }
        let algorithm = sys::cublasLtMatmulAlgo_t { data: plan.algorithm };
        let [l, r, c, d] = plan.layouts.map(|l| l as sys::cublasLtMatrixLayout_t);
        let queued = result::matmul(
            handle as _,
            plan.description as _,
            number(0),
            number(usize::from(!matrix)),
            pointer(left),
            l,
            pointer(right),
            r,
            pointer(if matrix { added } else { out }),
            c,
            pointer(out),
            d,
            &raw const algorithm,
            pointer(workspace),
            bytes,
            stream.0 as _,
        );
        library("cublasLtMatmul", queued)
    }
}
