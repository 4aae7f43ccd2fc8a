//! The four pooling kernels against loops written as their definition, over random geometries and instruction sets.
//! Run by `cargo test`; chunks run in reverse order, since any order must do.

use super::*;
use crate::backend::cpu::conv::Float;
use crate::backend::cpu::isa::Isa;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }

    /// Few different values, so that maxima are often shared.
    fn values<T: Float>(&mut self, n: usize) -> Vec<T> {
        (0..n).map(|_| T::of(self.below(7) as isize - 3)).collect()
    }

    fn geometry(&mut self) -> PoolGeometry {
        let channels = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 32, 33, 40];
        loop {
            let mut g = PoolGeometry {
                batch: self.below(5),
                in_h: 1 + self.below(40),
                in_w: 1 + self.below(40),
                channels: channels[self.below(channels.len())],
                out_h: 0,
                out_w: 0,
                k_h: 1 + self.below(4),
                k_w: 1 + self.below(4),
                stride_h: 1 + self.below(3),
                stride_w: 1 + self.below(3),
                pad_top: 0,
                pad_left: 0,
            };
            let (mut bottom, mut right) = (0, 0);
            if self.below(2) == 0 {
                (g.pad_top, g.pad_left, bottom, right) =
                    (self.below(g.k_h + 1), self.below(g.k_w + 1), self.below(g.k_h + 1), self.below(g.k_w + 1));
            }
            let (h, w) = (g.in_h + g.pad_top + bottom, g.in_w + g.pad_left + right);
            if h >= g.k_h && w >= g.k_w {
                (g.out_h, g.out_w) = ((h - g.k_h) / g.stride_h + 1, (w - g.k_w) / g.stride_w + 1);
                return g;
            }
        }
    }
}

/// For each output value, its index and the indices of the inputs in its window.
fn windows(g: &PoolGeometry) -> Vec<(usize, Vec<usize>)> {
    let mut all = Vec::new();
    for o in 0..g.batch * g.out_h * g.out_w * g.channels {
        let (c, ow) = (o % g.channels, o / g.channels % g.out_w);
        let (oh, b) = (o / g.channels / g.out_w % g.out_h, o / g.channels / g.out_w / g.out_h);
        let mut cells = Vec::new();
        for kh in 0..g.k_h {
            for kw in 0..g.k_w {
                let ih = (oh * g.stride_h + kh).wrapping_sub(g.pad_top);
                let iw = (ow * g.stride_w + kw).wrapping_sub(g.pad_left);
                if ih < g.in_h && iw < g.in_w {
                    cells.push(((b * g.in_h + ih) * g.in_w + iw) * g.channels + c);
                }
            }
        }
        all.push((o, cells));
    }
    all
}

fn isas() -> Vec<Isa> {
    match Isa::detect() {
        Isa::Avx512 => vec![Isa::Portable, Isa::Avx2, Isa::Avx512],
        Isa::Avx2 => vec![Isa::Portable, Isa::Avx2],
        Isa::Portable => vec![Isa::Portable],
    }
}

fn check<T: Float>(seed: u64) {
    let mut random = Random(seed);
    for round in 0..200 {
        let g = random.geometry();
        let x: Vec<T> = random.values(g.batch * g.in_h * g.in_w * g.channels);
        let dy: Vec<T> = random.values(g.batch * g.out_h * g.out_w * g.channels);
        let zeros = |n| vec![T::default(); n];
        let (mut max, mut avg) = ((zeros(dy.len()), zeros(x.len())), (zeros(dy.len()), zeros(x.len())));
        for (o, cells) in windows(&g) {
            max.0[o] = T::LOWEST;
            let Some(&first) = cells.first() else { continue };
            let best = cells.iter().fold(first, |best, &i| if x[i] > x[best] { i } else { best });
            max.0[o] = x[best];
            max.1[best] = max.1[best] + dy[o];
            let share = T::of(cells.len() as isize).recip();
            avg.0[o] = cells.iter().fold(T::default(), |sum, &i| sum + x[i]) * share;
            cells.iter().for_each(|&i| avg.1[i] = avg.1[i] + dy[o] * share);
        }
        for isa in isas() {
            let rubbish = |n| vec![T::of(77); n];
            let mut got = ((rubbish(dy.len()), rubbish(x.len())), (rubbish(dy.len()), rubbish(x.len())));
            // SAFETY: the buffers have the sizes of the geometry.
            unsafe {
                for i in (0..forward_chunks(&g)).rev() {
                    max_pool(isa, &g, x.as_ptr(), got.0.0.as_mut_ptr(), i);
                    avg_pool(isa, &g, x.as_ptr(), got.1.0.as_mut_ptr(), i);
                }
                for i in (0..gradient_chunks(&g)).rev() {
                    max_pool_gradient(isa, &g, x.as_ptr(), dy.as_ptr(), got.0.1.as_mut_ptr(), i);
                    avg_pool_gradient(isa, &g, dy.as_ptr(), got.1.1.as_mut_ptr(), i);
                }
            }
            // Windows add in the same order as here, so even the means are equal.
            assert!(got.0.0 == max.0 && got.0.1 == max.1, "round {round}: max with {isa:?}, {g:?}");
            assert!(got.1.0 == avg.0 && got.1.1 == avg.1, "round {round}: average with {isa:?}, {g:?}");
        }
    }
}

#[test]
fn f32_matches_the_definition() {
    check::<f32>(0x2545_f491_4f6c_dd1d);
}

#[test]
fn f64_matches_the_definition() {
    check::<f64>(0x9e37_79b9_7f4a_7c15);
}

#[test]
fn nan_wins_and_gets_the_gradient() {
    let g = PoolGeometry {
        batch: 1,
        in_h: 2,
        in_w: 2,
        channels: 1,
        out_h: 1,
        out_w: 1,
        k_h: 2,
        k_w: 2,
        stride_h: 1,
        stride_w: 1,
        pad_top: 0,
        pad_left: 0,
    };
    let x = [1.0f32, f32::NAN, 3.0, f32::NAN];
    for isa in isas() {
        let (mut y, mut dx) = ([0.0f32], [9.0f32; 4]);
        // SAFETY: the buffers have the sizes of the geometry.
        unsafe {
            max_pool(isa, &g, x.as_ptr(), y.as_mut_ptr(), 0);
            max_pool_gradient(isa, &g, x.as_ptr(), [5.0f32].as_ptr(), dx.as_mut_ptr(), 0);
        }
        assert!(y[0].is_nan());
        assert_eq!(dx, [0.0, 5.0, 0.0, 0.0]);
    }
}
