//! The three kernels against sums written as their definition, over random geometries and all instruction sets.
//! Run by `cargo test`; chunks of a phase run in a shuffled order, as threads would.

use super::*;
use crate::backend::cpu::Work;
use crate::backend::cpu::isa::Isa;

/// A small generator, so that a failing geometry comes again.
pub(super) struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }

    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// Small integers: every sum is exact, in any order and with any rounding.
    pub fn values<T: Float>(&mut self, n: usize) -> Vec<T> {
        (0..n).map(|_| T::of(self.below(9) as isize - 4)).collect()
    }

    fn geometry(&mut self) -> ConvGeometry {
        let channels = [1, 1, 2, 3, 4, 5, 8, 10, 15, 16, 17, 24, 31, 32, 33, 37, 48, 64, 65, 100];
        let stride = [1, 1, 1, 2, 2, 3];
        loop {
            let mut g = ConvGeometry {
                batch: if self.below(20) == 0 { 0 } else { self.between(1, 4) },
                in_d: 1,
                out_d: 1,
                k_d: 1,
                stride_d: 1,
                dilation_d: 1,
                pad_front: 0,
                in_h: self.between(1, 14),
                in_w: self.between(1, 14),
                in_c: channels[self.below(channels.len())],
                out_h: 0,
                out_w: 0,
                out_c: channels[self.below(channels.len())],
                k_h: self.between(1, 5),
                k_w: self.between(1, 5),
                stride_h: stride[self.below(6)],
                stride_w: stride[self.below(6)],
                dilation_h: 1 + self.below(4) / 3,
                dilation_w: 1 + self.below(4) / 3,
                pad_top: 0,
                pad_left: 0,
                groups: [1, 1, 2, 3][self.below(4)],
                winograd: false,
            };
            let (mut bottom, mut right) = (0, 0);
            if self.below(2) == 0 {
                (g.pad_top, g.pad_left) = (self.below(g.k_h * 2), self.below(g.k_w * 2));
                (bottom, right) = (self.below(g.k_h * 2), self.below(g.k_w * 2));
            }
            let (h, w) = ((g.k_h - 1) * g.dilation_h + 1, (g.k_w - 1) * g.dilation_w + 1);
            let (padded_h, padded_w) = (g.in_h + g.pad_top + bottom, g.in_w + g.pad_left + right);
            if padded_h >= h && padded_w >= w {
                g.out_h = (padded_h - h) / g.stride_h + 1;
                g.out_w = (padded_w - w) / g.stride_w + 1;
                if self.below(2) == 0 {
                    self.deepen(&mut g);
                }
                return g;
            }
        }
    }
}

impl Random {
    /// Makes volumes of images.
    fn deepen(&mut self, g: &mut ConvGeometry) {
        loop {
            (g.in_d, g.k_d) = (self.between(1, 5), self.between(1, 3));
            (g.stride_d, g.dilation_d) = (self.between(1, 3), self.between(1, 2));
            g.pad_front = self.below(g.k_d + 1);
            let (padded, reach) = (g.in_d + g.pad_front + self.below(3), (g.k_d - 1) * g.dilation_d + 1);
            if padded >= reach {
                g.out_d = (padded - reach) / g.stride_d + 1;
                return;
            }
        }
    }
}

