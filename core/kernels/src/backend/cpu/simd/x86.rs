//! The vectors of AVX2 and AVX-512 for the [`Simd`] kernels, each method one or two instructions.
//! Only bodies inlined into functions with the matching `#[target_feature]` may use them.

use super::Simd;
use std::arch::x86_64::*;

macro_rules! vectors {
    ($($name:ident, $t:ident, $v:ident, $lanes:literal, $mask:ty, $tail:ty;
        set $set:ident, load $load:ident, store $store:ident, add $add:ident, sub $sub:ident, mul $mul:ident, fma $fma:ident,
        tail |$n:ident| $tail_of:expr,
        load_tail |$lp:ident, $lt:ident| $load_tail:expr,
        store_tail |$sp:ident, $st:ident, $sv:ident| $store_tail:expr,
        flushed |$f:ident| $flushed:expr,
        sum |$sum:ident| $sum_of:expr,
        by_halves |$halves:ident| $sum_by_halves:expr,
        beats |$x:ident, $best:ident| $beats:expr,
        equals |$a:ident, $b:ident| $equals:expr,
        select |$m:ident, $yes:ident, $no:ident| $select:expr;)*) => {$(
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $name($v);

        impl Simd for $name {
            type Elem = $t;
            type Mask = $mask;
            type Tail = $tail;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat(x: $t) -> Self {
                // SAFETY: the caller has the instruction set.
                Self(unsafe { $set(x) })
            }
            #[inline(always)]
            unsafe fn load(p: *const $t) -> Self {
                // SAFETY: the caller has the instruction set and a whole vector behind the pointer.
                Self(unsafe { $load(p) })
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $t) {
                // SAFETY: the caller has the instruction set and a whole vector behind the pointer.
                unsafe { $store(p, self.0) }
            }
            #[inline(always)]
            unsafe fn tail($n: usize) -> $tail {
                $tail_of
            }
            #[inline(always)]
            unsafe fn load_tail($lp: *const $t, $lt: $tail) -> Self {
                // SAFETY: the caller has the instruction set; masked lanes are not read.
                Self(unsafe { $load_tail })
            }
            #[inline(always)]
            unsafe fn store_tail(self, $sp: *mut $t, $st: $tail) {
                let $sv = self.0;
                // SAFETY: the caller has the instruction set; masked lanes are not written.
                unsafe { $store_tail }
            }
            #[inline(always)]
            unsafe fn add(self, o: Self) -> Self {
                // SAFETY: the caller has the instruction set.
                Self(unsafe { $add(self.0, o.0) })
            }
            #[inline(always)]
            unsafe fn sub(self, o: Self) -> Self {
                // SAFETY: the caller has the instruction set.
                Self(unsafe { $sub(self.0, o.0) })
            }
            #[inline(always)]
            unsafe fn mul(self, o: Self) -> Self {
                // SAFETY: the caller has the instruction set.
                Self(unsafe { $mul(self.0, o.0) })
            }
            #[inline(always)]
            unsafe fn fma(self, b: Self, c: Self) -> Self {
                // SAFETY: the caller has the instruction set.
                Self(unsafe { $fma(self.0, b.0, c.0) })
            }
            #[inline(always)]
            unsafe fn flushed(self) -> Self {
                let $f = self.0;
                // SAFETY: the caller has the instruction set.
                Self(unsafe { $flushed })
            }
            #[inline(always)]
            unsafe fn sum(self) -> $t {
                let $sum = self.0;
                // SAFETY: the caller has the instruction set.
                unsafe { $sum_of }
            }
            #[inline(always)]
            unsafe fn sum_by_halves(self) -> $t {
                let $halves = self.0;
                // SAFETY: the caller has the instruction set.
                unsafe { $sum_by_halves }
            }
            #[inline(always)]
            unsafe fn beats(self, best: Self) -> $mask {
                let ($x, $best) = (self.0, best.0);
                // SAFETY: the caller has the instruction set.
                unsafe { $beats }
            }
            #[inline(always)]
            unsafe fn equals(self, o: Self) -> $mask {
                let ($a, $b) = (self.0, o.0);
                // SAFETY: the caller has the instruction set.
                unsafe { $equals }
            }
            #[inline(always)]
            unsafe fn select($m: $mask, yes: Self, no: Self) -> Self {
                let ($yes, $no) = (yes.0, no.0);
                // SAFETY: the caller has the instruction set.
                Self(unsafe { $select })
            }
        }
    )*};
}

