//! Few output pixels under large filters: their inputs are gathered, one row for each pixel, and multiplied with the filters where they lie.
//! `forward` asks for it first; packing the filters would take longer than all that is computed with them.

use super::forward::{axis_h, axis_w};
use super::{ConvGeometry, dtype_of};
use crate::backend::cpu::gemm::{self, Addend, FEW_ROWS, MatMul};
use crate::backend::cpu::isa::Isa;
use crate::backend::cpu::simd::Float;
use crate::backend::cpu::view::Work;
use crate::dtype::DType;

/// Bytes of the filters, and output channels, from which few pixels are multiplied so.
const LARGE: usize = 1 << 20;
const FEWEST_CHANNELS: usize = 256;

/// The product of the gathered pixels with the filters.
pub(super) struct FewPixels {
    g: ConvGeometry,
    product: MatMul,
    dtype: DType,
    isa: Isa,
}

impl FewPixels {
    /// Where it pays: for geometries of one plane and one group.
    pub fn new<T: Float>(g: &ConvGeometry, isa: Isa) -> Option<Self> {
        let size = size_of::<T>();
        let pixels = g.batch * g.out_h * g.out_w;
        let large = g.out_c >= FEWEST_CHANNELS && g.depth().saturating_mul(g.out_c * size) >= LARGE;
        // Products go along the filters' rows where they have vectors.
        if !(isa != Isa::Portable && (2..=FEW_ROWS).contains(&pixels) && g.groups == 1 && g.is_flat() && large) {
            return None;
        }
        // Rows at a distance of half a page, or whole ones, would share few lines of the first-level cache.
        let pitch = g.depth().next_multiple_of(16) + 16;
        let product = MatMul { a_rs: pitch as isize, ..MatMul::dense(pixels, g.depth(), g.out_c) };
        Some(Self { g: *g, product, dtype: dtype_of::<T>(), isa })
    }

    /// Bytes of the gathered pixels.
    fn gathered(&self) -> usize {
        (self.product.m * self.product.a_rs.unsigned_abs() * self.dtype.size()).next_multiple_of(64)
    }

    pub fn work(&self) -> Work {
        let Work { scratch, phases } = gemm::work(&self.product, self.dtype, self.isa);
        Work { scratch: self.gathered() + scratch, phases: [self.product.m, phases[0], phases[1], phases[2], 0] }
    }

    /// One chunk: a pixel to gather, or a part of the product.
    ///
    /// # Safety
    /// As for [`super::forward`], with the phases of [`Self::work`].
    pub unsafe fn run<T: Float>(
        &self,
        x: *const T,
        w: *const T,
        y: *mut T,
        scratch: *mut u8,
        phase: usize,
        chunk: usize,
    ) {
        let pitch = self.product.a_rs.unsigned_abs();
        // SAFETY: the scratch begins with a row for each pixel, of which this chunk owns one; the rest is the product's.
        unsafe {
            if phase == 0 {
                return self.gather(x, scratch.cast::<T>().add(chunk * pitch), chunk);
            }
            let rest = scratch.add(self.gathered());
            let (a, b) = (scratch.cast_const(), w.cast());
            gemm::run(&self.product, self.dtype, self.isa, a, b, y.cast(), Addend::NONE, rest, phase - 1, chunk);
        }
    }

    /// The inputs of a pixel in the order of the filters' rows, with zeros where the image ends.
    unsafe fn gather<T: Float>(&self, x: *const T, mut to: *mut T, pixel: usize) {
        let g = &self.g;
        let (col, row, image) = (pixel % g.out_w, pixel / g.out_w % g.out_h, pixel / g.out_w / g.out_h);
        let (rows, cols) = (axis_h(g), axis_w(g));
        let (down, across) = (rows.run(row..row + 1).taps, cols.run(col..col + 1).taps);
        for tap_row in 0..g.k_h {
            for tap_col in 0..g.k_w {
                // SAFETY: the pixel that is read lies in the image, and the row has room for all taps.
                unsafe {
                    if down.contains(&tap_row) && across.contains(&tap_col) {
                        let (r, c) = (rows.at(row, tap_row), cols.at(col, tap_col));
                        let from = x.add(((image * g.in_h + r) * g.in_w + c) * g.in_c);
                        from.copy_to_nonoverlapping(to, g.in_c);
                    } else {
                        std::slice::from_raw_parts_mut(to, g.in_c).fill(T::default());
                    }
                    to = to.add(g.in_c);
                }
            }
        }
    }
}
