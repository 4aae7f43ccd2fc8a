//! The microkernel for few output channels: vectors run along the sum instead of along the channels.
//! `kernels` instantiates it; the drivers use it like the other one, with the panel laid out by output channel.

use super::tile::Tile;
use crate::backend::cpu::simd::{Float, Simd};

/// Computes `V` output channels of `P` pixels, a dot product each. The innermost loop of the tile has step 1 in both
/// operands, and `panel_step[2]` leads from one output channel to the next.
///
/// # Safety
/// As for [`tile`](super::tile::tile), with those steps.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "constant indices into several arrays of registers")]
pub(super) unsafe fn dots<S: Simd, const P: usize, const V: usize>(t: &Tile<S::Elem>) {
    // SAFETY: every address is one of those that the caller vouches for; the tail's mask covers the rest of the loop.
    unsafe {
        let zero = S::splat(S::Elem::default());
        let mut acc = [[zero; V]; P];
        let whole = t.len[2] / S::LANES * S::LANES;
        let rest = S::tail(t.len[2] - whole);
        for a in 0..t.len[0] {
            for b in 0..t.len[1] {
                let src = t.src.add(a * t.src_step[0] + b * t.src_step[1]);
                let panel = t.panel.add(a * t.panel_step[0] + b * t.panel_step[1]);
                let mut k = 0;
                while k < whole {
                    let mut w = [zero; V];
                    for (v, w) in w.iter_mut().enumerate() {
                        *w = S::load(panel.add(v * t.panel_step[2] + k));
                    }
                    for p in 0..P {
                        let x = S::load(src.add(t.offs[p] + k));
                        for v in 0..V {
                            acc[p][v] = x.fma(w[v], acc[p][v]);
                        }
                    }
                    k += S::LANES;
                }
                if whole < t.len[2] {
                    let mut w = [zero; V];
                    for (v, w) in w.iter_mut().enumerate() {
                        *w = S::load_tail(panel.add(v * t.panel_step[2] + k), rest);
                    }
                    for p in 0..P {
                        let x = S::load_tail(src.add(t.offs[p] + k), rest);
                        for v in 0..V {
                            acc[p][v] = x.fma(w[v], acc[p][v]);
                        }
                    }
                }
            }
        }
        for p in 0..P {
            if p < t.live {
                for v in 0..V {
                    let at = t.out.add(t.outs[p] + v);
                    let sum = acc[p][v].sum();
                    let sum = if t.accumulate { *at + sum } else { sum };
                    *at = if t.last { sum.flushed() } else { sum };
                }
            }
        }
    }
}
