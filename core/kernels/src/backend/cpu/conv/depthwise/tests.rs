//! The three kernels by depth against loops written as their definition, over random geometries and all instruction sets.
//! Run by `cargo test`; chunks of a phase run in reverse order, since any order must do.

use super::*;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }

    /// Small integers: every sum is exact, in any order and with any rounding.
    fn values<T: Float>(&mut self, n: usize) -> Vec<T> {
        (0..n).map(|_| T::of(self.below(9) as isize - 4)).collect()
    }

    /// Of filters that move by `two` pixels in a row, the rows are long and the columns those that such rows have loops for.
    fn geometry(&mut self, m: usize, two: bool) -> ConvGeometry {
        let channels = [1, 2, 3, 4, 7, 8, 15, 16, 17, 33, 40];
        let in_c = channels[self.below(channels.len())];
        loop {
            let mut g = ConvGeometry {
                batch: self.below(4),
                in_d: 1,
                in_h: 1 + self.below(20),
                in_w: 1 + self.below(20),
                in_c,
                out_d: 1,
                out_h: 0,
                out_w: 0,
                out_c: in_c * m,
                k_d: 1,
                k_h: 1 + self.below(5),
                k_w: 1 + self.below(8),
                stride_d: 1,
                stride_h: 1 + self.below(3),
                stride_w: 1 + self.below(3),
                dilation_d: 1,
                dilation_h: 1 + self.below(2),
                dilation_w: 1 + self.below(2),
                pad_front: 0,
                pad_top: self.below(5),
                pad_left: self.below(5),
                groups: 1,
                winograd: false,
            };
            if two {
                (g.in_w, g.k_w, g.stride_w, g.dilation_w) = (5 + self.below(40), 3 + 2 * self.below(2), 2, 1);
            }
            let (h, w) = (g.in_h + g.pad_top + self.below(4), g.in_w + g.pad_left + self.below(4));
            let (reach_h, reach_w) = ((g.k_h - 1) * g.dilation_h + 1, (g.k_w - 1) * g.dilation_w + 1);
            if h >= reach_h && w >= reach_w {
                (g.out_h, g.out_w) = ((h - reach_h) / g.stride_h + 1, (w - reach_w) / g.stride_w + 1);
                return g;
            }
        }
    }
}

/// Calls `f(y, x, w)` with the flat indices of every product of the convolution.
fn products(g: &ConvGeometry, mut f: impl FnMut(usize, usize, usize)) {
    let m = g.out_c / g.in_c;
    for y in 0..g.batch * g.out_h * g.out_w * g.out_c {
        let (c, ow, oh) = (y % g.out_c, y / g.out_c % g.out_w, y / g.out_c / g.out_w % g.out_h);
        let b = y / g.out_c / g.out_w / g.out_h;
        for tap in 0..g.k_h * g.k_w {
            let ih = (oh * g.stride_h + tap / g.k_w * g.dilation_h).wrapping_sub(g.pad_top);
            let iw = (ow * g.stride_w + tap % g.k_w * g.dilation_w).wrapping_sub(g.pad_left);
            if ih < g.in_h && iw < g.in_w {
                f(y, ((b * g.in_h + ih) * g.in_w + iw) * g.in_c + c / m, tap * g.out_c + c);
            }
        }
    }
}

type Kernel<T> = unsafe fn(Isa, &ConvGeometry, *const T, *const T, *mut T, *mut u8, usize, usize);

/// Runs all chunks of a kernel on buffers of exactly the right size, filled with rubbish.
fn run<T: Float>(isa: Isa, g: &ConvGeometry, work: Work, kernel: Kernel<T>, a: &[T], b: &[T], n: usize) -> Vec<T> {
    let mut out = vec![T::of(77); n];
    let mut scratch = vec![T::of(99); work.scratch / size_of::<T>()];
    for (phase, &chunks) in work.phases.iter().enumerate() {
        for chunk in (0..chunks).rev() {
            // SAFETY: the buffers have the sizes of the geometry, and phases run in order.
            unsafe {
                kernel(isa, g, a.as_ptr(), b.as_ptr(), out.as_mut_ptr(), scratch.as_mut_ptr().cast(), phase, chunk)
            };
        }
    }
    out
}

