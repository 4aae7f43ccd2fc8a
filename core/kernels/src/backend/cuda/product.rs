//! Products of matrices, batches and addends on a device: by NVIDIA's library where it is there, else by tiles of our own.
//! `matmul`, `matmul_add` and convolutions of single pixels run here; sums do not depend on anything but shapes and device.

use super::buffers::Buffer;
use super::call::{Arguments, CudaCall, Strided, THREADS, grid};
use super::library;
use super::program::Kernel;
use crate::backend::cpu::View;
use crate::backend::cpu::merge_dims::{Collapsed, collapse};
use crate::dtype::DType;
use crate::error::Result;
use crate::shape::MAX_RANK;
use smallvec::SmallVec;

/// What is added to a product of two matrices: rows of unit stride; a row stride of 0 adds one row to all.
#[derive(Clone, Copy)]
pub struct Plus {
    pub address: u64,
    pub row_stride: usize,
}

/// A batched product as kernels take it.
pub(super) struct Product {
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub a: Factor,
    pub b: Factor,
    /// Merged dimensions of the batches; operands 0 and 1 are the factors, 2 is the dense result.
    pub batches: Collapsed,
}

/// A factor: its first element, and the strides of rows and columns in elements.
#[derive(Clone, Copy)]
pub(super) struct Factor {
    pub address: u64,
    pub row: isize,
    pub column: isize,
}

impl Product {
    pub fn new(a: &View, b: &View, c: &View) -> Self {
        let factor = |view: &View| Factor {
            address: view.ptr.addr() as u64,
            row: view.strides()[view.rank() - 2],
            column: view.strides()[view.rank() - 1],
        };
        let outer = c.rank() - 2;
        let stride = |view: &View, axis: usize| match (axis + view.rank()).checked_sub(c.rank()) {
            Some(own) if view.dims()[own] != 1 => view.strides()[own],
            _ => 0,
        };
        let batches = collapse(&c.dims()[..outer], 3, |o, axis| stride([a, b, c][o], axis), |_, _| true);
        let (m, n, k) = (c.dims()[outer], c.dims()[outer + 1], a.dims()[a.rank() - 1]);
        Self { m, n, k, a: factor(a), b: factor(b), batches }
    }

    pub fn count(&self) -> usize {
        self.batches.dims.iter().product()
    }

    fn strided(&self, operand: usize) -> Strided {
        let dims = &self.batches.dims;
        let strides: SmallVec<[isize; MAX_RANK]> =
            (0..dims.len()).map(|axis| self.batches.stride(axis, operand)).collect();
        Strided::new(dims, &strides)
    }
}

/// Writes the product of the last two dimensions of `a` and `b`, batches broadcast, and what is added, to the dense `c`,
/// over which the addend may lie. Only a single product takes an addend.
///
/// # Safety
/// The views are valid on the call's device in the order of its stream, fit each other, and have the dtype of `c`.
pub unsafe fn product(call: &CudaCall<'_>, a: &View, b: &View, c: &View, plus: Option<Plus>) -> Result<()> {
    if c.is_empty() {
        return Ok(());
    }
    let product = Product::new(a, b, c);
    let floating = c.dtype.is_floating();
    // SAFETY: by the caller's promise.
    unsafe {
        if floating && product.k > 0 && library::product(call, [a, b, c], &product, plus)? {
            return Ok(());
        }
        by_tiles(call, &product, c, plus)
    }
}

/// Rows and columns of a tile, as the kernel's text has them.
const TILE: usize = 64;
/// Steps that are worth a part of their own.
const STEPS: usize = 256;

/// How steps are cut into parts so that the device is busy with `tiles` tiles: steps of a part, and parts.
pub(super) fn cut(call: &CudaCall<'_>, tiles: usize, steps: usize) -> (usize, usize) {
    let busy = call.gpu.multiprocessors() as usize * 2;
    let parts = (busy / tiles.max(1)).clamp(1, steps.div_ceil(STEPS).max(1));
    // Whole slices of the tiles' steps.
    let part = steps.div_ceil(parts).max(1).next_multiple_of(16);
    (part, steps.div_ceil(part).max(1))
}

/// Tiles of a matrix.
fn tiles(rows: usize, columns: usize) -> usize {
    rows.div_ceil(TILE) * columns.div_ceil(TILE)
}

