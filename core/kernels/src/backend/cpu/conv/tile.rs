//! The microkernel under every convolution: P gathered rows times V vectors, summed over a nest of three loops.
//! The drivers (`product`, `filter_gradient`) fill a [`Tile`]; `kernels` holds the instantiations.

use crate::backend::cpu::simd::Simd;
use std::sync::atomic::{Ordering, compiler_fence};

/// The most rows any tile has.
pub(super) const MAX_ROWS: usize = 24;

/// One call of the microkernel: `out[outs[p] + j] (+)= sum over k of src[offs[p] + k . src_step] * panel[k . panel_step + j]`.
///
/// Rows are gathered through offsets, so that a tile may run over the end of an image row: only the last tile of a
/// whole region is partly idle. On current cores these integer loads are free beside two vector loads per cycle.
pub(super) struct Tile<T> {
    pub src: *const T,
    pub panel: *const T,
    pub out: *mut T,
    /// Row offsets in elements; idle rows repeat a live one.
    pub offs: [usize; MAX_ROWS],
    pub outs: [usize; MAX_ROWS],
    /// Rows to store.
    pub live: usize,
    /// Lengths of the three loops, outermost first, and the steps of both operands, in elements.
    pub len: [usize; 3],
    pub src_step: [usize; 3],
    pub panel_step: [usize; 3],
    /// Columns of the last vector.
    pub lanes: usize,
    /// Whether the panel holds whole vectors, whatever `lanes` says.
    pub whole: bool,
    /// Adds to what `out` holds.
    pub accumulate: bool,
    /// Whether these are the last terms of the sums: denormal ones become zero then.
    pub last: bool,
}

/// `$body` for `$p` = 0..P with P a constant: unrolled by the macro, because the accumulators stay in registers only
/// if every index is a constant, and the compiler gives up on loops of this size.
macro_rules! unroll {
    ($n:expr, $p:ident => $body:expr) => {
        unroll!(@ $n, $p => $body, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23)
    };
    (@ $n:expr, $p:ident => $body:expr, $($i:literal)*) => {$(
        if $n > $i {
            let $p = $i;
            $body
        }
    )*};
}

/// Hides where a pointer comes from. Otherwise the compiler sums pointers and row offsets ahead of the loop, where
/// the sums spill to the stack one by one and cost more than the loop itself.
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block, reason = "nothing is read through the pointer")]
fn opaque<T>(p: *const T) -> *const T {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let mut p = p;
        // SAFETY: no instruction at all.
        unsafe { std::arch::asm!("/* {0} */", inout(reg) p, options(pure, nomem, nostack, preserves_flags)) };
        return p;
    }
    #[allow(unreachable_code, reason = "elsewhere the pointer stays as it is")]
    p
}

/// Vectors of a tile from which its steps come one after the other: sums leave no registers for the vectors of several steps. Four such steps share
/// what moves the addresses on, which saves 3 to 8 % on Intel's processors. With three vectors and nine rows the compiler then spills sums, and AVX2
/// gained nothing.
const ONE_BY_ONE: usize = 4;

/// Steps of the innermost loop and what they keep at hand.
struct Inner<'a, S: Simd, const P: usize> {
    offs: &'a [usize; P],
    src_step: usize,
    panel_step: usize,
    tail: S::Tail,
}

