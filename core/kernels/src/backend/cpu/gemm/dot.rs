//! The product as dot products of rows of A with columns of B, both contiguous: for few rows or few columns.
//! `blocking` takes it where a transposed copy of the large operand would cost more than the product.

use super::number::Operands;
use crate::backend::cpu::simd::x86::{F32x8, F32x16, F64x4, F64x8};
use crate::backend::cpu::simd::{Float, Simd, ask_for};

/// Dot products of `MR` rows with `NR` columns.
#[inline(always)]
unsafe fn dots<V: Simd, const MR: usize, const NR: usize>(o: &Operands<V::Elem>) {
    // SAFETY: the caller vouches for the instructions and that the operands cover MR rows and NR columns of k elements.
    unsafe {
        // One or two dot products alone would wait for each addition: they run in several lanes of time.
        let mut acc = [[[V::zero(); NR]; MR]; 4];
        let ways = if MR * NR >= 8 {
            1
        } else if MR * NR >= 4 {
            2
        } else {
            4
        };
        let mut at = 0;
        while at + ways * V::LANES <= o.k {
            for way in 0..ways {
                let mut b = [V::zero(); NR];
                for j in 0..NR {
                    let from = o.b.offset(j as isize * o.b_cs);
                    if MR == 1 && NR == 4 {
                        ask_for(from.wrapping_offset(4 * o.b_cs).wrapping_add(at).cast(), 64);
                    }
                    b[j] = V::load(from.add(at));
                }
                for i in 0..MR {
                    let from = o.a.offset(i as isize * o.a_rs);
                    if MR == 4 && NR == 1 {
                        ask_for(from.wrapping_offset(4 * o.a_rs).wrapping_add(at).cast(), 64);
                    }
                    let a = V::load(from.add(at));
                    for j in 0..NR {
                        acc[way][i][j] = a.fma(b[j], acc[way][i][j]);
                    }
                }
                at += V::LANES;
            }
        }
        while at < o.k {
            let lanes = V::LANES.min(o.k - at);
            let tail = V::tail(lanes);
            for i in 0..MR {
                let a = V::load_tail(o.a.offset(i as isize * o.a_rs).add(at), tail);
                for j in 0..NR {
                    let b = V::load_tail(o.b.offset(j as isize * o.b_cs).add(at), tail);
                    acc[0][i][j] = a.fma(b, acc[0][i][j]);
                }
            }
            at += lanes;
        }
        for i in 0..MR {
            for j in 0..NR {
                let mut all = acc[0][i][j];
                if ways > 1 {
                    all = all.add(acc[1][i][j]);
                }
                if ways > 2 {
                    all = all.add(acc[2][i][j].add(acc[3][i][j]));
                }
                let c = o.c.offset(i as isize * o.c_rs).add(j);
                let sum = all.sum_by_halves();
                let sum = if o.add { *c + sum } else { sum };
                *c = if o.last { sum.flushed() } else { sum };
            }
        }
    }
}

/// A register type with its compiled dot products.
pub(super) trait Dots: Simd {
    /// # Safety
    ///
    /// The processor has the instructions, and the operands are valid: A with unit column, B with unit row stride.
    unsafe fn block(o: &Operands<Self::Elem>);
}

macro_rules! compile {
    ($v:ident, $features:literal) => {
        impl Dots for $v {
            unsafe fn block(o: &Operands<Self::Elem>) {
                #[target_feature(enable = $features)]
                unsafe fn compiled<const MR: usize, const NR: usize>(o: &Operands<<$v as Simd>::Elem>) {
                    // SAFETY: the features are enabled here; the rest is the caller's promise.
                    unsafe { dots::<$v, MR, NR>(o) }
                }
                for_tiles(o, |part| {
                    // SAFETY: the part lies in the block.
                    unsafe {
                        match (part.m, part.n) {
                            (4, 4) => compiled::<4, 4>(part),
                            (4, 1) => compiled::<4, 1>(part),
                            (1, 4) => compiled::<1, 4>(part),
                            (2, 4) => compiled::<2, 4>(part),
                            (4, 2) => compiled::<4, 2>(part),
                            (2, 2) => compiled::<2, 2>(part),
                            (2, 1) => compiled::<2, 1>(part),
                            (1, 2) => compiled::<1, 2>(part),
                            _ => compiled::<1, 1>(part),
                        }
                    }
                });
            }
        }
    };
}

compile!(F32x16, "avx512f");
compile!(F64x8, "avx512f");
compile!(F32x8, "avx2,fma");
compile!(F64x4, "avx2,fma");

/// Calls `tile` on parts of 4, 2 or 1 rows and columns.
#[inline(always)]
fn for_tiles<T: Copy>(o: &Operands<T>, tile: impl Fn(&Operands<T>)) {
    let step = |left: usize| {
        if left >= 4 {
            4
        } else if left >= 2 {
            2
        } else {
            1
        }
    };
    let mut j = 0;
    while j < o.n {
        let n = step(o.n - j);
        let mut i = 0;
        while i < o.m {
            let m = step(o.m - i);
            tile(&Operands {
                m,
                n,
                a: o.a.wrapping_offset(i as isize * o.a_rs),
                b: o.b.wrapping_offset(j as isize * o.b_cs),
                c: o.c.wrapping_offset(i as isize * o.c_rs).wrapping_add(j),
                ..*o
            });
            i += m;
        }
        j += n;
    }
}

/// Multiplies a part.
///
/// # Safety
///
/// As for [`Dots::block`].
pub(super) unsafe fn block<D: Dots>(o: &Operands<D::Elem>) {
    // SAFETY: the caller's promise.
    unsafe { D::block(o) }
}