/// Calls `f(y, x, w)` with the flat indices of every product of the convolution.
pub(super) fn products(g: &ConvGeometry, mut f: impl FnMut(usize, usize, usize)) {
    let planes = (0..g.batch * g.out_d).flat_map(|o| (0..g.k_d).map(move |k| (o, k)));
    for (o, kd) in planes {
        let id = (o % g.out_d * g.stride_d + kd * g.dilation_d).wrapping_sub(g.pad_front);
        if id >= g.in_d {
            continue;
        }
        let b = o / g.out_d * g.in_d + id;
        for oh in 0..g.out_h {
            for ow in 0..g.out_w {
                for kh in 0..g.k_h {
                    for kw in 0..g.k_w {
                        let ih = (oh * g.stride_h + kh * g.dilation_h).wrapping_sub(g.pad_top);
                        let iw = (ow * g.stride_w + kw * g.dilation_w).wrapping_sub(g.pad_left);
                        if ih >= g.in_h || iw >= g.in_w {
                            continue;
                        }
                        let x = ((b * g.in_h + ih) * g.in_w + iw) * g.in_c * g.groups;
                        let w = ((kd * g.k_h + kh) * g.k_w + kw) * g.in_c;
                        let outputs = g.out_c * g.groups;
                        let y = ((o * g.out_h + oh) * g.out_w + ow) * outputs;
                        for i in 0..g.in_c {
                            (0..outputs).for_each(|o| f(y + o, x + o / g.out_c * g.in_c + i, (w + i) * outputs + o));
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn isas() -> Vec<Isa> {
    match Isa::detect() {
        Isa::Avx512 => vec![Isa::Portable, Isa::Avx2, Isa::Avx512],
        Isa::Avx2 => vec![Isa::Portable, Isa::Avx2],
        Isa::Portable => vec![Isa::Portable],
    }
}

pub(super) type Kernel<T> = unsafe fn(Isa, &ConvGeometry, *const T, *const T, *mut T, *mut u8, usize, usize);

/// Runs all chunks of a kernel on buffers of exactly the right size, filled with rubbish.
pub(super) fn run<T: Float>(
    random: &mut Random,
    isa: Isa,
    g: &ConvGeometry,
    work: Work,
    kernel: Kernel<T>,
    a: &[T],
    b: &[T],
    n: usize,
) -> Vec<T> {
    let mut out = vec![T::of(77); n];
    let mut scratch = vec![T::of(99); work.scratch / size_of::<T>()];
    assert_eq!(work.scratch % size_of::<T>(), 0);
    for (phase, &chunks) in work.phases.iter().enumerate() {
        let mut order: Vec<usize> = (0..chunks).collect();
        (1..chunks).for_each(|i| order.swap(i, random.below(i + 1)));
        for chunk in order {
            // SAFETY: the buffers have the sizes of the geometry, and phases run in order.
            unsafe {
                kernel(isa, g, a.as_ptr(), b.as_ptr(), out.as_mut_ptr(), scratch.as_mut_ptr().cast(), phase, chunk)
            };
        }
    }
    out
}

/// With whole numbers times `units` for images, filters and gradients. Where their products are denormal, so are sums, which are zero in the end.
pub(super) fn check<T: Float>(random: &mut Random, g: &ConvGeometry, units: [T; 3]) {
    let x: Vec<T> = random.values(g.batch * g.in_d * g.in_h * g.in_w * g.in_pitch());
    let w: Vec<T> = random.values(g.depth() * g.out_pitch());
    let dy: Vec<T> = random.values(g.batch * g.out_d * g.out_h * g.out_w * g.out_pitch());
    let mut expected = [vec![T::default(); dy.len()], vec![T::default(); x.len()], vec![T::default(); w.len()]];
    products(g, |o, i, k| {
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
    for isa in isas() {
        let got = [
            run(random, isa, g, forward_work::<T>(g, isa), forward::<T>, &x, &w, dy.len()),
            run(random, isa, g, input_gradient_work::<T>(g, isa), input_gradient::<T>, &dy, &w, x.len()),
            run(random, isa, g, filter_gradient_work::<T>(g, isa), filter_gradient::<T>, &x, &dy, w.len()),
        ];
        for (kernel, name) in ["forward", "input gradient", "filter gradient"].into_iter().enumerate() {
            assert!(got[kernel] == expected[kernel], "{name} with {isa:?}, {g:?}");
        }
    }
}

/// Random small geometries, and some that are large in one way: those are cut into bands, columns, channel slabs and
/// groups of channel blocks.
fn check_all<T: Float>(seed: u64, rounds: usize, units: [T; 3]) {
    let mut random = Random(seed);
    for _ in 0..rounds {
        let g = random.geometry();
        check::<T>(&mut random, &g, units);
    }
    for (batch, size, channels, outputs, kernel, pad) in [
        (1, 5, 600, 70, 3, 1),
        (1, 40, 32, 40, 3, 1),
        (1, 40, 40, 32, 3, 0),
        (2, 44, 16, 64, 1, 0),
        (40, 3, 9, 130, 3, 2),
        (3, 30, 1, 16, 5, 2),
        (2, 30, 48, 1, 5, 2),
        (1, 2, 300, 300, 2, 1),
        (1, 46, 128, 64, 1, 0),
        (2, 50, 33, 40, 1, 0),
    ] {
        let out = size + 2 * pad + 1 - kernel;
        check::<T>(
            &mut random,
            &ConvGeometry {
                batch,
                in_d: 1,
                out_d: 1,
                k_d: 1,
                stride_d: 1,
                dilation_d: 1,
                pad_front: 0,
                in_h: size,
                in_w: size,
                in_c: channels,
                out_h: out,
                out_w: out,
                out_c: outputs,
                k_h: kernel,
                k_w: kernel,
                stride_h: 1,
                stride_w: 1,
                dilation_h: 1,
                dilation_w: 1,
                pad_top: pad,
                pad_left: pad,
                groups: 1,
                winograd: false,
            },
            units,
        );
    }
}

/// Filters of one pixel that read a row of zeros, and every second row, where all else is as if they read every pixel.
#[test]
fn filters_of_one_pixel_beside_padding() {
    let mut random = Random(11);
    let g = ConvGeometry {
        batch: 1,
        in_d: 1,
        in_h: 1,
        in_w: 37,
        in_c: 40,
        out_d: 1,
        out_h: 1,
        out_w: 37,
        out_c: 33,
        k_d: 1,
        k_h: 1,
        k_w: 1,
        stride_d: 1,
        stride_h: 2,
        stride_w: 1,
        dilation_d: 1,
        dilation_h: 1,
        dilation_w: 1,
        pad_front: 0,
        pad_top: 1,
        pad_left: 0,
        groups: 1,
        winograd: false,
    };
    let second = ConvGeometry { batch: 2, in_h: 5, out_h: 3, pad_top: 0, ..g };
    for g in [g, ConvGeometry { pad_top: 0, ..g }, second, ConvGeometry { in_w: 38, pad_left: 1, ..second }] {
        check::<f32>(&mut random, &g, [1.0; 3]);
        check::<f64>(&mut random, &g, [1.0; 3]);
    }
}

/// Few pixels under large filters, with strides, holes and several images.
#[test]
fn few_pixels_match_the_definition() {
    let mut random = Random(7);
    let g = ConvGeometry {
        batch: 2,
        in_d: 1,
        in_h: 5,
        in_w: 4,
        in_c: 200,
        out_d: 1,
        out_h: 2,
        out_w: 3,
        out_c: 259,
        k_d: 1,
        k_h: 3,
        k_w: 2,
        stride_d: 1,
        stride_h: 2,
        stride_w: 1,
        dilation_d: 1,
        dilation_h: 2,
        dilation_w: 2,
        pad_front: 0,
        pad_top: 1,
        pad_left: 0,
        groups: 1,
        winograd: false,
    };
    for g in [g, ConvGeometry { batch: 1, in_c: 700, out_h: 1, ..g }] {
        if cfg!(target_arch = "x86_64") && Isa::detect() != Isa::Portable {
            // Pixels are gathered first, each by a chunk.
            assert_eq!(forward_work::<f32>(&g, Isa::Avx2).phases[0], g.batch * g.out_h * g.out_w);
        }
        check::<f32>(&mut random, &g, [1.0; 3]);
        check::<f64>(&mut random, &g, [1.0; 3]);
        check::<f32>(&mut random, &g, DENORMAL_F32);
    }
}

#[test]
fn f32_matches_the_definition() {
    check_all::<f32>(0x9e37_79b9_7f4a_7c15, 250, [1.0; 3]);
}

#[test]
fn f64_matches_the_definition() {
    check_all::<f64>(0xd1b5_4a32_d192_ed03, 250, [1.0; 3]);
}

/// 2^-66, 2^-67 and 2^-67: sums below 128 or 256 are denormal.
const DENORMAL_F32: [f32; 3] = [1.0 / (1_u128 << 66) as f32, 1.0 / (1_u128 << 67) as f32, 1.0 / (1_u128 << 67) as f32];

#[test]
fn denormal_sums_are_zero_in_the_end() {
    check_all::<f32>(0x0f1e_2d3c_4b5a_6978, 100, DENORMAL_F32);
    check_all::<f64>(0x1234_5678_9abc_def1, 100, [2f64.powi(-514), 2f64.powi(-515), 2f64.powi(-515)]);
}