impl<S: Simd, const P: usize> Inner<'_, S, P> {
    /// All steps. With `WHOLE` the panel holds whole vectors, and none is loaded by a mask, which took up to 12 % longer on Intel's processors.
    ///
    /// # Safety
    /// As for [`tile`].
    #[inline(always)]
    unsafe fn nest<const V: usize, const U: usize, const WHOLE: bool>(&self, t: &Tile<S::Elem>, acc: &mut [[S; V]; P]) {
        // Copies, since nothing in memory stays known across the fences.
        let ([outer, middle, inner], src_step, panel_step) = (t.len, t.src_step, t.panel_step);
        let (mut src_row, mut panel_row) = (t.src, t.panel);
        for _ in 0..outer {
            let (mut src_tap, mut panel_tap) = (src_row, panel_row);
            for _ in 0..middle {
                let (mut src, mut panel) = (src_tap, panel_tap);
                let mut left = inner;
                // SAFETY: the caller's promise. Pointers wrap, because after a last step they may lie beyond the operands.
                unsafe {
                    while left >= U {
                        self.steps::<V, U, WHOLE>(acc, src, panel);
                        src = src.wrapping_add(U * src_step[2]);
                        panel = panel.wrapping_add(U * panel_step[2]);
                        left -= U;
                    }
                    if V >= ONE_BY_ONE {
                        // More copies of the step would not leave the sums in registers.
                        while left > 0 {
                            self.steps::<V, 1, WHOLE>(acc, src, panel);
                            src = src.wrapping_add(src_step[2]);
                            panel = panel.wrapping_add(panel_step[2]);
                            left -= 1;
                        }
                    } else {
                        // The rest in one go: with few channels it is all there is.
                        match left {
                            3 if U > 3 => self.steps::<V, 3, WHOLE>(acc, src, panel),
                            2 if U > 2 => self.steps::<V, 2, WHOLE>(acc, src, panel),
                            1 if U > 1 => self.steps::<V, 1, WHOLE>(acc, src, panel),
                            _ => {}
                        }
                    }
                }
                src_tap = src_tap.wrapping_add(src_step[1]);
                panel_tap = panel_tap.wrapping_add(panel_step[1]);
            }
            src_row = src_row.wrapping_add(src_step[0]);
            panel_row = panel_row.wrapping_add(panel_step[0]);
        }
    }

    /// `U` steps.
    ///
    /// # Safety
    /// As for [`tile`], with at least `U` steps left.
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "constant indices into several arrays of registers")]
    unsafe fn steps<const V: usize, const U: usize, const WHOLE: bool>(
        &self,
        acc: &mut [[S; V]; P],
        src: *const S::Elem,
        panel: *const S::Elem,
    ) {
        if V >= ONE_BY_ONE {
            // SAFETY: the caller's promise.
            return unsafe { self.one_by_one::<V, U, WHOLE>(acc, src, panel) };
        }
        // SAFETY: the caller promises that these addresses lie in the operands; the tail's mask covers the last vector.
        unsafe {
            let mut w = [[S::splat(S::Elem::default()); V]; U];
            for u in 0..U {
                for v in 0..V {
                    let p = panel.add(u * self.panel_step + v * S::LANES);
                    w[u][v] = if v + 1 == V && !WHOLE { S::load_tail(p, self.tail) } else { S::load(p) };
                }
            }
            let mut at = [src; U];
            for u in 0..U {
                at[u] = src.add(u * self.src_step);
                if V == 1 {
                    at[u] = opaque(at[u]);
                }
            }
            unroll!(P, p => {
                if V == 1 {
                    // Keeps the order of rows, in which each offset is loaded once; the compiler's own would need
                    // them again for every step.
                    compiler_fence(Ordering::SeqCst);
                }
                let off = self.offs[p];
                for u in 0..U {
                    let x = S::splat(*at[u].add(off));
                    for v in 0..V {
                        acc[p][v] = x.fma(w[u][v], acc[p][v]);
                    }
                }
            });
        }
    }

    /// `U` steps, of which each has its vectors of the panel to itself: those of several steps have no registers beside the sums of a wide tile.
    ///
    /// # Safety
    /// As for [`steps`](Self::steps).
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "constant indices into several arrays of registers")]
    unsafe fn one_by_one<const V: usize, const U: usize, const WHOLE: bool>(
        &self,
        acc: &mut [[S; V]; P],
        src: *const S::Elem,
        panel: *const S::Elem,
    ) {
        for u in 0..U {
            // SAFETY: as in `steps`.
            unsafe {
                let (src, panel) = (opaque(src.add(u * self.src_step)), opaque(panel.add(u * self.panel_step)));
                let mut w = [S::splat(S::Elem::default()); V];
                for v in 0..V {
                    let p = panel.add(v * S::LANES);
                    w[v] = if v + 1 == V && !WHOLE { S::load_tail(p, self.tail) } else { S::load(p) };
                }
                unroll!(P, p => {
                    let x = S::splat(*src.add(self.offs[p]));
                    for v in 0..V {
                        acc[p][v] = x.fma(w[v], acc[p][v]);
                    }
                });
            }
        }
    }
}

/// Computes one tile; `U` steps of the innermost loop are unrolled.
///
/// # Safety
/// The CPU must have the instruction set of `S`. All addresses that the nest and the rows reach must be readable in
/// `src`, those of the panel with `(V - 1) * LANES + lanes` columns likewise, and the same columns of the rows of
/// `out` writable, by nobody else.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "as above")]
pub(super) unsafe fn tile<S: Simd, const P: usize, const V: usize, const U: usize>(t: &Tile<S::Elem>) {
    // SAFETY: every address is one of those that the caller vouches for.
    unsafe {
        let tail = S::tail(t.lanes);
        let mut acc = [[S::splat(S::Elem::default()); V]; P];
        if t.accumulate {
            unroll!(P, p => {
                for v in 0..V {
                    let at = t.out.add(t.outs[p] + v * S::LANES);
                    acc[p][v] = if v + 1 == V { S::load_tail(at, tail) } else { S::load(at) };
                }
            });
        }
        let offs: &[usize; P] = t.offs[..P].try_into().unwrap_unchecked();
        let steps = Inner::<S, P> { offs, src_step: t.src_step[2], panel_step: t.panel_step[2], tail };
        if t.whole {
            steps.nest::<V, U, true>(t, &mut acc);
        } else {
            steps.nest::<V, U, false>(t, &mut acc);
        }
        if t.last {
            unroll!(P, p => {
                for v in 0..V {
                    acc[p][v] = acc[p][v].flushed();
                }
            });
        }
        unroll!(P, p => {
            if p < t.live {
                let at = t.out.add(t.outs[p]);
                for v in 0..V {
                    // Masked stores are slow on some cores, so only a real tail uses one.
                    if v + 1 == V && t.lanes < S::LANES {
                        acc[p][v].store_tail(at.add(v * S::LANES), tail);
                    } else {
                        acc[p][v].store(at.add(v * S::LANES));
                    }
                }
            }
        });
    }
}
