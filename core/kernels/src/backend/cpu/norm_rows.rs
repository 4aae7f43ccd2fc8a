//! Passes over rows of floats that bring each to a mean of 0 and a variance of 1, or a mean square of 1, and their gradients.
//! The normalisations of layers run them on blocks of rows.

use super::Isa;
use super::softmax_rows::{Real, sum_of};

/// One over the root of a number.
pub trait Root: Real {
    fn of(x: f64) -> Self;
    fn root(self) -> Self;
}

macro_rules! roots {
    ($($t:ident)*) => {$(
        impl Root for $t {
            #[inline(always)]
            fn of(x: f64) -> Self { x as $t }
            #[inline(always)]
            fn root(self) -> Self { self.sqrt() }
        }
    )*};
}
roots!(f32 f64);

/// What a pass does: the length of rows, what is added to the variance, and whether the mean is taken off.
#[derive(Clone, Copy)]
pub struct Rows {
    pub n: usize,
    pub epsilon: f64,
    pub centred: bool,
}

#[inline(always)]
fn normalise_body<T: Root>(
    rows: Rows,
    x: &[T],
    scale: Option<&[T]>,
    offset: Option<&[T]>,
    y: &mut [T],
    means: &mut [T],
    roots: &mut [T],
) {
    let (n, count) = (rows.n, T::of(rows.n as f64));
    for (r, (x, y)) in x.chunks_exact(n).zip(y.chunks_exact_mut(n)).enumerate() {
        let mean = if rows.centred { sum_of(n, |i| x[i]) / count } else { T::ZERO };
        let variance = sum_of(n, |i| (x[i] - mean) * (x[i] - mean)) / count;
        let root = T::ONE / (variance + T::of(rows.epsilon)).root();
        (means[r], roots[r]) = (mean, root);
        match (scale, offset) {
            (Some(scale), Some(offset)) => {
                let (scale, offset) = (&scale[..n], &offset[..n]);
                for i in 0..n {
                    y[i] = (x[i] - mean) * root * scale[i] + offset[i];
                }
            }
            (Some(scale), None) => {
                let scale = &scale[..n];
                for i in 0..n {
                    y[i] = (x[i] - mean) * root * scale[i];
                }
            }
            (None, Some(offset)) => {
                let offset = &offset[..n];
                for i in 0..n {
                    y[i] = (x[i] - mean) * root + offset[i];
                }
            }
            (None, None) => {
                for i in 0..n {
                    y[i] = (x[i] - mean) * root;
                }
            }
        }
    }
}

/// The sums over rows for scale and offset, which the pass adds to.
pub struct Sums<'a, T> {
    pub scale: &'a mut [T],
    pub offset: &'a mut [T],
}

#[inline(always)]
fn gradient_body<T: Root>(
    rows: Rows,
    x: &[T],
    means: &[T],
    roots: &[T],
    scale: Option<&[T]>,
    dy: &[T],
    dx: &mut [T],
    sums: &mut Sums<'_, T>,
) {
    let (n, count) = (rows.n, T::of(rows.n as f64));
    let (dscale, doffset) = (&mut sums.scale[..n], &mut sums.offset[..n]);
    for (r, ((x, dy), dx)) in x.chunks_exact(n).zip(dy.chunks_exact(n)).zip(dx.chunks_exact_mut(n)).enumerate() {
        let (mean, root) = (means[r], roots[r]);
        // `dx` holds the cotangent of what was normalised on the way.
        match scale {
            Some(scale) => {
                let scale = &scale[..n];
                for i in 0..n {
                    dscale[i] = dscale[i] + dy[i] * ((x[i] - mean) * root);
                    doffset[i] = doffset[i] + dy[i];
                    dx[i] = dy[i] * scale[i];
                }
            }
            None => {
                for i in 0..n {
                    doffset[i] = doffset[i] + dy[i];
                    dx[i] = dy[i];
                }
            }
        }
        let middle = if rows.centred { sum_of(n, |i| dx[i]) / count } else { T::ZERO };
        let along = sum_of(n, |i| dx[i] * (x[i] - mean)) * root / count;
        for i in 0..n {
            dx[i] = (dx[i] - middle - (x[i] - mean) * root * along) * root;
        }
    }
}

/// Defines a pass that runs `$body` compiled for an instruction set.
macro_rules! pass {
    ($($(#[$doc:meta])* $name:ident = $body:ident($($arg:ident: $t:ty),*);)*) => {$(
        $(#[$doc])*
        ///
        /// Rows lie one after the other; without elements there is nothing to do.
        pub fn $name<T: Root>(isa: Isa, rows: Rows, $($arg: $t),*) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
            fn avx512<T: Root>(rows: Rows, $($arg: $t),*) {
                $body::<T>(rows, $($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn avx2<T: Root>(rows: Rows, $($arg: $t),*) {
                $body::<T>(rows, $($arg),*)
            }
            if rows.n == 0 {
                return;
            }
            match isa {
                // SAFETY: `Isa` names only sets that the CPU has.
                #[cfg(target_arch = "x86_64")]
                Isa::Avx512 => unsafe { avx512(rows, $($arg),*) },
                // SAFETY: `Isa` names only sets that the CPU has.
                #[cfg(target_arch = "x86_64")]
                Isa::Avx2 => unsafe { avx2(rows, $($arg),*) },
                #[allow(unreachable_patterns, reason = "the others exist on one architecture only")]
                _ => $body::<T>(rows, $($arg),*),
            }
        }
    )*};
}

pass! {
    /// `y = (x - mean) root scale + offset`, with each row's mean and one over the root of its variance.
    normalise = normalise_body(
        x: &[T], scale: Option<&[T]>, offset: Option<&[T]>, y: &mut [T], means: &mut [T], roots: &mut [T]
    );
    /// `dx`, and what the rows add to the gradients of scale and offset.
    gradient = gradient_body(
        x: &[T], means: &[T], roots: &[T], scale: Option<&[T]>, dy: &[T], dx: &mut [T], sums: &mut Sums<'_, T>
    );
}
