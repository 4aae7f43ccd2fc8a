//! Vectors of floats with a compile-time width: the trait that kernels are generic over, and its portable form.
//! Products, convolutions and poolings instantiate their bodies with [`Lanes`] or with the vectors of `x86`.

#[cfg(target_arch = "x86_64")]
mod few_columns;
#[cfg(target_arch = "x86_64")]
pub mod transpose;
#[cfg(target_arch = "x86_64")]
pub mod x86;

use std::fmt::Debug;
use std::ops::{Add, Mul, Sub};

/// The element types that kernels compute in: `f32` and `f64`.
pub trait Float:
    Copy
    + Default
    + Debug
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Send
    + Sync
    + 'static
{
    /// The smallest finite value: where a maximum starts.
    const LOWEST: Self;
    /// The vector for a CPU without known extensions: 16 bytes.
    type Portable: Simd<Elem = Self>;
    /// The vector of AVX2: 32 bytes.
    #[cfg(target_arch = "x86_64")]
    type Avx2: Simd<Elem = Self>;
    /// The vector of AVX-512: 64 bytes.
    #[cfg(target_arch = "x86_64")]
    type Avx512: Simd<Elem = Self>;

    /// A small integer as a float.
    fn of(n: isize) -> Self;
    /// `1 / self`.
    fn recip(self) -> Self;
    /// Zero of the same sign for a denormal number, else the number itself.
    fn flushed(self) -> Self;
}

macro_rules! floats {
    ($($t:ident, $lanes:literal, $avx2:ident, $avx512:ident);*) => {$(
        impl Float for $t {
            const LOWEST: Self = $t::MIN;
            type Portable = Lanes<$t, $lanes>;
            #[cfg(target_arch = "x86_64")]
            type Avx2 = super::simd::x86::$avx2;
            #[cfg(target_arch = "x86_64")]
            type Avx512 = super::simd::x86::$avx512;

            #[inline(always)]
            fn of(n: isize) -> Self {
                n as $t
            }
            #[inline(always)]
            fn recip(self) -> Self {
                1.0 / self
            }
            #[inline(always)]
            fn flushed(self) -> Self {
                // By bits, which no processor is slow with.
                let (bits, sign) = (self.to_bits(), (-0.0 as $t).to_bits());
                Self::from_bits(if bits & !sign < $t::MIN_POSITIVE.to_bits() { bits & sign } else { bits })
            }
        }
    )*};
}

floats!(f32, 4, F32x8, F32x16; f64, 2, F64x4, F64x8);

/// Asks for the cache lines of some bytes ahead of their use, up to the second-level cache. Any address will do: nothing is read.
#[inline(always)]
pub fn ask_for(from: *const u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for at in (0..bytes).step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: every processor of this architecture has the instruction, and it faults on no address.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(from.wrapping_add(at).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, bytes);
}

/// The sum of lanes, half of them added to the other half until one is left.
#[inline(always)]
fn by_halves<T: Float, const N: usize>(mut lanes: [T; N]) -> T {
    let mut width = N / 2;
    while width > 0 {
        for i in 0..width {
            lanes[i] = lanes[i] + lanes[i + width];
        }
        width /= 2;
    }
    lanes[0]
}

/// A register of [`LANES`](Simd::LANES) floats.
///
/// # Safety
/// Every method must be called where the CPU has the vector's instruction set. Loads and stores need no alignment;
/// pointers must be valid for the whole vector, or for the lanes of the tail in the `_tail` forms.
pub trait Simd: Copy {
    type Elem: Float;
    /// Lanes of a comparison.
    type Mask: Copy;
    /// The first lanes of a vector: what remains of a row.
    type Tail: Copy;
    const LANES: usize;

