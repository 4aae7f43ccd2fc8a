//! The instantiations of the microkernel: which tile sizes each instruction set has, as a table of functions.
//! The drivers choose by vectors per row and rows left; nothing else in the module depends on the instruction set.

use super::dots::dots;
use super::tile::{Tile, tile};
use crate::backend::cpu::isa::Isa;
use crate::backend::cpu::simd::{Float, Simd};

type Call<T> = unsafe fn(&Tile<T>);

/// Tiles of one width, the highest first. The lowest still has about eight accumulators: with fewer the latency of
/// the fused multiply-add would cost what the saved rows give.
pub(super) type Column<T> = &'static [(usize, Call<T>)];

/// The microkernels of one instruction set and one way to lay out the panel.
pub(super) struct Kernels<T: 'static> {
    /// Output channels of a vector.
    pub lanes: usize,
    /// Whether vectors run along the sum: then the panel has a row for each output channel, and `lanes` is 1.
    pub dots: bool,
    /// Entry `v - 1` holds the tiles of `v` vectors.
    pub columns: &'static [Column<T>],
}

impl<T: Float> Kernels<T> {
    /// The microkernels for a CPU.
    pub fn of(isa: Isa) -> &'static Self {
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => Self::AVX512,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => Self::AVX2,
            #[allow(unreachable_patterns, reason = "the other instruction sets exist on one architecture only")]
            _ => Self::PORTABLE,
        }
    }

    /// The microkernels for a product with few output channels and many source channels, else those of [`of`](Self::of).
    pub fn for_product(isa: Isa, taps: usize, source: usize, output: usize) -> &'static Self {
        let wide = Self::of(isa);
        // Fused steps of a pixel; a sum over lanes costs about ten.
        let dots = output * (taps * source.div_ceil(wide.lanes) + 10);
        if 3 * dots > 2 * taps * source * output.div_ceil(wide.lanes) {
            return wide;
        }
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => Self::AVX512_DOTS,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => Self::AVX2_DOTS,
            #[allow(unreachable_patterns, reason = "the other instruction sets exist on one architecture only")]
            _ => Self::PORTABLE_DOTS,
        }
    }

    // 32 registers: up to 27 accumulators, the vectors of the panel and, from two vectors on, the broadcast value.
    // One vector takes the broadcast from memory, and needs many rows because each fused step is also a load.
    #[cfg(target_arch = "x86_64")]
    const AVX512: &'static Self = &Self {
        lanes: <T::Avx512 as Simd>::LANES,
        dots: false,
        columns: &[
            &[(24, avx512::<T, 24, 1, 4>), (16, avx512::<T, 16, 1, 4>), (8, avx512::<T, 8, 1, 4>)],
            &[(12, avx512::<T, 12, 2, 2>), (8, avx512::<T, 8, 2, 1>), (4, avx512::<T, 4, 2, 1>)],
            &[(9, avx512::<T, 9, 3, 1>), (6, avx512::<T, 6, 3, 1>), (3, avx512::<T, 3, 3, 1>)],
            &[(6, avx512::<T, 6, 4, 4>), (4, avx512::<T, 4, 4, 4>), (2, avx512::<T, 2, 4, 4>)],
        ],
    };

    // 16 registers: 12 accumulators. Three vectors by four rows would need all of them and spill.
    #[cfg(target_arch = "x86_64")]
    const AVX2: &'static Self = &Self {
        lanes: <T::Avx2 as Simd>::LANES,
        dots: false,
        columns: &[
            &[(12, avx2::<T, 12, 1, 2>), (8, avx2::<T, 8, 1, 2>)],
            &[(6, avx2::<T, 6, 2, 1>), (4, avx2::<T, 4, 2, 1>)],
        ],
    };

    const PORTABLE: &'static Self = &Self {
        lanes: <T::Portable as Simd>::LANES,
        dots: false,
        columns: &[
            &[(12, portable::<T, 12, 1, 1>), (8, portable::<T, 8, 1, 1>)],
            &[(6, portable::<T, 6, 2, 1>), (4, portable::<T, 4, 2, 1>)],
        ],
    };

    #[cfg(target_arch = "x86_64")]
    const AVX512_DOTS: &'static Self = &Self {
        lanes: 1,
        dots: true,
        columns: &[&[(8, avx512_dots::<T, 8, 1>)], &[(4, avx512_dots::<T, 4, 2>)], &[(4, avx512_dots::<T, 4, 3>)]],
    };

    #[cfg(target_arch = "x86_64")]
    const AVX2_DOTS: &'static Self = &Self {
        lanes: 1,
        dots: true,
        columns: &[&[(8, avx2_dots::<T, 8, 1>)], &[(4, avx2_dots::<T, 4, 2>)], &[(4, avx2_dots::<T, 4, 3>)]],
    };

    const PORTABLE_DOTS: &'static Self = &Self {
        lanes: 1,
        dots: true,
        columns: &[
            &[(8, portable_dots::<T, 8, 1>)],
            &[(4, portable_dots::<T, 4, 2>)],
            &[(4, portable_dots::<T, 4, 3>)],
        ],
    };
}

