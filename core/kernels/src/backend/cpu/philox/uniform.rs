//! Uniform real numbers in [0, 1), scaled and shifted: TensorFlow's bits of the mantissa under a fixed exponent.
//! The uniform random operations and the initialisers built on them call [`uniform`].

use super::batch::{Draw, LANES, Words, fill};
use super::{Philox, math};
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};

/// A real element type and its kernels. The scale and the shift are applied as TensorFlow applies them: as a product
/// and a sum in the element type, each rounded.
pub trait Real: Copy + Default + sealed::Kernels {}

impl<T: sealed::Kernels + Copy + Default> Real for T {}

/// Writes the elements `start..` of the uniform sequence of `state`, times `scale` plus `shift`.
///
/// For values between `low` and `high` the scale is `high - low`, subtracted in the element type, and the shift `low`.
pub fn uniform<T: Real>(state: Philox, start: usize, scale: T, shift: T, out: &mut [T]) {
    T::uniform(state, start, scale, shift, out);
}

pub(super) mod sealed {
    use super::Philox;

    /// The three distributions of one element type.
    pub trait Kernels: Sized {
        /// See [`super::uniform`].
        fn uniform(state: Philox, start: usize, scale: Self, shift: Self, out: &mut [Self]);
        /// See [`super::super::normal`].
        fn normal(state: Philox, start: usize, scale: Self, shift: Self, out: &mut [Self]);
        /// See [`super::super::truncated_normal`].
        fn truncated_normal(state: Philox, start: usize, scale: Self, shift: Self, out: &mut [Self]);
    }
}

/// What the element types that compute in `f32` have in common: how a batch of samples is scaled and stored.
pub(super) trait Single: Copy + Default {
    /// The mantissa bits of the type, and with them of a uniform number.
    const MANTISSA: u32;

    /// Stores `samples * scale + shift`, each step rounded to the type.
    fn store(samples: &[f32; 4 * LANES], scale: Self, shift: Self, out: &mut [Self]);
}

impl Single for f32 {
    const MANTISSA: u32 = 23;

    #[inline(always)]
    fn store(samples: &[f32; 4 * LANES], scale: f32, shift: f32, out: &mut [f32]) {
        for (out, sample) in out.iter_mut().zip(samples) {
            *out = sample * scale + shift;
        }
    }
}

impl Single for f16 {
    const MANTISSA: u32 = 10;

    #[inline(always)]
    fn store(samples: &[f32; 4 * LANES], scale: f16, shift: f16, out: &mut [f16]) {
        let (scale, shift) = (scale.to_f32(), shift.to_f32());
        let mut wide = *samples;
        // The crate converts slices with the processor's instruction; between the steps the rounding must be undone.
        out.convert_from_f32_slice(&wide);
        for step in 0..2 {
            out.convert_to_f32_slice(&mut wide);
            wide.iter_mut().for_each(|w| *w = if step == 0 { *w * scale } else { *w + shift });
            out.convert_from_f32_slice(&wide);
        }
    }
}

impl Single for bf16 {
    const MANTISSA: u32 = 7;

    #[inline(always)]
    fn store(samples: &[f32; 4 * LANES], scale: bf16, shift: bf16, out: &mut [bf16]) {
        let (scale, shift) = (scale.to_f32(), shift.to_f32());
        for (out, &sample) in out.iter_mut().zip(samples) {
            let scaled = math::round_to_bf16(math::round_to_bf16(sample) * scale);
            *out = bf16::from_bits((math::round_to_bf16(math::round_to_bf16(scaled) + shift).to_bits() >> 16) as u16);
        }
    }
}

/// Uniform numbers of a type that computes in `f32`.
struct SingleUniform<T> {
    scale: T,
    shift: T,
}

impl<T: Single> Draw for SingleUniform<T> {
    type Out = T;
    const GROUP: usize = 4;

    #[inline(always)]
    fn draw(&self, _: &Philox, words: &Words, out: &mut [T]) {
        let samples = words.map(|w| math::unit_f32(w << (23 - T::MANTISSA)));
        T::store(&samples, self.scale, self.shift, out);
    }
}

/// Uniform numbers of `f64`, two words each.
struct DoubleUniform {
    scale: f64,
    shift: f64,
}

impl Draw for DoubleUniform {
    type Out = f64;
    const GROUP: usize = 2;

    #[inline(always)]
    fn draw(&self, _: &Philox, words: &Words, out: &mut [f64]) {
        for (out, pair) in out.iter_mut().zip(words.chunks_exact(2)) {
            *out = math::unit_f64(pair[0], pair[1]) * self.scale + self.shift;
        }
    }
}

macro_rules! single_kernels {
    ($($T:ty),*) => {$(
        impl sealed::Kernels for $T {
            fn uniform(state: Philox, start: usize, scale: Self, shift: Self, out: &mut [Self]) {
                fill(&SingleUniform { scale, shift }, state, start, out);
            }

            fn normal(state: Philox, start: usize, scale: Self, shift: Self, out: &mut [Self]) {
                fill(&super::normal::SingleNormal { scale, shift }, state, start, out);
            }

            fn truncated_normal(state: Philox, start: usize, scale: Self, shift: Self, out: &mut [Self]) {
                fill(&super::normal::SingleTruncated { scale, shift }, state, start, out);
            }
        }
    )*};
}

single_kernels!(f16, bf16, f32);

impl sealed::Kernels for f64 {
    fn uniform(state: Philox, start: usize, scale: Self, shift: Self, out: &mut [Self]) {
        fill(&DoubleUniform { scale, shift }, state, start, out);
    }

    fn normal(state: Philox, start: usize, scale: Self, shift: Self, out: &mut [Self]) {
        fill(&super::normal::DoubleNormal { scale, shift }, state, start, out);
    }

    fn truncated_normal(state: Philox, start: usize, scale: Self, shift: Self, out: &mut [Self]) {
        fill(&super::normal::DoubleTruncated { scale, shift }, state, start, out);
    }
}
