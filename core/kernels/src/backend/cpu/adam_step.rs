//! A value that follows its gradient's running average and mean square, in f32: one loop in registers, as optimizers step.
//! `apply` calls [`step`] where values lie dense; the tile machine computes the same bits, at eight times the time.

use super::Isa;

/// The numbers of one step.
#[derive(Clone, Copy, Debug)]
pub struct Moments {
    /// How far the average goes towards the gradient.
    pub first: f32,
    /// How far the mean square goes towards the gradient's square.
    pub second: f32,
    pub rate: f32,
    pub epsilon: f32,
}

/// What a step changes, and the gradient: slices of one length.
pub struct Values<'a> {
    pub value: &'a mut [f32],
    pub average: &'a mut [f32],
    pub square: &'a mut [f32],
    pub gradient: &'a [f32],
}

/// One step for all elements.
pub fn step(isa: Isa, values: Values<'_>, with: Moments) {
    let Values { value, average, square, gradient } = values;
    match isa {
        // SAFETY: the processor has the instruction set.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => unsafe { avx512(value, average, square, gradient, with) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => unsafe { avx2(value, average, square, gradient, with) },
        _ => portable(value, average, square, gradient, with),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512(value: &mut [f32], average: &mut [f32], square: &mut [f32], gradient: &[f32], with: Moments) {
    portable(value, average, square, gradient, with);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(value: &mut [f32], average: &mut [f32], square: &mut [f32], gradient: &[f32], with: Moments) {
    portable(value, average, square, gradient, with);
}

/// The slices are parameters, each by itself, because only so LLVM knows that they do not overlap.
#[inline(always)]
fn portable(value: &mut [f32], average: &mut [f32], square: &mut [f32], gradient: &[f32], with: Moments) {
    for (((w, m), v), &g) in value.iter_mut().zip(average).zip(square).zip(gradient) {
        *m += (g - *m) * with.first;
        *v += (g * g - *v) * with.second;
        *w -= (*m * with.rate) / (v.sqrt() + with.epsilon);
    }
}
