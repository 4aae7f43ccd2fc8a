//! Eight numbers of 16 bits side by side, with the arithmetic that cosine transforms and colours need.
//! On x86-64 they are the registers that every such processor has; elsewhere they are arrays.

#[cfg(target_arch = "x86_64")]
mod of_this_processor {
    use std::arch::x86_64::*;

    /// Allows instructions that every processor of this kind has.
    macro_rules! sse2 {
        ($body:block) => {
            // SAFETY: SSE2 is part of x86-64, and none of the instructions here takes an address.
            unsafe { $body }
        };
    }

    /// Eight numbers.
    #[derive(Clone, Copy)]
    pub struct Lanes(__m128i);

    impl Lanes {
        #[inline(always)]
        pub fn of(v: &[i16; 8]) -> Self {
            sse2!({ Self(_mm_set_epi16(v[7], v[6], v[5], v[4], v[3], v[2], v[1], v[0])) })
        }

        #[inline(always)]
        pub fn splat(value: i16) -> Self {
            sse2!({ Self(_mm_set1_epi16(value)) })
        }

        /// Eight bytes as numbers.
        #[inline(always)]
        pub fn of_bytes(bytes: &[u8; 8]) -> Self {
            sse2!({
                let bytes = _mm_cvtsi64_si128(i64::from_le_bytes(*bytes));
                Self(_mm_unpacklo_epi8(bytes, _mm_setzero_si128()))
            })
        }

        #[inline(always)]
        pub fn plus(self, other: Self) -> Self {
            sse2!({ Self(_mm_add_epi16(self.0, other.0)) })
        }

        #[inline(always)]
        pub fn minus(self, other: Self) -> Self {
            sse2!({ Self(_mm_sub_epi16(self.0, other.0)) })
        }

        /// The low halves of products.
        #[inline(always)]
        pub fn times(self, other: Self) -> Self {
            sse2!({ Self(_mm_mullo_epi16(self.0, other.0)) })
        }

        /// The high halves of products with one number.
        #[inline(always)]
        pub fn high_times(self, factor: i16) -> Self {
            sse2!({ Self(_mm_mulhi_epi16(self.0, _mm_set1_epi16(factor))) })
        }

        #[inline(always)]
        pub fn left<const N: i32>(self) -> Self {
            sse2!({ Self(_mm_slli_epi16::<N>(self.0)) })
        }

        #[inline(always)]
        pub fn right<const N: i32>(self) -> Self {
            sse2!({ Self(_mm_srai_epi16::<N>(self.0)) })
        }

        /// `(self * a + other * b + 2^15) >> 16`, in 32 bits.
        #[inline(always)]
        pub fn weighed(self, a: i16, other: Self, b: i16) -> Self {
            sse2!({
                let factors = _mm_set1_epi32(i32::from(b) << 16 | i32::from(a) & 0xffff);
                let half = _mm_set1_epi32(1 << 15);
                let low = _mm_madd_epi16(_mm_unpacklo_epi16(self.0, other.0), factors);
                let high = _mm_madd_epi16(_mm_unpackhi_epi16(self.0, other.0), factors);
                let low = _mm_srai_epi32::<16>(_mm_add_epi32(low, half));
                let high = _mm_srai_epi32::<16>(_mm_add_epi32(high, half));
                Self(_mm_packs_epi32(low, high))
            })
        }