/// The kernels by whether neighbouring steps of the left and right factor lie side by side.
macro_rules! kernels {
    ($($a:literal $b:literal)*) => {
        [$(Kernel {
            name: "product",
            text: &[concat!("#define A_BY_K ", $a, "\n#define B_BY_K ", $b, "\n"), include_str!("sums.cuh"),
                include_str!("tiles.cuh"), include_str!("product.cuh")],
        }),*]
    };
}

static KERNELS: [Kernel; 4] = kernels! { "false" "false" "false" "true" "true" "false" "true" "true" };

/// # Safety
/// As [`product`].
unsafe fn by_tiles(call: &CudaCall<'_>, p: &Product, c: &View, plus: Option<Plus>) -> Result<()> {
    let tiles = tiles(p.m, p.n) * p.count();
    let (part, parts) = cut(call, tiles, p.k);
    let sums = Sums::new(call, c, parts)?;
    let kernel = &KERNELS[2 * usize::from(p.a.column == 1) + usize::from(p.b.row == 1)];
    let own = if parts == 1 { plus } else { None };
    // SAFETY: by the caller's promise; parts lie in scratch memory of their number.
    unsafe {
        call.launch(kernel, &[c.dtype, sums.dtype], grid(tiles * parts, THREADS), |to| {
            let strides = [p.a.row, p.a.column, p.b.row, p.b.column].map(|s| s as i64);
            let sizes = [p.m, p.n, p.k].map(|n| n as i64);
            let parts = [part, parts, p.count()].map(|n| n as i64);
            to.words(&[&sizes[..], &strides[..], &parts[..]].concat());
            to.value(p.strided(0));
            to.value(p.strided(1));
            to.address(p.a.address);
            to.address(p.b.address);
            added(to, own);
            to.address(sums.address);
        })?;
        sums.finish(call, c, p.n, plus)
    }
}

fn added(to: &mut Arguments, plus: Option<Plus>) {
    to.address(plus.map_or(0, |p| p.address));
    to.size(plus.map_or(0, |p| p.row_stride));
}

/// Where a kernel writes that may have parts: the result, or a sum for each part.
pub(super) struct Sums {
    pub address: u64,
    pub dtype: DType,
    parts: usize,
    _held: Option<Buffer>,
}

impl Sums {
    pub fn new(call: &CudaCall<'_>, c: &View, parts: usize) -> Result<Self> {
        if parts == 1 {
            return Ok(Self { address: c.ptr.addr() as u64, dtype: c.dtype, parts, _held: None });
        }
        let dtype = c.dtype.compute();
        let held = call.scratch(parts * c.len() * dtype.size())?;
        Ok(Self { address: held.address(), dtype, parts, _held: Some(held) })
    }

    /// Adds the parts up and an addend to them, for a result with rows of `n` elements.
    ///
    /// # Safety
    /// The parts were written.
    pub unsafe fn finish(self, call: &CudaCall<'_>, c: &View, n: usize, plus: Option<Plus>) -> Result<()> {
        static KERNEL: Kernel = Kernel { name: "add_parts", text: &[include_str!("parts.cuh")] };
        if self.parts == 1 {
            return Ok(());
        }
        let shares = shares(call, c.len(), self.parts);
        let most = call.gpu.multiprocessors() as usize * BLOCKS;
        let blocks = c.len().div_ceil(THREADS as usize / shares).clamp(1, most);
        // SAFETY: by the caller's promise.
        unsafe {
            call.launch(&KERNEL, &[self.dtype, c.dtype], grid(blocks, THREADS), |to| {
                to.sizes(&[c.len(), shares]);
                to.address(self.address);
                to.sizes(&[self.parts, n]);
                added(to, plus);
                to.view(c);
            })
        }
    }
}

/// Blocks for each multiprocessor that add parts up.
const BLOCKS: usize = 16;
/// The most threads that share the parts of a result: neighbours should still read 32 bytes that lie side by side.
const SHARES: usize = 32;

/// How many threads share the parts of each result, a power of two: as many as keep the device busy.
fn shares(call: &CudaCall<'_>, results: usize, parts: usize) -> usize {
    let busy = call.gpu.multiprocessors() as usize * 4 * THREADS as usize;
    let most = (busy / results.max(1)).clamp(1, SHARES.min(parts));
    1 << most.ilog2()
}