/// Sliding over it gives masks whose first lanes are on.
static ON_THEN_OFF: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

vectors! {
    F32x8, f32, __m256, 8, __m256, __m256i;
        set _mm256_set1_ps, load _mm256_loadu_ps, store _mm256_storeu_ps, add _mm256_add_ps, sub _mm256_sub_ps, mul _mm256_mul_ps,
        fma _mm256_fmadd_ps,
        // SAFETY: at most 8 lanes, so the load stays in the table; the caller has the instruction set.
        tail |n| unsafe { _mm256_loadu_si256(ON_THEN_OFF.as_ptr().add(8 - n).cast()) },
        load_tail |p, t| _mm256_maskload_ps(p, t),
        store_tail |p, t, v| _mm256_maskstore_ps(p, t, v),
        flushed |x| flushed_ps(x),
        sum |v| std::mem::transmute::<__m256, [f32; 8]>(v).into_iter().sum(),
        by_halves |v| super::by_halves(std::mem::transmute::<__m256, [f32; 8]>(v)),
        beats |x, best| _mm256_or_ps(
            _mm256_cmp_ps::<_CMP_GT_OQ>(x, best),
            _mm256_and_ps(_mm256_cmp_ps::<_CMP_UNORD_Q>(x, x), _mm256_cmp_ps::<_CMP_ORD_Q>(best, best)),
        ),
        equals |a, b| _mm256_cmp_ps::<_CMP_EQ_OQ>(a, b),
        select |m, yes, no| _mm256_blendv_ps(no, yes, m);
    F64x4, f64, __m256d, 4, __m256d, __m256i;
        set _mm256_set1_pd, load _mm256_loadu_pd, store _mm256_storeu_pd, add _mm256_add_pd, sub _mm256_sub_pd, mul _mm256_mul_pd,
        fma _mm256_fmadd_pd,
        // SAFETY: at most 4 lanes of two entries each; as above.
        tail |n| unsafe { _mm256_loadu_si256(ON_THEN_OFF.as_ptr().add(8 - 2 * n).cast()) },
        load_tail |p, t| _mm256_maskload_pd(p, t),
        store_tail |p, t, v| _mm256_maskstore_pd(p, t, v),
        flushed |x| flushed_pd(x),
        sum |v| std::mem::transmute::<__m256d, [f64; 4]>(v).into_iter().sum(),
        by_halves |v| super::by_halves(std::mem::transmute::<__m256d, [f64; 4]>(v)),
        beats |x, best| _mm256_or_pd(
            _mm256_cmp_pd::<_CMP_GT_OQ>(x, best),
            _mm256_and_pd(_mm256_cmp_pd::<_CMP_UNORD_Q>(x, x), _mm256_cmp_pd::<_CMP_ORD_Q>(best, best)),
        ),
        equals |a, b| _mm256_cmp_pd::<_CMP_EQ_OQ>(a, b),
        select |m, yes, no| _mm256_blendv_pd(no, yes, m);
    F64x8, f64, __m512d, 8, __mmask8, __mmask8;
        set _mm512_set1_pd, load _mm512_loadu_pd, store _mm512_storeu_pd, add _mm512_add_pd, sub _mm512_sub_pd, mul _mm512_mul_pd,
        fma _mm512_fmadd_pd,
        tail |n| ((1u32 << n) - 1) as __mmask8,
        load_tail |p, t| _mm512_maskz_loadu_pd(t, p),
        store_tail |p, t, v| _mm512_mask_storeu_pd(p, t, v),
        flushed |x| wide_flushed_pd(x),
        sum |v| _mm512_reduce_add_pd(v),
        // It adds by halves, too.
        by_halves |v| _mm512_reduce_add_pd(v),
        beats |x, best| _mm512_cmp_pd_mask::<_CMP_GT_OQ>(x, best)
            | (_mm512_cmp_pd_mask::<_CMP_UNORD_Q>(x, x) & _mm512_cmp_pd_mask::<_CMP_ORD_Q>(best, best)),
        equals |a, b| _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(a, b),
        select |m, yes, no| _mm512_mask_blend_pd(m, no, yes);
}

