//! The integer product: wrapping arithmetic in plain loops, which the compiler turns into vectors per instruction set.
//! `Number::multiply` of the integer types calls [`block`].

use super::number::{Number, Operands};
use crate::backend::cpu::isa::Isa;

/// An integer type.
pub(super) trait Integer: Number {
    /// The wrapping product.
    fn times(self, other: Self) -> Self;
}

/// Columns and depth of a panel of B, which stays in the cache while all rows of A pass by.
const WIDTH: usize = 512;
const DEPTH: usize = 32;

/// Multiplies a part.
///
/// # Safety
///
/// The processor has the instructions of `isa`, the operands are valid and B has unit column stride.
pub(super) unsafe fn block<T: Integer>(isa: Isa, o: &Operands<T>) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        unsafe fn avx512<T: Integer>(o: &Operands<T>) {
            // SAFETY: the caller's promises.
            unsafe { panels(o) }
        }
        #[target_feature(enable = "avx2")]
        unsafe fn avx2<T: Integer>(o: &Operands<T>) {
            // SAFETY: the caller's promises.
            unsafe { panels(o) }
        }
        match isa {
            // SAFETY: the caller's promises.
            Isa::Avx512 => return unsafe { avx512(o) },
            // SAFETY: the caller's promises.
            Isa::Avx2 => return unsafe { avx2(o) },
            Isa::Portable => {}
        }
    }
    let _ = isa;
    // SAFETY: the caller's promises.
    unsafe { panels(o) }
}

#[inline(always)]
unsafe fn panels<T: Integer>(o: &Operands<T>) {
    for j in (0..o.n).step_by(WIDTH) {
        let width = WIDTH.min(o.n - j);
        // Once even without any k: C is to be zero then.
        for depth in (0..o.k.max(1)).step_by(DEPTH) {
            for i in 0..o.m as isize {
                let c = o.c.wrapping_offset(i * o.c_rs).wrapping_add(j);
                // SAFETY: the row of C is the caller's to write, and overlaps neither A nor B.
                let c = unsafe { std::slice::from_raw_parts_mut(c, width) };
                if depth == 0 && !o.add {
                    c.fill(T::default());
                }
                // SAFETY: the operands are valid, says the caller.
                unsafe { row(o, i, j, depth, DEPTH.min(o.k - depth), c) };
            }
        }
    }
}

/// Adds to a row of C what `depth` rows of B from `k` on bring, four at a time.
#[inline(always)]
unsafe fn row<T: Integer>(o: &Operands<T>, i: isize, j: usize, k: usize, depth: usize, c: &mut [T]) {
    let width = c.len();
    let from = |kk: usize| {
        let a = o.a.wrapping_offset(i * o.a_rs + kk as isize * o.a_cs);
        let b = o.b.wrapping_offset(kk as isize * o.b_rs).wrapping_add(j);
        // SAFETY: column `kk` of A and row `kk` of B are valid, says the caller.
        unsafe { (*a, std::slice::from_raw_parts(b, width)) }
    };
    let mut kk = k;
    let four = k + depth / 4 * 4;
    while kk < four {
        let ((a0, b0), (a1, b1), (a2, b2), (a3, b3)) = (from(kk), from(kk + 1), from(kk + 2), from(kk + 3));
        for j in 0..width {
            let (x, y) = (a0.times(b0[j]).plus(a1.times(b1[j])), a2.times(b2[j]).plus(a3.times(b3[j])));
            c[j] = c[j].plus(x.plus(y));
        }
        kk += 4;
    }
    while kk < k + depth {
        let (a, b) = from(kk);
        for j in 0..width {
            c[j] = c[j].plus(a.times(b[j]));
        }
        kk += 1;
    }
}