    unsafe fn splat(x: Self::Elem) -> Self;
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the same contract.
        unsafe { Self::splat(Self::Elem::default()) }
    }
    unsafe fn load(p: *const Self::Elem) -> Self;
    unsafe fn store(self, p: *mut Self::Elem);
    /// The first `n` lanes, `n <= LANES`.
    unsafe fn tail(n: usize) -> Self::Tail;
    /// Lanes beyond the tail are zero and their memory is not touched.
    unsafe fn load_tail(p: *const Self::Elem, tail: Self::Tail) -> Self;
    unsafe fn store_tail(self, p: *mut Self::Elem, tail: Self::Tail);
    unsafe fn add(self, o: Self) -> Self;
    unsafe fn sub(self, o: Self) -> Self;
    unsafe fn mul(self, o: Self) -> Self;
    /// `self * b + c`, fused where the CPU has it.
    unsafe fn fma(self, b: Self, c: Self) -> Self;
    /// Zeros of the same sign in place of denormal numbers.
    unsafe fn flushed(self) -> Self;
    /// The sum of all lanes, of AVX2 and portable vectors from the first to the last.
    unsafe fn sum(self) -> Self::Elem;
    /// The sum of all lanes, half of them added to the other half until one is left.
    unsafe fn sum_by_halves(self) -> Self::Elem;
    /// Lanes where `self` takes the place of the maximum so far: greater, or the first NaN.
    unsafe fn beats(self, best: Self) -> Self::Mask;
    unsafe fn equals(self, o: Self) -> Self::Mask;
    /// `yes` in the lanes of the mask, `no` in the others.
    unsafe fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
}

/// The portable vector: the compiler turns its loops into the instructions of the build's baseline.
#[derive(Clone, Copy)]
pub struct Lanes<T, const N: usize>([T; N]);

impl<T: Float, const N: usize> Simd for Lanes<T, N> {
    type Elem = T;
    type Mask = [bool; N];
    type Tail = usize;
    const LANES: usize = N;

    #[inline(always)]
    unsafe fn splat(x: T) -> Self {
        Self([x; N])
    }
    #[inline(always)]
    unsafe fn load(p: *const T) -> Self {
        // SAFETY: the caller's pointer is valid for N elements, and the read asks for no alignment.
        Self(unsafe { p.cast::<[T; N]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut T) {
        // SAFETY: the caller's pointer is valid for N elements, and the write asks for no alignment.
        unsafe { p.cast::<[T; N]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    unsafe fn tail(n: usize) -> usize {
        n
    }
    #[inline(always)]
    unsafe fn load_tail(p: *const T, n: usize) -> Self {
        if n == N {
            // SAFETY: a full tail is a whole vector.
            return unsafe { Self::load(p) };
        }
        let mut out = [T::default(); N];
        for (i, x) in out.iter_mut().enumerate() {
            if i < n {
                // SAFETY: lane i is one of the tail's.
                *x = unsafe { *p.add(i) };
            }
        }
        Self(out)
    }
    #[inline(always)]
    unsafe fn store_tail(self, p: *mut T, n: usize) {
        for (i, &x) in self.0.iter().enumerate() {
            if i < n {
                // SAFETY: lane i is one of the tail's.
                unsafe { *p.add(i) = x }
            }
        }
    }
    #[inline(always)]
    unsafe fn add(self, o: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + o.0[i]))
    }
    #[inline(always)]
    unsafe fn sub(self, o: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] - o.0[i]))
    }
    #[inline(always)]
    unsafe fn mul(self, o: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] * o.0[i]))
    }
    #[inline(always)]
    unsafe fn fma(self, b: Self, c: Self) -> Self {
        // Two roundings: without the instruction a fused step would be a call into the maths library.
        Self(std::array::from_fn(|i| self.0[i] * b.0[i] + c.0[i]))
    }
    #[inline(always)]
    unsafe fn flushed(self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].flushed()))
    }
    #[inline(always)]
    unsafe fn sum(self) -> T {
        self.0.into_iter().fold(T::default(), |a, x| a + x)
    }
    #[inline(always)]
    unsafe fn sum_by_halves(self) -> T {
        by_halves(self.0)
    }
    #[inline(always)]
    #[allow(clippy::eq_op, reason = "x != x asks for NaN")]
    unsafe fn beats(self, best: Self) -> [bool; N] {
        std::array::from_fn(|i| (self.0[i] > best.0[i]) | ((self.0[i] != self.0[i]) & (best.0[i] == best.0[i])))
    }
    #[inline(always)]
    unsafe fn equals(self, o: Self) -> [bool; N] {
        std::array::from_fn(|i| self.0[i] == o.0[i])
    }
    #[inline(always)]
    unsafe fn select(mask: [bool; N], yes: Self, no: Self) -> Self {
        Self(std::array::from_fn(|i| if mask[i] { yes.0[i] } else { no.0[i] }))
    }
}
