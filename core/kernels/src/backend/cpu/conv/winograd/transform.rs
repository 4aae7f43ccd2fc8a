//! The transforms of Winograd's F(4x4, 3x3) over vectors of channels: of pixels, filters and sums, and their transposes for gradients.
//! `tiles`, `filters` and `gradient` call them.
//!
//! The points are 0, ±3/4, ±3/2 and infinity: with the usual 0, ±1, ±2 the errors of rounding are about twice as large ("Convolutions and
//! pooling" in `docs/performance.md`). Matrices by the method of Toom and Cook, as Barabasz, Anderson, Soodhalter and Gregg describe it, "Error
//! Analysis and Improving the Accuracy of Winograd Convolution for Deep Neural Networks", 2020.

use crate::backend::cpu::simd::{Float, Simd};

/// Pixels of a tile along an axis, and points.
pub(super) const TILE: usize = 6;
/// Products of a tile: one for each pair of points.
pub(super) const POINTS: usize = TILE * TILE;
/// Outputs of a tile along an axis.
pub(super) const STEP: usize = 4;
/// Taps of the filter along an axis.
pub(super) const TAPS: usize = 3;

/// A fraction in all lanes.
#[inline(always)]
unsafe fn splat<S: Simd>(n: isize, of: isize) -> S {
    // SAFETY: the caller has the instruction set.
    unsafe { S::splat(S::Elem::of(n) * S::Elem::of(of).recip()) }
}

/// Transforms each column with `$f` and turns the result over, so that a second time transforms the rows and turns it back. A loop and no
/// closures: those would be compiled without the instruction set.
macro_rules! columns {
    ($from:expr, [$($row:literal)*] $f:ident, $to:ident x $width:ident) => {{
        let from = $from;
        let mut to = [[S::zero(); $to]; $width];
        for (column, to) in to.iter_mut().enumerate() {
            *to = $f([$(from[$row][column]),*]);
        }
        to
    }};
}

/// The channels of a vector at a place: all lanes of it, or those of the tail.
#[inline(always)]
unsafe fn read<S: Simd, const WHOLE: bool>(at: *const S::Elem, c: usize, tail: S::Tail) -> S {
    // SAFETY: the caller's promise.
    unsafe { if WHOLE { S::load(at.wrapping_add(c)) } else { S::load_tail(at.wrapping_add(c), tail) } }
}

/// `B^T d B` of the pixels of a tile at these places.
///
/// # Safety
/// The CPU has the instruction set of `S`, and a vector, or the tail's lanes, are readable from channel `c` of all places.
#[inline(always)]
pub(super) unsafe fn pixels_at<S: Simd, const WHOLE: bool>(
    at: &[[*const S::Elem; TILE]; TILE],
    c: usize,
    tail: S::Tail,
) -> [[S; TILE]; TILE] {
    // SAFETY: the same contract.
    unsafe {
        let mut d = [[S::zero(); TILE]; TILE];
        for (d, at) in d.as_flattened_mut().iter_mut().zip(at.as_flattened()) {
            *d = read::<S, WHOLE>(*at, c, tail);
        }
        columns!(columns!(d, [0 1 2 3 4 5] pixels_1d, TILE x TILE), [0 1 2 3 4 5] pixels_1d, TILE x TILE)
    }
}

/// `B^T d` along one axis.
#[inline(always)]
unsafe fn pixels_1d<S: Simd>(d: [S; TILE]) -> [S; TILE] {
    // SAFETY: the caller has the instruction set.
    unsafe {
        let near_even = d[2].fma(splat(-9, 4), d[4]);
        let near_odd = d[1].fma(splat(-27, 16), d[3].mul(splat(3, 4)));
        let far_even = d[2].fma(splat(-9, 16), d[4]);
        let far_odd = d[1].fma(splat(-27, 32), d[3].mul(splat(3, 2)));
        [
            ends(d[0], d[2], d[4]),
            near_even.add(near_odd),
            near_even.sub(near_odd),
            far_even.add(far_odd),
            far_even.sub(far_odd),
            ends(d[1], d[3], d[5]),
        ]
    }
}