/// The vectors of 64 bytes that hold sums of `float32`; they differ in what they multiply.
macro_rules! sixteen {
    ($name:ident, $fma:ident) => {
        vectors! {
            $name, f32, __m512, 16, __mmask16, __mmask16;
                set _mm512_set1_ps, load _mm512_loadu_ps, store _mm512_storeu_ps, add _mm512_add_ps, sub _mm512_sub_ps, mul _mm512_mul_ps,
                fma $fma,
                tail |n| ((1u32 << n) - 1) as __mmask16,
                load_tail |p, t| _mm512_maskz_loadu_ps(t, p),
                store_tail |p, t, v| _mm512_mask_storeu_ps(p, t, v),
                flushed |x| wide_flushed_ps(x),
                sum |v| _mm512_reduce_add_ps(v),
                // It adds by halves, too.
                by_halves |v| _mm512_reduce_add_ps(v),
                beats |x, best| _mm512_cmp_ps_mask::<_CMP_GT_OQ>(x, best)
                    | (_mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x) & _mm512_cmp_ps_mask::<_CMP_ORD_Q>(best, best)),
                equals |a, b| _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a, b),
                select |m, yes, no| _mm512_mask_blend_ps(m, no, yes);
        }
    };
}

sixteen!(F32x16, _mm512_fmadd_ps);
// Their factors are pairs of `bfloat16`.
sixteen!(Pairs16, add_pairs);

/// The sums `c` with the products of the pairs in `a` and `b`, those of the upper halves first.
#[inline(always)]
unsafe fn add_pairs(a: __m512, b: __m512, c: __m512) -> __m512 {
    // SAFETY: the caller has the instruction set; all three are 64 bytes of any bits.
    unsafe {
        _mm512_dpbf16_ps(c, std::mem::transmute::<__m512, __m512bh>(a), std::mem::transmute::<__m512, __m512bh>(b))
    }
}

/// Defines a function that puts zeros of the same sign in place of denormal numbers. Numbers are compared as integers, which no processor
/// is slow with.
macro_rules! flushed {
    ($name:ident($v:ident), |$x:ident| $body:expr) => {
        #[inline(always)]
        unsafe fn $name($x: $v) -> $v {
            // SAFETY: the caller has the instruction set.
            unsafe { $body }
        }
    };
}

flushed!(flushed_ps(__m256), |x| {
    let size = _mm256_set1_epi32(i32::MAX);
    let least = _mm256_set1_epi32(f32::MIN_POSITIVE.to_bits() as i32);
    let x = _mm256_castps_si256(x);
    let small = _mm256_cmpgt_epi32(least, _mm256_and_si256(x, size));
    _mm256_castsi256_ps(_mm256_andnot_si256(_mm256_and_si256(small, size), x))
});
flushed!(flushed_pd(__m256d), |x| {
    let size = _mm256_set1_epi64x(i64::MAX);
    let least = _mm256_set1_epi64x(f64::MIN_POSITIVE.to_bits() as i64);
    let x = _mm256_castpd_si256(x);
    let small = _mm256_cmpgt_epi64(least, _mm256_and_si256(x, size));
    _mm256_castsi256_pd(_mm256_andnot_si256(_mm256_and_si256(small, size), x))
});
// An exponent of zero: denormal, or zero as it is.
flushed!(wide_flushed_ps(__m512), |x| {
    let x = _mm512_castps_si512(x);
    let small = _mm512_testn_epi32_mask(x, _mm512_set1_epi32(f32::INFINITY.to_bits() as i32));
    _mm512_castsi512_ps(_mm512_mask_and_epi32(x, small, x, _mm512_set1_epi32(i32::MIN)))
});
flushed!(wide_flushed_pd(__m512d), |x| {
    let x = _mm512_castpd_si512(x);
    let small = _mm512_testn_epi64_mask(x, _mm512_set1_epi64(f64::INFINITY.to_bits() as i64));
    _mm512_castsi512_pd(_mm512_mask_and_epi64(x, small, x, _mm512_set1_epi64(i64::MIN)))
});
