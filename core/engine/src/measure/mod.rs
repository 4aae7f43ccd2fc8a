//! What programs that measure need beside the public surface: a product by cublasLt called directly, a copy within a device, and
//! what compiling kernels has taken. `examples/gpu_check` uses it; nothing here is part of the interface.

mod recorded;

pub use recorded::{Recorded, repeat_while};

use crate::tensor::Tensor;
use kernels::backend::cuda;
use kernels::error::{Error, Result};
use std::time::Duration;

/// A product of two row-major matrices on a GPU by NVIDIA's library, with a handle, an algorithm and a workspace of its own.
pub struct DirectProduct {
    factors: [Tensor; 2],
    result: Tensor,
    product: cuda::DirectProduct,
}

impl DirectProduct {
    /// For dense matrices of one floating-point dtype on one GPU; `fast` lets `float32` be rounded to TF32.
    ///
    /// # Errors
    /// InvalidArgument for other operands, and what the library refuses.
    #[track_caller]
    pub fn new(a: &Tensor, b: &Tensor, fast: bool) -> Result<Self> {
        let gpu = gpu_of(a)?;
        let fits = a.rank() == 2 && b.rank() == 2 && a.dim(1) == b.dim(0) && a.dtype() == b.dtype();
        if !fits || !a.dtype().is_floating() || !a.is_row_major() || !b.is_row_major() || b.device() != a.device() {
            return Err(Error::invalid_argument(
                "direct_product",
                "two dense matrices of floats on one GPU are needed",
            )
            .got(format!("{} and {}", a.ty(), b.ty())));
        }
        let sizes = [a.shape()[0], a.shape()[1], b.shape()[1]];
        let product = cuda::DirectProduct::new(gpu, a.dtype(), fast, sizes)?;
        let result = crate::zeros([sizes[0], sizes[2]]).cast(a.dtype()).to_device(&a.device().to_string())?;
        Ok(Self { factors: [a.clone(), b.clone()], result, product })
    }

    /// Queues the product, over the result of the last call.
    ///
    /// # Errors
    /// What the library refuses.
    pub fn run(&self) -> Result<()> {
        let [a, b] = &self.factors;
        let addresses = [a, b, &self.result].map(|t| t.address().addr() as u64);
        // SAFETY: the tensors live on the device, have the sizes of the product, and are used in the order of its stream.
        unsafe { self.product.run(addresses) }
    }

    /// What the last call computed.
    pub fn result(&self) -> &Tensor {
        &self.result
    }
}

/// Copies the elements of one dense tensor over another's of the same size in bytes on the same GPU, which nobody else reads.
///
/// # Errors
/// InvalidArgument for other tensors.
#[track_caller]
pub fn copy_within(from: &Tensor, to: &Tensor) -> Result<()> {
    let gpu = gpu_of(from)?;
    let bytes = |t: &Tensor| t.num_elements() * t.dtype().size();
    if to.device() != from.device() || bytes(from) != bytes(to) || !from.is_row_major() || !to.is_row_major() {
        return Err(Error::invalid_argument("copy_within", "two dense tensors of one size on one GPU are needed")
            .got(format!("{} and {}", from.ty(), to.ty())));
    }
    // SAFETY: both hold so many bytes, apart from each other.
    unsafe { gpu.copy(to.address().addr() as u64, from.address().addr() as u64, bytes(from)) }
}

/// How many kernels were compiled in this process, and the time that it took; those found on disk do not count.
pub fn compiled() -> (usize, Duration) {
    cuda::compiled()
}

#[track_caller]
fn gpu_of(tensor: &Tensor) -> Result<&'static cuda::Gpu> {
    match tensor.device_id().gpu_index() {
        Some(index) => cuda::gpu(index),
        None => Err(Error::invalid_argument("measure", "the tensor does not lie on a GPU").got(tensor.device())),
    }
}