/// What the points 0 and infinity take of every other pixel.
#[inline(always)]
unsafe fn ends<S: Simd>(a: S, b: S, c: S) -> S {
    // SAFETY: the caller has the instruction set.
    unsafe { a.fma(splat(81, 64), b.fma(splat(-45, 16), c)) }
}

/// `G g G^T` of a filter.
///
/// # Safety
/// The CPU has the instruction set of `S`.
#[inline(always)]
pub(super) unsafe fn filter<S: Simd>(g: [[S; TAPS]; TAPS]) -> [[S; TILE]; TILE] {
    // SAFETY: the same contract.
    unsafe { columns!(columns!(g, [0 1 2] filter_1d, TILE x TAPS), [0 1 2] filter_1d, TILE x TILE) }
}

/// `G g` along one axis.
#[inline(always)]
unsafe fn filter_1d<S: Simd>(g: [S; TAPS]) -> [S; TILE] {
    // SAFETY: the caller has the instruction set.
    unsafe {
        let near_even = g[0].fma(splat(-128, 243), g[2].mul(splat(-8, 27)));
        let near_odd = g[1].mul(splat(-32, 81));
        let far_even = g[0].fma(splat(32, 243), g[2].mul(splat(8, 27)));
        let far_odd = g[1].mul(splat(16, 81));
        [
            g[0].mul(splat(64, 81)),
            near_even.add(near_odd),
            near_even.sub(near_odd),
            far_even.add(far_odd),
            far_even.sub(far_odd),
            g[2],
        ]
    }
}

/// `A^T m A`: the outputs of a tile.
///
/// # Safety
/// The CPU has the instruction set of `S`.
#[inline(always)]
pub(super) unsafe fn sums<S: Simd>(m: [[S; TILE]; TILE]) -> [[S; STEP]; STEP] {
    // SAFETY: the same contract.
    unsafe { columns!(columns!(m, [0 1 2 3 4 5] sums_1d, STEP x TILE), [0 1 2 3 4 5] sums_1d, STEP x STEP) }
}

/// `A^T m` along one axis.
#[inline(always)]
unsafe fn sums_1d<S: Simd>(m: [S; TILE]) -> [S; STEP] {
    // SAFETY: the caller has the instruction set.
    unsafe {
        let (near_even, near_odd) = (m[1].add(m[2]), m[1].sub(m[2]));
        let (far_even, far_odd) = (m[3].add(m[4]), m[3].sub(m[4]));
        [
            m[0].add(near_even).add(far_even),
            near_odd.fma(splat(3, 4), far_odd.mul(splat(3, 2))),
            near_even.fma(splat(9, 16), far_even.mul(splat(9, 4))),
            near_odd.fma(splat(27, 64), far_odd.fma(splat(27, 8), m[5])),
        ]
    }
}

/// One row of `B^T d B`, of the pixels at these places.
///
/// # Safety
/// As for [`pixels_at`].
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "an index into the columns of an array")]
pub(super) unsafe fn pixels_row<S: Simd, const WHOLE: bool>(
    at: &[[*const S::Elem; TILE]; TILE],
    row: usize,
    c: usize,
    tail: S::Tail,
) -> [S; TILE] {
    // SAFETY: the caller's promise.
    unsafe {
        let mut d = [S::zero(); TILE];
        if row == 0 || row == TILE - 1 {
            let first = row.min(1);
            for x in 0..TILE {
                d[x] = ends(
                    read::<S, WHOLE>(at[first][x], c, tail),
                    read::<S, WHOLE>(at[first + 2][x], c, tail),
                    read::<S, WHOLE>(at[first + 4][x], c, tail),
                );
            }
            return pixels_1d(d);
        }
        let [one, two, three]: [S; 3] = match row {
            1 => [splat(-27, 16), splat(-9, 4), splat(3, 4)],
            2 => [splat(27, 16), splat(-9, 4), splat(-3, 4)],
            3 => [splat(-27, 32), splat(-9, 16), splat(3, 2)],
            _ => [splat(27, 32), splat(-9, 16), splat(-3, 2)],
        };
        for x in 0..TILE {
            let even = read::<S, WHOLE>(at[2][x], c, tail).fma(two, read::<S, WHOLE>(at[4][x], c, tail));
            let odd = read::<S, WHOLE>(at[3][x], c, tail).fma(three, even);
            d[x] = read::<S, WHOLE>(at[1][x], c, tail).fma(one, odd);
        }
        pixels_1d(d)
    }
}

