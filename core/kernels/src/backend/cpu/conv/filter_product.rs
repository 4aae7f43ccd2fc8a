//! The gradient of filters of one pixel that read every pixel once: a product of the input's pixels, transposed, with the output gradient.
//! `filter_gradient` asks for it first; tiles of products read both operands in longer runs than those of convolutions.

use super::ConvGeometry;
use crate::backend::cpu::gemm::MatMul;
use crate::backend::cpu::isa::Isa;
use crate::backend::cpu::simd::Float;

/// Channels of the input and of the output at least, of which products have full tiles.
const FEWEST_CHANNELS: usize = 32;

/// Output channels that fill the widest tile of AVX-512, and bytes of both operands above which narrower ones wait for memory more than for anything else: cells
/// of a convolution come from there faster.
const FULL_TILE: usize = 64;
const IN_CACHES: usize = 32 << 20;

/// The product, for geometries of one group that have one.
pub(super) fn product<T: Float>(g: &ConvGeometry, isa: Isa) -> Option<MatMul> {
    let wide = g.in_c.min(g.out_c) >= FEWEST_CHANNELS && g.groups == 1;
    if isa == Isa::Portable || !wide || g.taps() != 1 {
        return None;
    }
    let g = g.flattened();
    let every_pixel = g.is_flat() && (g.batch, g.in_h, g.out_h) == (1, 1, 1) && g.in_w == g.out_w;
    if !every_pixel || g.stride_w != 1 || (g.pad_top, g.pad_left) != (0, 0) {
        return None;
    }
    let bytes = g.in_w.saturating_mul((g.in_c + g.out_c) * size_of::<T>());
    if isa == Isa::Avx512 && g.out_c < FULL_TILE && bytes > IN_CACHES {
        return None;
    }
    Some(MatMul { a_rs: 1, a_cs: g.in_c as isize, ..MatMul::dense(g.in_c, g.in_w, g.out_c) })
}