        /// Rows become columns.
        #[inline(always)]
        pub fn transposed(r: [Self; 8]) -> [Self; 8] {
            sse2!({
                let pairs = |a: Self, b: Self| (_mm_unpacklo_epi16(a.0, b.0), _mm_unpackhi_epi16(a.0, b.0));
                let ((a0, a1), (b0, b1)) = (pairs(r[0], r[1]), pairs(r[2], r[3]));
                let ((c0, c1), (d0, d1)) = (pairs(r[4], r[5]), pairs(r[6], r[7]));
                let fours = |a, b| (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
                let ((e0, e1), (e2, e3)) = (fours(a0, b0), fours(a1, b1));
                let ((f0, f1), (f2, f3)) = (fours(c0, d0), fours(c1, d1));
                let eights = |a, b| [Self(_mm_unpacklo_epi64(a, b)), Self(_mm_unpackhi_epi64(a, b))];
                let ([r0, r1], [r2, r3]) = (eights(e0, f0), eights(e1, f1));
                let ([r4, r5], [r6, r7]) = (eights(e2, f2), eights(e3, f3));
                [r0, r1, r2, r3, r4, r5, r6, r7]
            })
        }

        /// Two rows as signed bytes without overflow, raised by 128.
        #[inline(always)]
        pub fn raised(self, other: Self) -> ([u8; 8], [u8; 8]) {
            sse2!({
                let bytes = _mm_xor_si128(_mm_packs_epi16(self.0, other.0), _mm_set1_epi8(-128));
                let high = _mm_unpackhi_epi64(bytes, bytes);
                (_mm_cvtsi128_si64(bytes).to_le_bytes(), _mm_cvtsi128_si64(high).to_le_bytes())
            })
        }

        /// Eight pixels of three bytes each, clamped to bytes.
        #[inline(always)]
        pub fn pixels(r: Self, g: Self, b: Self) -> [u8; 24] {
            sse2!({
                let zero = _mm_setzero_si128();
                let red_green = _mm_packus_epi16(r.0, g.0);
                let red_green = _mm_unpacklo_epi8(red_green, _mm_unpackhi_epi64(red_green, red_green));
                let blue = _mm_unpacklo_epi8(_mm_packus_epi16(b.0, b.0), zero);
                let (low, high) = (_mm_unpacklo_epi16(red_green, blue), _mm_unpackhi_epi16(red_green, blue));
                let mut out = [0; 24];
                for (four, out) in [low, high].into_iter().zip(out.chunks_exact_mut(12)) {
                    // Two pixels of four bytes, the last of which is zero, become six bytes.
                    let tight = |two: u64| two & 0xff_ffff | two >> 8 & 0xffff_ff00_0000;
                    let first = tight(_mm_cvtsi128_si64(four) as u64);
                    let second = tight(_mm_cvtsi128_si64(_mm_unpackhi_epi64(four, four)) as u64);
                    out[..8].copy_from_slice(&(first | second << 48).to_le_bytes());
                    out[8..].copy_from_slice(&((second >> 16) as u32).to_le_bytes());
                }
                out
            })
        }
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
pub(super) mod of_any {
    use std::array::from_fn;

    /// Eight numbers.
    #[derive(Clone, Copy)]
    pub struct Lanes([i16; 8]);

    impl Lanes {
        pub fn of(v: &[i16; 8]) -> Self {
            Self(*v)
        }

        pub fn splat(value: i16) -> Self {
            Self([value; 8])
        }

        /// Eight bytes as numbers.
        pub fn of_bytes(bytes: &[u8; 8]) -> Self {
            Self(bytes.map(i16::from))
        }

        pub fn plus(self, other: Self) -> Self {
            Self(from_fn(|i| self.0[i].wrapping_add(other.0[i])))
        }

        pub fn minus(self, other: Self) -> Self {
            Self(from_fn(|i| self.0[i].wrapping_sub(other.0[i])))
        }

        /// The low halves of products.
        pub fn times(self, other: Self) -> Self {
            Self(from_fn(|i| self.0[i].wrapping_mul(other.0[i])))
        }

        /// The high halves of products with one number.
        pub fn high_times(self, factor: i16) -> Self {
            Self(self.0.map(|v| ((i32::from(v) * i32::from(factor)) >> 16) as i16))
        }

        pub fn left<const N: i32>(self) -> Self {
            Self(self.0.map(|v| v << N))
        }

        pub fn right<const N: i32>(self) -> Self {
            Self(self.0.map(|v| v >> N))
        }

        /// `(self * a + other * b + 2^15) >> 16`, in 32 bits.
        pub fn weighed(self, a: i16, other: Self, b: i16) -> Self {
            let one = |i: usize| i32::from(self.0[i]) * i32::from(a) + i32::from(other.0[i]) * i32::from(b);
            Self(from_fn(|i| ((one(i) + (1 << 15)) >> 16) as i16))
        }

        /// Rows become columns.
        pub fn transposed(rows: [Self; 8]) -> [Self; 8] {
            from_fn(|i| Self(from_fn(|j| rows[j].0[i])))
        }

        /// Two rows as signed bytes without overflow, raised by 128.
        pub fn raised(self, other: Self) -> ([u8; 8], [u8; 8]) {
            let bytes = |row: Self| row.0.map(|v| (v.clamp(-128, 127) + 128) as u8);
            (bytes(self), bytes(other))
        }

        /// Eight pixels of three bytes each, clamped to bytes.
        pub fn pixels(r: Self, g: Self, b: Self) -> [u8; 24] {
            from_fn(|i| [r, g, b][i % 3].0[i / 3].clamp(0, 255) as u8)
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) use of_any::Lanes;
#[cfg(target_arch = "x86_64")]
pub(super) use of_this_processor::Lanes;
