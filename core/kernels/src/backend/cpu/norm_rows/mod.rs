//! Passes over rows of floats that bring each to a mean of 0 and a variance of 1, or a mean square of 1, and their gradients.
//! The normalisations of layers run them on blocks of rows.
//!
//! Two passes over a row find its mean and its variance, and a third writes it: a row stays in the first-level cache. Backward, one pass
//! has all sums and a second writes. A row is summed in lanes, element `i` in lane `i` modulo their number, which is the same for
//! every instruction set.

pub mod channels;
mod parts;
#[cfg(test)]
mod tests;

use super::Isa;
use super::simd::{Float, Simd};
use super::softmax_rows::Real;
use parts::{Part, Tail, Whole, by_halves, each, plus, sums};
use std::marker::PhantomData;
use std::ptr::{null, null_mut};

/// What rows are made of: rounding from `f64`, the way back, and the root.
pub trait Root: Real + Float {
    fn rounded(x: f64) -> Self;
    fn wide(self) -> f64;
    fn root(self) -> Self;
}

macro_rules! roots {
    ($($t:ident)*) => {$(
        impl Root for $t {
            #[inline(always)]
            fn rounded(x: f64) -> Self { x as $t }
            #[inline(always)]
            fn wide(self) -> f64 { self.into() }
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

/// The sums over rows for scale and offset, which the pass adds to.
pub struct Sums<'a, T> {
    pub scale: Option<&'a mut [T]>,
    pub offset: Option<&'a mut [T]>,
}

/// # Safety
/// Where the CPU has the instruction set of `V`. `y` has the length of `x`, which is that of `means` and `roots` times `n`; scale and offset have
/// `n` elements, and are there where the constants say so.
#[inline(always)]
unsafe fn normalise_body<V: Simd, const SCALED: bool, const SHIFTED: bool>(
    rows: Rows,
    x: &[V::Elem],
    scale: Option<&[V::Elem]>,
    offset: Option<&[V::Elem]>,
    y: &mut [V::Elem],
    means: &mut [V::Elem],
    roots: &mut [V::Elem],
) where
    V::Elem: Root,
{
    let (n, count, minus) = (rows.n, V::Elem::rounded(rows.n as f64), V::Elem::rounded(-1.0));
    let [scale, offset] = [scale, offset].map(|columns| columns.map_or(null(), <[V::Elem]>::as_ptr));
    for (r, (mean, root)) in means.iter_mut().zip(roots).enumerate() {
        // SAFETY: by the caller's promise; the tail ends with the row.
        unsafe {
            let (x, y) = (x.as_ptr().add(r * n), y.as_mut_ptr().add(r * n));
            *mean = V::Elem::ZERO;
            if rows.centred {
                let [sum] = sums!(V, 1, 256, n, |i, part| [part.load(x.add(i))]);
                *mean = sum / count;
            }
            let less = V::splat(*mean * minus);
            let [squares] = sums!(V, 1, 256, n, |i, part| {
                let far = part.only(part.load(x.add(i)).add(less));
                [far.mul(far)]
            });
            *root = V::Elem::ONE / (squares / count + V::Elem::rounded(rows.epsilon)).root();
            let root = V::splat(*root);
            each!(V, n, |i, part| {
                let mut h = part.load(x.add(i)).add(less).mul(root);
                if SCALED {
                    h = h.mul(part.load(scale.add(i)));
                }
                if SHIFTED {
                    h = h.add(part.load(offset.add(i)));
                }
                part.store(h, y.add(i));
            });
        }
    }
}

/// # Safety
/// Where the CPU has the instruction set of `V`. `x`, `dy` and `dx` have one length, which is that of `means` and `roots` times `n`; scale and
/// sums have `n` elements, and are there where the constants say so.
#[inline(always)]
unsafe fn gradient_body<V: Simd, const SCALED: bool, const SHIFTED: bool>(
    rows: Rows,
    x: &[V::Elem],
    means: &[V::Elem],
    roots: &[V::Elem],
    scale: Option<&[V::Elem]>,
    dy: &[V::Elem],
    dx: &mut [V::Elem],
    sums: &mut Sums<'_, V::Elem>,
) where
    V::Elem: Root,
{
    let (n, count, minus) = (rows.n, V::Elem::rounded(rows.n as f64), V::Elem::rounded(-1.0));
    let scale = scale.map_or(null(), <[V::Elem]>::as_ptr);
    let [dscale, doffset] =
        [&mut sums.scale, &mut sums.offset].map(|sums| sums.as_mut().map_or(null_mut(), |sums| sums.as_mut_ptr()));
    for (r, (&mean, &root)) in means.iter().zip(roots).enumerate() {
        // SAFETY: by the caller's promise; the tail ends with the row.
        unsafe {
            let (x, dy, dx) = (x.as_ptr().add(r * n), dy.as_ptr().add(r * n), dx.as_mut_ptr().add(r * n));
            let (less, root) = (V::splat(mean * minus), V::splat(root));
            let [middle, along] = sums!(V, 2, 128, n, |i, part| {
                let (mut g, h) = (part.load(dy.add(i)), part.load(x.add(i)).add(less).mul(root));
                if SHIFTED {
                    part.store(g.add(part.load(doffset.add(i))), doffset.add(i));
                }
                if SCALED {
                    part.store(g.mul(h).add(part.load(dscale.add(i))), dscale.add(i));
                    g = g.mul(part.load(scale.add(i)));
                }
                [g, g.mul(h)]
            });
            let middle = if rows.centred { middle / count * minus } else { V::Elem::ZERO * minus };
            let (middle, along) = (V::splat(middle), V::splat(along / count * minus));
            each!(V, n, |i, part| {
                let (mut g, h) = (part.load(dy.add(i)), part.load(x.add(i)).add(less).mul(root));
                if SCALED {
                    g = g.mul(part.load(scale.add(i)));
                }
                part.store(g.add(middle).add(h.mul(along)).mul(root), dx.add(i));
            });
        }
    }
}

/// Defines a pass that runs `$body` compiled for an instruction set, and for the scale and the offset that are there.
macro_rules! pass {
    ($name:ident = $body:ident($($arg:ident: $t:ty),*)) => {
        /// # Safety
        /// That of the body; `scaled` and `shifted` become its constants.
        unsafe fn $name<T: Root>(isa: Isa, scaled: bool, shifted: bool, rows: Rows, $($arg: $t),*) {
            #[inline(always)]
            unsafe fn any<T: Root, V: Simd<Elem = T>>(scaled: bool, shifted: bool, rows: Rows, $($arg: $t),*) {
                // SAFETY: the same contract.
                unsafe {
                    match (scaled, shifted) {
                        (true, true) => $body::<V, true, true>(rows, $($arg),*),
                        (true, false) => $body::<V, true, false>(rows, $($arg),*),
                        (false, true) => $body::<V, false, true>(rows, $($arg),*),
                        (false, false) => $body::<V, false, false>(rows, $($arg),*),
                    }
                }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
            unsafe fn avx512<T: Root>(scaled: bool, shifted: bool, rows: Rows, $($arg: $t),*) {
                // SAFETY: the same contract.
                unsafe { any::<T, T::Avx512>(scaled, shifted, rows, $($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            unsafe fn avx2<T: Root>(scaled: bool, shifted: bool, rows: Rows, $($arg: $t),*) {
                // SAFETY: the same contract.
                unsafe { any::<T, T::Avx2>(scaled, shifted, rows, $($arg),*) }
            }
            // SAFETY: by the caller's promise; `Isa` names only sets that the CPU has.
            unsafe {
                match isa {
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx512 => avx512(scaled, shifted, rows, $($arg),*),
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx2 => avx2(scaled, shifted, rows, $($arg),*),
                    #[allow(unreachable_patterns, reason = "the others exist on one architecture only")]
                    _ => any::<T, T::Portable>(scaled, shifted, rows, $($arg),*),
                }
            }
        }
    };
}

pass!(normalise_in = normalise_body(
    x: &[T], scale: Option<&[T]>, offset: Option<&[T]>, y: &mut [T], means: &mut [T], roots: &mut [T]
));
pass!(gradient_in = gradient_body(
    x: &[T], means: &[T], roots: &[T], scale: Option<&[T]>, dy: &[T], dx: &mut [T], sums: &mut Sums<'_, T>
));

/// `y = (x - mean) root scale + offset`, with each row's mean and one over the root of its variance.
///
/// Rows lie one after the other; without elements there is nothing to do.
pub fn normalise<T: Root>(
    isa: Isa,
    rows: Rows,
    x: &[T],
    scale: Option<&[T]>,
    offset: Option<&[T]>,
    y: &mut [T],
    means: &mut [T],
    roots: &mut [T],
) {
    let n = rows.n;
    if n == 0 {
        return;
    }
    assert!(x.len() == means.len() * n && x.len() == y.len() && roots.len() == means.len());
    assert!([scale, offset].into_iter().flatten().all(|columns| columns.len() == n));
    // SAFETY: the lengths were looked at.
    unsafe { normalise_in(isa, scale.is_some(), offset.is_some(), rows, x, scale, offset, y, means, roots) }
}

/// `dx`, and what the rows add to the gradients of scale and offset. Sums of the scale are there if it is.
///
/// Rows lie one after the other; without elements there is nothing to do.
pub fn gradient<T: Root>(
    isa: Isa,
    rows: Rows,
    x: &[T],
    means: &[T],
    roots: &[T],
    scale: Option<&[T]>,
    dy: &[T],
    dx: &mut [T],
    sums: &mut Sums<'_, T>,
) {
    let n = rows.n;
    if n == 0 {
        return;
    }
    assert!(x.len() == means.len() * n && x.len() == dy.len() && x.len() == dx.len() && roots.len() == means.len());
    let columns = [scale, sums.scale.as_deref(), sums.offset.as_deref()];
    assert!(columns.iter().flatten().all(|columns| columns.len() == n) && scale.is_some() == sums.scale.is_some());
    // SAFETY: the lengths were looked at.
    unsafe { gradient_in(isa, scale.is_some(), sums.offset.is_some(), rows, x, means, roots, scale, dy, dx, sums) }
}