/// One row of `A d A^T`, of the output gradients at these places.
///
/// # Safety
/// As for [`pixels_at`].
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "an index into the columns of an array")]
pub(super) unsafe fn gradients_row<S: Simd, const WHOLE: bool>(
    at: &[[*const S::Elem; STEP]; STEP],
    row: usize,
    c: usize,
    tail: S::Tail,
) -> [S; TILE] {
    // SAFETY: the caller's promise.
    unsafe {
        let mut d = [S::zero(); STEP];
        if row == 0 || row == TILE - 1 {
            for x in 0..STEP {
                d[x] = read::<S, WHOLE>(at[if row == 0 { 0 } else { STEP - 1 }][x], c, tail);
            }
        } else {
            let p: S = match row {
                1 => splat(3, 4),
                2 => splat(-3, 4),
                3 => splat(3, 2),
                _ => splat(-3, 2),
            };
            for x in 0..STEP {
                let three = read::<S, WHOLE>(at[3][x], c, tail);
                let two = three.fma(p, read::<S, WHOLE>(at[2][x], c, tail));
                let one = two.fma(p, read::<S, WHOLE>(at[1][x], c, tail));
                d[x] = one.fma(p, read::<S, WHOLE>(at[0][x], c, tail));
            }
        }
        gradients_1d(d)
    }
}

/// `A d` along one axis.
#[inline(always)]
unsafe fn gradients_1d<S: Simd>(d: [S; STEP]) -> [S; TILE] {
    // SAFETY: the caller has the instruction set.
    unsafe {
        let near_even = d[2].fma(splat(9, 16), d[0]);
        let near_odd = d[3].fma(splat(27, 64), d[1].mul(splat(3, 4)));
        let far_even = d[2].fma(splat(9, 4), d[0]);
        let far_odd = d[3].fma(splat(27, 8), d[1].mul(splat(3, 2)));
        [d[0], near_even.add(near_odd), near_even.sub(near_odd), far_even.add(far_odd), far_even.sub(far_odd), d[3]]
    }
}

/// `G^T u G`: the taps of a filter's gradient.
///
/// # Safety
/// The CPU has the instruction set of `S`.
#[inline(always)]
pub(super) unsafe fn taps<S: Simd>(u: [[S; TILE]; TILE]) -> [[S; TAPS]; TAPS] {
    // SAFETY: the same contract.
    unsafe { columns!(columns!(u, [0 1 2 3 4 5] taps_1d, TAPS x TILE), [0 1 2 3 4 5] taps_1d, TAPS x TAPS) }
}

/// `G^T u` along one axis.
#[inline(always)]
unsafe fn taps_1d<S: Simd>(u: [S; TILE]) -> [S; TAPS] {
    // SAFETY: the caller has the instruction set.
    unsafe {
        let (near_even, near_odd) = (u[1].add(u[2]), u[1].sub(u[2]));
        let (far_even, far_odd) = (u[3].add(u[4]), u[3].sub(u[4]));
        [
            u[0].fma(splat(64, 81), near_even.fma(splat(-128, 243), far_even.mul(splat(32, 243)))),
            near_odd.fma(splat(-32, 81), far_odd.mul(splat(16, 81))),
            near_even.fma(splat(-8, 27), far_even.fma(splat(8, 27), u[5])),
        ]
    }
}
