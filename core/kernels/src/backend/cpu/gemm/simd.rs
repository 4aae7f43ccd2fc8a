//! Vectors of floats as the product's kernels see them: AVX-512 and AVX2 registers of `f32` and `f64` behind one trait.
//! The tile, dot and packing kernels are written once on [`Vector`] and compiled once per register type.

use std::arch::x86_64::*;

/// A register of floats.
///
/// Every method must be inlined into a function that enables the register's instructions (the macro `compile` in
/// `tile` makes those), and may be called only on processors that have them; so all of them are unsafe.
pub(super) trait Vector: Copy {
    type Elem: Copy + Default + std::ops::Add<Output = Self::Elem>;
    const LANES: usize;

    unsafe fn zero() -> Self;
    unsafe fn splat(from: *const Self::Elem) -> Self;
    unsafe fn load(from: *const Self::Elem) -> Self;
    /// The first `lanes` elements, zeros for the rest, which are not read.
    unsafe fn load_some(from: *const Self::Elem, lanes: usize) -> Self;
    unsafe fn store(self, to: *mut Self::Elem);
    unsafe fn store_some(self, to: *mut Self::Elem, lanes: usize);
    /// `self + a * b`, rounded once.
    unsafe fn fma(self, a: Self, b: Self) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    /// The sum of the lanes, in a fixed order.
    unsafe fn sum(self) -> Self::Elem;
}

macro_rules! avx512 {
    ($name:ident, $reg:ty, $t:ty, $lanes:expr, $mask:ty, $zero:ident, $set1:ident, $loadu:ident, $maskload:ident,
     $storeu:ident, $maskstore:ident, $fma:ident, $add:ident, $reduce:ident) => {
        #[derive(Clone, Copy)]
        pub(super) struct $name($reg);

        // SAFETY (of each block): the caller vouches for the instructions and, where there is a pointer, for as many
        // elements behind it as are read or written.
        impl Vector for $name {
            type Elem = $t;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn zero() -> Self {
                // SAFETY: see above.
                Self(unsafe { $zero() })
            }
            #[inline(always)]
            unsafe fn splat(from: *const $t) -> Self {
                // SAFETY: see above.
                Self(unsafe { $set1(*from) })
            }
            #[inline(always)]
            unsafe fn load(from: *const $t) -> Self {
                // SAFETY: see above.
                Self(unsafe { $loadu(from) })
            }
            #[inline(always)]
            unsafe fn load_some(from: *const $t, lanes: usize) -> Self {
                // SAFETY: see above; masked lanes are not read.
                Self(unsafe { $maskload(((1u32 << lanes) - 1) as $mask, from) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $t) {
                // SAFETY: see above.
                unsafe { $storeu(to, self.0) }
            }
            #[inline(always)]
            unsafe fn store_some(self, to: *mut $t, lanes: usize) {
                // SAFETY: see above; masked lanes are not written.
                unsafe { $maskstore(to, ((1u32 << lanes) - 1) as $mask, self.0) }
            }
            #[inline(always)]
            unsafe fn fma(self, a: Self, b: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $fma(a.0, b.0, self.0) })
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn sum(self) -> $t {
                // SAFETY: see above.
                unsafe { $reduce(self.0) }
            }
        }
    };
}

avx512!(
    F32x16,
    __m512,
    f32,
    16,
    __mmask16,
    _mm512_setzero_ps,
    _mm512_set1_ps,
    _mm512_loadu_ps,
    _mm512_maskz_loadu_ps,
    _mm512_storeu_ps,
    _mm512_mask_storeu_ps,
    _mm512_fmadd_ps,
    _mm512_add_ps,
    _mm512_reduce_add_ps
);
avx512!(
    F64x8,
    __m512d,
    f64,
    8,
    __mmask8,
    _mm512_setzero_pd,
    _mm512_set1_pd,
    _mm512_loadu_pd,
    _mm512_maskz_loadu_pd,
    _mm512_storeu_pd,
    _mm512_mask_storeu_pd,
    _mm512_fmadd_pd,
    _mm512_add_pd,
    _mm512_reduce_add_pd
);

macro_rules! avx2 {
    ($name:ident, $reg:ty, $t:ty, $int:ty, $lanes:expr, $zero:ident, $set1:ident, $loadu:ident, $maskload:ident,
     $storeu:ident, $maskstore:ident, $fma:ident, $add:ident) => {
        #[derive(Clone, Copy)]
        pub(super) struct $name($reg);

        impl $name {
            /// All ones in the first `lanes` lanes.
            #[inline(always)]
            unsafe fn mask(lanes: usize) -> __m256i {
                const ONES: [$int; 2 * $lanes] = {
                    let mut ones = [0; 2 * $lanes];
                    let mut i = 0;
                    while i < $lanes {
                        ones[i] = -1;
                        i += 1;
                    }
                    ones
                };
                // SAFETY: `lanes` is at most the register's, so the load stays inside the table.
                unsafe { _mm256_loadu_si256(ONES.as_ptr().add($lanes - lanes).cast()) }
            }
        }

        // SAFETY (of each block): the caller vouches for the instructions and, where there is a pointer, for as many
        // elements behind it as are read or written.
        impl Vector for $name {
            type Elem = $t;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn zero() -> Self {
                // SAFETY: see above.
                Self(unsafe { $zero() })
            }
            #[inline(always)]
            unsafe fn splat(from: *const $t) -> Self {
                // SAFETY: see above.
                Self(unsafe { $set1(*from) })
            }
            #[inline(always)]
            unsafe fn load(from: *const $t) -> Self {
                // SAFETY: see above.
                Self(unsafe { $loadu(from) })
            }
            #[inline(always)]
            unsafe fn load_some(from: *const $t, lanes: usize) -> Self {
                // SAFETY: see above; masked lanes are not read.
                Self(unsafe { $maskload(from, Self::mask(lanes)) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $t) {
                // SAFETY: see above.
                unsafe { $storeu(to, self.0) }
            }
            #[inline(always)]
            unsafe fn store_some(self, to: *mut $t, lanes: usize) {
                // SAFETY: see above; masked lanes are not written.
                unsafe { $maskstore(to, Self::mask(lanes), self.0) }
            }
            #[inline(always)]
            unsafe fn fma(self, a: Self, b: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $fma(a.0, b.0, self.0) })
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn sum(self) -> $t {
                let mut lanes = [<$t>::default(); $lanes];
                // SAFETY: the array has room for the register.
                unsafe { $storeu(lanes.as_mut_ptr(), self.0) };
                let mut width = $lanes / 2;
                while width > 0 {
                    for i in 0..width {
                        lanes[i] += lanes[i + width];
                    }
                    width /= 2;
                }
                lanes[0]
            }
        }
    };
}

avx2!(
    F32x8,
    __m256,
    f32,
    i32,
    8,
    _mm256_setzero_ps,
    _mm256_set1_ps,
    _mm256_loadu_ps,
    _mm256_maskload_ps,
    _mm256_storeu_ps,
    _mm256_maskstore_ps,
    _mm256_fmadd_ps,
    _mm256_add_ps
);
avx2!(
    F64x4,
    __m256d,
    f64,
    i64,
    4,
    _mm256_setzero_pd,
    _mm256_set1_pd,
    _mm256_loadu_pd,
    _mm256_maskload_pd,
    _mm256_storeu_pd,
    _mm256_maskstore_pd,
    _mm256_fmadd_pd,
    _mm256_add_pd
);
