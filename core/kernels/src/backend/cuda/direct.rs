//! A product by NVIDIA's library called directly, with a workspace of its own, for comparisons.
//! `measure.rs` holds one; the products of operations are `library.rs`'s.

use super::buffers::Buffer;
use super::driver::{self, Address};
use super::gpu::Gpu;
use crate::dtype::DType;
use crate::error::{Error, Result};

/// Bytes that the library may use while it multiplies.
const WORKSPACE: usize = 32 << 20;

/// One product, ready to run.
pub struct DirectProduct {
    gpu: &'static Gpu,
    direct: driver::Direct,
    workspace: Buffer,
}

impl DirectProduct {
    /// Of a matrix of `m` by `k` elements and one of `k` by `n`.
    pub fn new(gpu: &'static Gpu, dtype: DType, fast: bool, sizes: [usize; 3]) -> Result<Self> {
        driver::products_present().map_err(|why| Error::failed_precondition("direct_product", why))?;
        let workspace = gpu.allocate(WORKSPACE)?;
        gpu.bind()?;
        let direct = driver::Direct::new(dtype, fast, sizes.map(|n| n as u64), WORKSPACE);
        Ok(Self { gpu, direct: direct.map_err(|e| gpu.failed("direct_product", &e))?, workspace })
    }

    /// Queues the product of two matrices into a third, by their addresses.
    ///
    /// # Safety
    /// The matrices are valid on the device in the order of its stream, and have the sizes told.
    pub unsafe fn run(&self, matrices: [Address; 3]) -> Result<()> {
        self.gpu.bind()?;
        let workspace = (self.workspace.address(), WORKSPACE);
        // SAFETY: by the caller's promise; the workspace is this product's own.
        unsafe { self.direct.run(matrices, workspace, self.gpu.stream()) }
            .map_err(|e| self.gpu.failed("direct_product", &e))
    }
}
