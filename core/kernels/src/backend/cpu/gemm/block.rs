//! One product of matrices in the caches of a single thread: nothing is cut, copied or planned, and it may add to what is there.
//! Attention multiplies blocks of scores with it, on the same tiles as all other products.

use super::blocking::Route;
#[cfg(target_arch = "x86_64")]
use super::kernel::Kernel;
use super::number::{Number, Operands};
use crate::backend::cpu::isa::Isa;

/// A factor of a product: its first element, and the strides from row to row and from column to column.
#[derive(Clone, Copy)]
pub struct Factor<T> {
    pub at: *const T,
    pub rows: isize,
    pub columns: isize,
}

impl<T> Factor<T> {
    /// The matrix whose rows are this one's columns.
    pub fn t(self) -> Self {
        Self { rows: self.columns, columns: self.rows, ..self }
    }
}

/// The types whose blocks are multiplied.
pub trait Blocked: Copy {
    /// `C = A · B`, or `C += A · B` if `add`, with C of `m` by `n` and A of `m` by `k`. C has rows of unit stride, `c_rows` apart.
    ///
    /// # Safety
    ///
    /// The processor has the instructions of `isa`. The factors are valid for reads and C for writes, and C overlaps neither. B has
    /// unit column stride, or else A has unit column stride and B unit row stride.
    unsafe fn product(
        isa: Isa,
        size: [usize; 3],
        a: Factor<Self>,
        b: Factor<Self>,
        c: *mut Self,
        c_rows: usize,
        add: bool,
    );

    /// Writes the rows of a dense matrix as columns; `size` has its rows and columns.
    ///
    /// # Safety
    ///
    /// The processor has the instructions of `isa`. The matrices are there, and apart.
    unsafe fn transpose(isa: Isa, size: [usize; 2], from: *const Self, to: *mut Self);
}

macro_rules! blocked {
    ($($t:ty, $narrow:ident)*) => {$(
        impl Blocked for $t {
            unsafe fn product(
                isa: Isa,
                [m, n, k]: [usize; 3],
                a: Factor<Self>,
                b: Factor<Self>,
                c: *mut Self,
                c_rows: usize,
                add: bool,
            ) {
                if m == 0 || n == 0 {
                    return;
                }
                let o = Operands {
                    m,
                    n,
                    k,
                    a: a.at,
                    a_rs: a.rows,
                    a_cs: a.columns,
                    b: b.at,
                    b_rs: b.rows,
                    b_cs: b.columns,
                    b_panels: 0,
                    packs: isa == Isa::Avx2,
                    packs_a: false,
                    ahead: std::ptr::null(),
                    c,
                    c_rs: c_rows as isize,
                    add,
                    last: false,
                    plus: std::ptr::null(),
                    plus_rs: 0,
                };
                let route = if b.columns == 1 { Route::Tile } else { Route::Dot };
                // The dot products write over what is there; nobody asks them to add.
                debug_assert!(route == Route::Tile || !add);
                // SAFETY: the caller's promises.
                unsafe { Number::multiply(isa, route, &o) }
            }

            unsafe fn transpose(isa: Isa, [rows, columns]: [usize; 2], from: *const Self, to: *mut Self) {
                #[cfg(target_arch = "x86_64")]
                if isa != Isa::Portable {
                    use crate::backend::cpu::simd::x86::$narrow;
                    // SAFETY: the caller's promise; every set but the portable one has AVX2.
                    return unsafe { <$narrow as Kernel>::turn(from, columns as isize, [columns, rows], to, rows) };
                }
                let _ = isa;
                for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                    // SAFETY: both places lie in the matrices.
                    unsafe { *to.add(j * rows + i) = *from.add(i * columns + j) };
                }
            }
        }
    )*};
}

blocked!(f32, F32x8 f64, F64x4);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_products_on_every_processor() {
        let (m, n, k) = (7, 19, 33);
        let number = |i: usize| ((i * 37) % 23) as f64 / 8.0 - 1.0;
        let a: Vec<f64> = (0..m * k).map(number).collect();
        let b: Vec<f64> = (0..k * n).map(|i| number(i + 5)).collect();
        let want = |i: usize, j: usize| (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum::<f64>();
        // The same matrix by columns, which dot products read.
        let by_columns: Vec<f64> = (0..n * k).map(|i| b[i % k * n + i / k]).collect();
        for isa in Isa::available() {
            let mut c = vec![1.0; m * n];
            let left = Factor { at: a.as_ptr(), rows: k as isize, columns: 1 };
            let right = Factor { at: b.as_ptr(), rows: n as isize, columns: 1 };
            // SAFETY: all matrices have the sizes that are told.
            unsafe { f64::product(isa, [m, n, k], left, right, c.as_mut_ptr(), n, true) };
            let mut d = vec![1.0; m * 2];
            let right = Factor { at: by_columns.as_ptr(), rows: 1, columns: k as isize };
            // SAFETY: as above, two columns of them.
            unsafe { f64::product(isa, [m, 2, k], left, right, d.as_mut_ptr(), 2, false) };
            for i in 0..m {
                for j in 0..n {
                    assert!((c[i * n + j] - 1.0 - want(i, j)).abs() < 1e-12, "{isa:?}");
                }
                assert!((0..2).all(|j| (d[i * 2 + j] - want(i, j)).abs() < 1e-12), "{isa:?}");
            }
        }
    }
}