/// The tile for `rows` rows: the highest as long as it fills, then the lowest that takes them all.
#[inline]
pub(super) fn choose<T>(column: Column<T>, rows: usize) -> (usize, Call<T>) {
    let mut best = column[0];
    for &c in &column[1..] {
        if c.0 >= rows {
            best = c;
        }
    }
    best
}

/// The split of a row of channels into blocks of at most as many vectors as the widest tile.
#[derive(Clone, Copy)]
pub(super) struct Blocks {
    channels: usize,
    lanes: usize,
    vectors: usize,
    /// Number of blocks; 0 without channels.
    pub count: usize,
}

/// One block of channels.
pub(super) struct Block {
    /// The first channel.
    pub start: usize,
    pub vectors: usize,
    /// Channels of the last vector.
    pub lanes: usize,
}

impl Blocks {
    pub fn new<T>(kernels: &Kernels<T>, channels: usize) -> Self {
        let vectors = channels.div_ceil(kernels.lanes);
        Self { channels, lanes: kernels.lanes, vectors, count: vectors.div_ceil(kernels.columns.len()) }
    }

    /// Channels rounded up to whole vectors.
    pub fn padded(self) -> usize {
        self.vectors * self.lanes
    }

    /// The first channel of a block; behind the last one, all padded channels.
    pub fn start(self, i: usize) -> usize {
        (i * self.vectors).checked_div(self.count).map_or(0, |vector| vector * self.lanes)
    }

    pub fn get(self, i: usize) -> Block {
        let (start, end) = (i * self.vectors / self.count, (i + 1) * self.vectors / self.count);
        let lanes = self.channels.min(end * self.lanes) - (end - 1) * self.lanes;
        Block { start: start * self.lanes, vectors: end - start, lanes }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn avx512<T: Float, const P: usize, const V: usize, const U: usize>(t: &Tile<T>) {
    // SAFETY: the table gives this function for a CPU with AVX-512 only; the rest is the caller's promise.
    unsafe { tile::<T::Avx512, P, V, U>(t) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<T: Float, const P: usize, const V: usize, const U: usize>(t: &Tile<T>) {
    // SAFETY: the table gives this function for a CPU with AVX2 and FMA only; the rest is the caller's promise.
    unsafe { tile::<T::Avx2, P, V, U>(t) }
}

unsafe fn portable<T: Float, const P: usize, const V: usize, const U: usize>(t: &Tile<T>) {
    // SAFETY: the caller's promise; the vectors need nothing of the CPU.
    unsafe { tile::<T::Portable, P, V, U>(t) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn avx512_dots<T: Float, const P: usize, const V: usize>(t: &Tile<T>) {
    // SAFETY: as for `avx512`.
    unsafe { dots::<T::Avx512, P, V>(t) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2_dots<T: Float, const P: usize, const V: usize>(t: &Tile<T>) {
    // SAFETY: as for `avx2`.
    unsafe { dots::<T::Avx2, P, V>(t) }
}

unsafe fn portable_dots<T: Float, const P: usize, const V: usize>(t: &Tile<T>) {
    // SAFETY: as for `portable`.
    unsafe { dots::<T::Portable, P, V>(t) }
}
