//! The kernels of each register type, compiled for the instructions that it needs: the loops of `tile` in all their sizes.
//! The walks of `panels` choose among them; packing asks for the copies.

use super::blocking::STRIP;
use super::number::Operands;
use super::tile::{columns, few_rows, finish, row, tile};
use crate::backend::cpu::simd::Simd;
use crate::backend::cpu::simd::x86::{F32x8, F32x16, F64x4, F64x8, Pairs16};

/// Rows of the tiles that ask for what comes next of B: only a few rows in all are cut to lower ones.
pub(super) const AHEAD_ROWS: std::ops::RangeInclusive<usize> = 4..=6;

/// A register type with its compiled kernels.
pub(super) trait Kernel: Simd {
    /// The widest tile in vectors.
    const WIDEST: usize;

    /// Bytes of a panel of B that pass by in one go where B was copied to panels, and of the rows of A that they meet: both lie in the caches.
    const PANEL: usize;
    const ROWS: usize;

    /// The most rows of a tile that is `nv` vectors wide.
    fn most_rows(nv: usize) -> usize;

    /// One tile of `mr` rows and `nv` vectors.
    ///
    /// # Safety
    ///
    /// The processor has the instructions; `mr` and `nv` are in the limits above; the operands cover the tile.
    unsafe fn tile(mr: usize, nv: usize, o: &Operands<Self::Elem>, lanes: usize);

    /// The same, which leaves what it read of B packed: k rows of `nv` vectors.
    ///
    /// # Safety
    ///
    /// As for [`Self::tile`], and there is room for so many rows at `packed`.
    unsafe fn tile_and_pack(mr: usize, nv: usize, o: &Operands<Self::Elem>, lanes: usize, packed: *mut Self::Elem);

    /// One tile of the widest, without a tail, of a B in panels as wide; it asks for the lines `ahead` while it computes.
    ///
    /// # Safety
    ///
    /// As for [`Self::tile`], with `mr` in [`AHEAD_ROWS`].
    unsafe fn tile_ahead(mr: usize, o: &Operands<Self::Elem>);

    /// One row of C.
    ///
    /// # Safety
    ///
    /// The processor has the instructions, and the operands are valid.
    unsafe fn row(o: &Operands<Self::Elem>);

    /// Few rows of C, with nothing to add.
    ///
    /// # Safety
    ///
    /// The processor has the instructions, and the operands are valid.
    unsafe fn few_rows(o: &Operands<Self::Elem>);

    /// Copies columns of unit stride, `cs` apart, to rows that are `pitch` apart; `size` has rows and columns.
    ///
    /// # Safety
    ///
    /// The processor has the instructions, the columns are there, and there is room for the rows.
    unsafe fn turn(from: *const Self::Elem, cs: isize, size: [usize; 2], to: *mut Self::Elem, pitch: usize);

    /// Copies columns of unit stride, `cs` apart, to columns that are `pitch` apart.
    ///
    /// # Safety
    ///
    /// The processor has the instructions, the columns are there, and there is room for them.
    unsafe fn columns(from: *const Self::Elem, cs: isize, size: [usize; 2], to: *mut Self::Elem, pitch: usize);
}