/// With whole numbers times `units` for images, filters and gradients, as in the tests of full convolutions.
fn check<T: Float>(seed: u64, units: [T; 3]) {
    let mut random = Random(seed);
    let isas = match Isa::detect() {
        Isa::Avx512 => vec![Isa::Portable, Isa::Avx2, Isa::Avx512],
        Isa::Avx2 => vec![Isa::Portable, Isa::Avx2],
        Isa::Portable => vec![Isa::Portable],
    };
    for round in 0..120 {
        let mut g = random.geometry([1, 1, 2, 3][round % 4], round % 3 == 1);
        if round == 0 {
            // Bands of rows, and parts of the filters' sums.
            (g.batch, g.in_h, g.in_w, g.in_c, g.out_c) = (2, 60, 60, 40, 40);
            (g.out_h, g.out_w) = (58, 58);
            (g.k_h, g.k_w, g.stride_h, g.stride_w) = (3, 3, 1, 1);
            (g.dilation_h, g.dilation_w, g.pad_top, g.pad_left) = (1, 1, 0, 0);
        }
        let x: Vec<T> = random.values(g.batch * g.in_h * g.in_w * g.in_c);
        let w: Vec<T> = random.values(g.taps() * g.out_c);
        let dy: Vec<T> = random.values(g.batch * g.out_h * g.out_w * g.out_c);
        let mut expected = [vec![T::default(); dy.len()], vec![T::default(); x.len()], vec![T::default(); w.len()]];
        products(&g, |o, i, k| {
            expected[0][o] = expected[0][o] + x[i] * w[k];
            expected[1][i] = expected[1][i] + dy[o] * w[k];
            expected[2][k] = expected[2][k] + dy[o] * x[i];
        });
        let scaled = |values: Vec<T>, unit: T| values.into_iter().map(|value| value * unit).collect::<Vec<T>>();
        let [of_x, of_w, of_dy] = units;
        let (x, w, dy) = (scaled(x, of_x), scaled(w, of_w), scaled(dy, of_dy));
        for (expected, [a, b]) in expected.iter_mut().zip([[of_x, of_w], [of_dy, of_w], [of_dy, of_x]]) {
            expected.iter_mut().for_each(|sum| *sum = (*sum * a * b).flushed());
        }
        for &isa in &isas {
            let got = [
                run(isa, &g, forward_work::<T>(&g), forward::<T>, &x, &w, dy.len()),
                run(isa, &g, input_gradient_work::<T>(&g), input_gradient::<T>, &dy, &w, x.len()),
                run(isa, &g, filter_gradient_work::<T>(&g), filter_gradient::<T>, &x, &dy, w.len()),
            ];
            for (kernel, name) in ["forward", "input gradient", "filter gradient"].into_iter().enumerate() {
                assert!(got[kernel] == expected[kernel], "{name} with {isa:?}, {g:?}");
            }
        }
    }
}

#[test]
fn f32_matches_the_definition() {
    check::<f32>(0x9e37_79b9_7f4a_7c15, [1.0; 3]);
}

#[test]
fn f64_matches_the_definition() {
    check::<f64>(0xd1b5_4a32_d192_ed03, [1.0; 3]);
}

#[test]
fn denormal_sums_are_zero_in_the_end() {
    check::<f32>(0x0f1e_2d3c_4b5a_6978, [2f32.powi(-70), 2f32.powi(-61), 2f32.powi(-61)]);
    check::<f64>(0x1234_5678_9abc_def1, [2f64.powi(-518), 2f64.powi(-509), 2f64.powi(-509)]);
}
