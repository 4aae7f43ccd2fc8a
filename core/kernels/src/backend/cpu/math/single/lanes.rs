//! [`Lanes`]: a few floats that are computed side by side, so that chains of dependent operations hide each other's latency.
//! `exp`, `log`, `log1p`, `tanh` and `sigmoid` in f32 are written over them; their loops cut a slice into that many streams.

#![allow(clippy::needless_range_loop, reason = "lanes by number, so that each step is written out for all of them")]

use super::super::fused::Arithmetic;

/// `N` floats.
///
/// Loops instead of the array's own methods: those are functions of std, which may stay calls, without the instruction
/// set of the function around.
#[derive(Clone, Copy)]
pub struct Lanes<const N: usize>(pub [f32; N]);

impl<const N: usize> Lanes<N> {
    #[inline(always)]
    pub fn map(self, f: impl Fn(f32) -> f32) -> Self {
        let mut to = self.0;
        for i in 0..N {
            to[i] = f(to[i]);
        }
        Self(to)
    }

    #[inline(always)]
    pub fn zip(self, b: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut to = self.0;
        for i in 0..N {
            to[i] = f(to[i], b.0[i]);
        }
        Self(to)
    }

    #[inline(always)]
    pub fn zip3(self, b: Self, c: Self, f: impl Fn(f32, f32, f32) -> f32) -> Self {
        let mut to = self.0;
        for i in 0..N {
            to[i] = f(to[i], b.0[i], c.0[i]);
        }
        Self(to)
    }

    /// self - b k.
    #[inline(always)]
    pub fn less<A: Arithmetic>(self, b: Self, k: f32) -> Self {
        self.zip(b, |a, b| A::fma(b, -k, a))
    }

    /// c0 + self (c1 + self (c2 + ...)).
    #[inline(always)]
    pub fn horner<A: Arithmetic, const K: usize>(self, c: [f32; K]) -> Self {
        let mut sum = Self([c[K - 1]; N]);
        for k in (0..K - 1).rev() {
            sum = sum.zip(self, |sum, x| A::fma(x, sum, c[k]));
        }
        sum
    }
}

/// Streams that a slice is cut into. LLVM vectorises loops over two; over four it gives up.
const STREAMS: usize = 2;
/// Elements from which that is worth it.
const LONG: usize = 256;

/// A function of lanes. A trait, because a closure may become a function of its own where it is long, and that has no instruction set.
pub trait OfLanes {
    fn of<A: Arithmetic, const N: usize>(x: Lanes<N>) -> Lanes<N>;
}

/// Defines the function of each element of a slice.
macro_rules! slice {
    ($(#[$doc:meta])* $name:ident = $lanes:ident) => {
        $(#[$doc])*
        #[inline(always)]
        pub fn $name<A: Arithmetic>(a: &[f32], out: &mut [f32]) {
            struct Each;
            impl $crate::backend::cpu::math::single::lanes::OfLanes for Each {
                #[inline(always)]
                fn of<A: Arithmetic, const N: usize>(x: Lanes<N>) -> Lanes<N> {
                    $lanes::<A, N>(x)
                }
            }
            $crate::backend::cpu::math::single::lanes::streams::<Each, A>(a, out)
        }
    };
}
pub(super) use slice;

/// out[i] = f(a[i]), in two streams where there are enough elements; every element by itself gives the same bits.
#[inline(always)]
pub fn streams<F: OfLanes, A: Arithmetic>(a: &[f32], out: &mut [f32]) {
    let n = a.len().min(out.len());
    let length = if n < LONG { 0 } else { n / STREAMS };
    let (whole, rest) = a[..n].split_at(length * STREAMS);
    let (to, to_rest) = out[..n].split_at_mut(length * STREAMS);
    side_by_side::<F, A>(whole, to, length);
    for (to, &a) in to_rest.iter_mut().zip(rest) {
        *to = F::of::<A, 1>(Lanes([a])).0[0];
    }
}

#[inline(always)]
fn side_by_side<F: OfLanes, A: Arithmetic>(a: &[f32], out: &mut [f32], n: usize) {
    let (a, b) = a.split_at(n);
    let (to_a, to_b) = out.split_at_mut(n);
    let (b, to_b) = (&b[..n], &mut to_b[..n]);
    for i in 0..n {
        let y = F::of::<A, STREAMS>(Lanes([a[i], b[i]]));
        to_a[i] = y.0[0];
        to_b[i] = y.0[1];
    }
}