macro_rules! compile {
    ($v:ident, $features:literal, [$panel:literal, $rows:literal], $widest:literal, $($nv:literal: [$($mr:literal)*] $most:literal),*) => {
        impl Kernel for $v {
            const WIDEST: usize = $widest;
            const PANEL: usize = $panel << 10;
            const ROWS: usize = $rows << 10;

            #[inline(always)]
            fn most_rows(nv: usize) -> usize {
                match nv {
                    $($nv => $most,)*
                    _ => unreachable!("a tile that is too wide"),
                }
            }

            #[inline(always)]
            unsafe fn tile(mr: usize, nv: usize, o: &Operands<Self::Elem>, lanes: usize) {
                #[target_feature(enable = $features)]
                unsafe fn compiled<const MR: usize, const NV: usize>(o: &Operands<<$v as Simd>::Elem>, lanes: usize) {
                    // SAFETY: the features are enabled here; the rest is the caller's promise.
                    unsafe { tile::<$v, MR, NV, false, false>(o, lanes, std::ptr::null_mut()) }
                }
                // SAFETY: the caller's promise.
                unsafe {
                    match (nv, mr) {
                        $($(($nv, $mr) => compiled::<$mr, $nv>(o, lanes),)*)*
                        _ => unreachable!("a tile that is not compiled"),
                    }
                }
            }

            #[inline(always)]
            unsafe fn tile_and_pack(
                mr: usize,
                nv: usize,
                o: &Operands<Self::Elem>,
                lanes: usize,
                packed: *mut Self::Elem,
            ) {
                #[target_feature(enable = $features)]
                unsafe fn compiled<const MR: usize, const NV: usize>(
                    o: &Operands<<$v as Simd>::Elem>,
                    lanes: usize,
                    packed: *mut <$v as Simd>::Elem,
                ) {
                    // SAFETY: the features are enabled here; the rest is the caller's promise.
                    unsafe { tile::<$v, MR, NV, true, false>(o, lanes, packed) }
                }
                // SAFETY: the caller's promise.
                unsafe {
                    match (nv, mr) {
                        $($(($nv, $mr) => compiled::<$mr, $nv>(o, lanes, packed),)*)*
                        _ => unreachable!("a tile that is not compiled"),
                    }
                }
            }

            #[inline(always)]
            unsafe fn tile_ahead(mr: usize, o: &Operands<Self::Elem>) {
                #[target_feature(enable = $features)]
                unsafe fn compiled<const MR: usize>(o: &Operands<<$v as Simd>::Elem>) {
                    // SAFETY: the features are enabled here; the rest is the caller's promise.
                    unsafe { tile::<$v, MR, $widest, false, true>(o, $v::LANES, std::ptr::null_mut()) }
                }
                // SAFETY: the caller's promise.
                unsafe {
                    match mr {
                        4 => compiled::<4>(o),
                        5 => compiled::<5>(o),
                        6 => compiled::<6>(o),
                        _ => unreachable!("a tile that is not compiled"),
                    }
                }
            }

            unsafe fn row(o: &Operands<Self::Elem>) {
                #[target_feature(enable = $features)]
                unsafe fn compiled(o: &Operands<<$v as Simd>::Elem>) {
                    // SAFETY: the features are enabled here; the rest is the caller's promise.
                    unsafe {
                        let done = row::<$v, 8>(o, o.add);
                        let rest = Operands {
                            k: o.k - done,
                            a: o.a.wrapping_offset(done as isize * o.a_cs),
                            b: o.b.wrapping_offset(done as isize * o.b_rs),
                            ..*o
                        };
                        row::<$v, 1>(&rest, o.add || done > 0);
                        finish::<$v>(o);
                    }
                }
                // SAFETY: the caller's promise.
                unsafe { compiled(o) }
            }

            unsafe fn few_rows(o: &Operands<Self::Elem>) {
                #[target_feature(enable = $features)]
                unsafe fn compiled(o: &Operands<<$v as Simd>::Elem>) {
                    // SAFETY: the features are enabled here; the rest is the caller's promise.
                    unsafe {
                        let done = few_rows::<$v, 4>(o, o.add);
                        let rest = Operands {
                            k: o.k - done,
                            a: o.a.wrapping_offset(done as isize * o.a_cs),
                            b: o.b.wrapping_offset(done as isize * o.b_rs),
                            ..*o
                        };
                        few_rows::<$v, 1>(&rest, o.add || done > 0);
                        finish::<$v>(o);
                    }
                }
                // SAFETY: the caller's promise.
                unsafe { compiled(o) }
            }

            unsafe fn columns(from: *const Self::Elem, cs: isize, size: [usize; 2], to: *mut Self::Elem, pitch: usize) {
                #[target_feature(enable = $features)]
                unsafe fn compiled(from: *const <$v as Simd>::Elem, cs: isize, size: [usize; 2], to: *mut <$v as Simd>::Elem, pitch: usize) {
                    // SAFETY: the features are enabled here; the rest is the caller's promise.
                    unsafe { columns::<$v>(from, cs, size, to, pitch) }
                }
                // SAFETY: the caller's promise.
                unsafe { compiled(from, cs, size, to, pitch) }
            }

            #[inline]
            unsafe fn turn(from: *const Self::Elem, cs: isize, [k, cols]: [usize; 2], to: *mut Self::Elem, pitch: usize) {
                for at in (0..k).step_by(STRIP) {
                    let rows = STRIP.min(k - at);
                    let (from, to) = (from.wrapping_add(at), to.wrapping_add(at * pitch));
                    let mut first = 0;
                    // SAFETY: the caller's promise; whoever packs has AVX2.
                    unsafe {
                        if size_of::<Self::Elem>() == 4 && rows == STRIP {
                            first = super::transpose::strip(from.cast(), cs, to.cast(), pitch as isize, cols);
                        }
                        for row in 0..rows {
                            for col in first..cols {
                                *to.add(row * pitch + col) = *from.offset(col as isize * cs).add(row);
                            }
                        }
                    }
                }
            }
        }
    };
}

compile!(F32x16, "avx512f", [128, 512], 4, 1: [1 2 3 4 5 6 7 8] 8, 2: [1 2 3 4 5 6 7 8] 8, 3: [1 2 3 4 5 6 7 8] 8, 4: [1 2 3 4 5 6] 6);
compile!(Pairs16, "avx512f,avx512bf16", [128, 512], 4, 1: [1 2 3 4 5 6 7 8] 8, 2: [1 2 3 4 5 6 7 8] 8, 3: [1 2 3 4 5 6 7 8] 8, 4: [1 2 3 4 5 6] 6);
compile!(F64x8, "avx512f", [128, 512], 4, 1: [1 2 3 4 5 6 7 8] 8, 2: [1 2 3 4 5 6 7 8] 8, 3: [1 2 3 4 5 6 7 8] 8, 4: [1 2 3 4 5 6] 6);
compile!(F32x8, "avx2,fma", [32, 256], 2, 1: [1 2 3 4 5 6 7 8] 8, 2: [1 2 3 4 5 6] 6);
compile!(F64x4, "avx2,fma", [32, 256], 2, 1: [1 2 3 4 5 6 7 8] 8, 2: [1 2 3 4 5 6] 6);
