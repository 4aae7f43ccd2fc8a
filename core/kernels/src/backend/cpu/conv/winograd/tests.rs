//! Winograd's convolutions against sums written as their definition: how large their errors are, and that nothing else decides the bits.
//! Run by `cargo test`; chunks of a phase run in a shuffled order, as threads would.

use super::super::tests::{Kernel, Random, isas, products, run};
use super::super::{
    ConvGeometry, Float, filter_gradient, filter_gradient_work, forward, forward_work, input_gradient,
    input_gradient_work,
};
use super::{FilterGradient, Winograd};
use crate::backend::cpu::Work;
use crate::backend::cpu::isa::Isa;

/// What is computed, by the names of what is read and written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Of {
    Output,
    Input,
    Filters,
}

const ALL: [Of; 3] = [Of::Output, Of::Input, Of::Filters];

fn images(batch: usize, [in_h, in_w]: [usize; 2], in_c: usize, out_c: usize, pad: [usize; 4]) -> ConvGeometry {
    let [pad_top, bottom, pad_left, right] = pad;
    ConvGeometry {
        batch,
        in_d: 1,
        in_h,
        in_w,
        in_c,
        out_d: 1,
        out_h: in_h + pad_top + bottom - 2,
        out_w: in_w + pad_left + right - 2,
        out_c,
        k_d: 1,
        k_h: 3,
        k_w: 3,
        stride_d: 1,
        stride_h: 1,
        stride_w: 1,
        dilation_d: 1,
        dilation_h: 1,
        dilation_w: 1,
        pad_front: 0,
        pad_top,
        pad_left,
        groups: 1,
        winograd: true,
    }
}

fn used<T: Float>(g: &ConvGeometry, of: Of, isa: Isa) -> bool {
    match of {
        Of::Output => Winograd::<T>::forward(g, isa).is_some(),
        Of::Input => Winograd::<T>::input_gradient(g, isa).is_some(),
        Of::Filters => FilterGradient::<T>::new(g, isa).is_some(),
    }
}

fn kernel<T: Float>(g: &ConvGeometry, of: Of, isa: Isa) -> (Work, Kernel<T>) {
    match of {
        Of::Output => (forward_work::<T>(g, isa), forward::<T>),
        Of::Input => (input_gradient_work::<T>(g, isa), input_gradient::<T>),
        Of::Filters => (filter_gradient_work::<T>(g, isa), filter_gradient::<T>),
    }
}

/// Operands, and the exact results beside sums of the terms' sizes.
struct Case<T> {
    g: ConvGeometry,
    x: Vec<T>,
    w: Vec<T>,
    dy: Vec<T>,
    exact: [Vec<(f64, f64)>; 3],
}

trait Real: Float {
    const EPSILON: f64;
    fn from_f64(x: f64) -> Self;
    fn to_f64(self) -> f64;
}

impl Real for f32 {
    const EPSILON: f64 = f32::EPSILON as f64;
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    const EPSILON: f64 = f64::EPSILON;
    fn from_f64(x: f64) -> Self {
        x
    }
    fn to_f64(self) -> f64 {
        self
    }
}

impl<T: Real> Case<T> {
    /// Numbers between `low` and 1; what is negative becomes zero if `rectified`.
    fn new(random: &mut Random, g: ConvGeometry, low: f64, rectified: bool) -> Self {
        let mut numbers = |n: usize, low: f64, rectified: bool| -> Vec<T> {
            let mut number = || low + (1.0 - low) * random.below(1 << 24) as f64 / f64::from(1 << 24);
            (0..n).map(|_| T::from_f64(if rectified { number().max(0.0) } else { number() })).collect()
        };
        let x = numbers(g.batch * g.in_h * g.in_w * g.in_c * g.groups, low, rectified);
        let w = numbers(9 * g.in_c * g.out_c * g.groups, -1.0, false);
        let dy = numbers(g.batch * g.out_h * g.out_w * g.out_c * g.groups, -1.0, false);
        let mut exact = [dy.len(), x.len(), w.len()].map(|n| vec![(0.0, 0.0); n]);
        products(&g, |o, i, k| {
            let (dy, x, w) = (dy[o].to_f64(), x[i].to_f64(), w[k].to_f64());
            let [outputs, inputs, filters] = &mut exact;
            for (at, term) in [(&mut outputs[o], x * w), (&mut inputs[i], dy * w), (&mut filters[k], dy * x)] {
                at.0 += term;
                at.1 += term.abs();
            }
        });
        Self { g, x, w, dy, exact }
    }

    fn computed(&self, random: &mut Random, of: Of, isa: Isa, winograd: bool) -> Vec<T> {
        let g = ConvGeometry { winograd, ..self.g };
        let (work, kernel) = kernel::<T>(&g, of, isa);
        let (a, b, n) = match of {
            Of::Output => (&self.x, &self.w, self.dy.len()),
            Of::Input => (&self.dy, &self.w, self.x.len()),
            Of::Filters => (&self.x, &self.dy, self.w.len()),
        };
        run(random, isa, &g, work, kernel, a, b, n)
    }

    /// The greatest error as a part of the size of a result's terms, the greatest at all, and the root of the mean square of all.
    fn errors(&self, of: Of, got: &[T]) -> [f64; 3] {
        let exact = &self.exact[of as usize];
        let errors = got.iter().zip(exact).map(|(got, &(sum, size))| ((got.to_f64() - sum).abs(), size));
        let (mut part, mut greatest, mut squares) = (0.0_f64, 0.0_f64, 0.0);
        for (error, size) in errors {
            assert!(error.is_finite());
            part = part.max(if error == 0.0 { 0.0 } else { error / size });
            greatest = greatest.max(error);
            squares += error * error;
        }
        [part, greatest, (squares / exact.len() as f64).sqrt()]
    }
}

/// Sizes that are no multiples of tiles and vectors, margins of any width, groups, and results with fewer pixels than a tile.
fn check_all<T: Real>(seed: u64) {
    let mut random = Random(seed);
    let mut seen = [0; 3];
    for round in 0..40 {
        let channels = [16, 17, 33, 48, 65, 80, 100];
        let size = [random.between(6, 17), random.between(6, 17)];
        let pad = [0; 4].map(|_: usize| random.below(3));
        let (c, k) = (channels[random.below(7)], channels[random.below(7)]);
        let mut g = images(random.between(4, 11), size, c, k, pad);
        g.groups = [1, 1, 1, 2][round % 4];
        let case = Case::<T>::new(&mut random, g, -1.0, false);
        for isa in isas() {
            for of in ALL.into_iter().filter(|&of| used::<T>(&g, of, isa)) {
                seen[of as usize] += 1;
                let got = case.computed(&mut random, of, isa, true);
                let [part, ..] = case.errors(of, &got);
                assert!(part < 30.0 * T::EPSILON, "{of:?} with {isa:?}: {part:e}, {g:?}");
                // Another order of chunks gives the same bits.
                assert!(got == case.computed(&mut random, of, isa, true), "{of:?} with {isa:?}, {g:?}");
            }
        }
    }
    assert!(seen.iter().all(|&seen| seen >= 6), "{seen:?}");
}

#[test]
fn f32_is_close_to_the_definition() {
    check_all::<f32>(0x51ed_270b_9f4c_8a31);
}

#[test]
fn f64_is_close_to_the_definition() {
    check_all::<f64>(0x2545_f491_4f6c_dd1d);
}

/// Against `float64`: the root of the mean square, and the greatest, for numbers of either sign, rectified and positive ones.
#[test]
fn errors_are_at_most_four_times_those_of_plain_sums() {
    let mut random = Random(9);
    for (low, rectified) in [(-1.0, false), (-1.0, true), (0.0, false), (0.9, false)] {
        let mut seen = [0; 3];
        for (size, c, k) in [(24, 16, 16), (16, 64, 32), (28, 64, 48), (12, 160, 48)] {
            let g = images(2, [size; 2], c, k, [1; 4]);
            let case = Case::<f32>::new(&mut random, g, low, rectified);
            for isa in isas() {
                for of in ALL.into_iter().filter(|&of| used::<f32>(&g, of, isa)) {
                    seen[of as usize] += 1;
                    let [[_, fast, fast_rms], [_, plain, plain_rms]] =
                        [true, false].map(|on| case.errors(of, &case.computed(&mut random, of, isa, on)));
                    let what = format!("{of:?} with {isa:?} from {low}, {rectified}, {size} {c} {k}");
                    assert!(fast_rms <= 4.0 * plain_rms, "{what}: root mean square {fast_rms:e} and {plain_rms:e}");
                    assert!(fast <= 4.0 * plain, "{what}: greatest {fast:e} and {plain:e}");
                }
            }
        }
        assert!(seen.iter().all(|&seen| seen >= isas().len()), "{seen:?}");
    }
}

#[test]
fn no_result_is_denormal() {
    let mut random = Random(11);
    let mut case = Case::<f32>::new(&mut random, images(4, [28, 28], 64, 64, [1; 4]), -1.0, false);
    for values in [&mut case.x, &mut case.w, &mut case.dy] {
        values.iter_mut().for_each(|x| *x *= 3e-20);
    }
    for isa in isas() {
        for of in ALL {
            assert!(used::<f32>(&case.g, of, isa));
            let got = case.computed(&mut random, of, isa, true);
            let count = |what: fn(&f32) -> bool| got.iter().filter(|x| what(x)).count();
            assert_eq!(count(|x| x.is_subnormal()), 0, "{of:?} with {isa:?}");
            let [zeros, normal] = [count(|&x| x == 0.0), count(|x| x.is_normal())];
            assert!(zeros > 0 && normal > 0, "{of:?} with {isa:?}: {zeros} and {normal}");
        }
    }
}

/// Where a geometry forbids it, where filters or steps are others, and where transforms take longer than they save.
#[test]
fn it_is_used_where_it_pays() {
    let isa = Isa::detect();
    let usual = images(4, [28, 28], 64, 64, [1; 4]);
    let never = |g: ConvGeometry| ALL.iter().all(|&of| !used::<f32>(&g, of, isa));
    assert!(ALL.iter().all(|&of| used::<f32>(&usual, of, isa)));
    assert!(never(ConvGeometry { winograd: false, ..usual }));
    assert!(never(ConvGeometry { stride_h: 2, out_h: 14, ..usual }));
    assert!(never(ConvGeometry { dilation_w: 2, out_w: 26, ..usual }));
    assert!(never(ConvGeometry { k_h: 5, pad_top: 2, ..usual }));
    assert!(never(ConvGeometry { pad_top: 3, out_h: 30, ..usual }));
    assert!(never(ConvGeometry { out_w: 30, ..usual }));
    assert!(never(ConvGeometry { batch: 0, ..usual }));
    assert!(never(ConvGeometry { in_c: 3, ..usual }));
    assert!(never(images(4, [28, 28], 1024, 1024, [1; 4])));
    assert!(never(images(1, [7, 7], 512, 512, [1; 4])));
    assert!(never(images(1, [4, 4], 64, 64, [1; 4])));
}

/// Memory grows with the channels, not with the images, and not with groups of the same channels; chunks do not grow beyond a bound.
#[test]
fn memory_does_not_grow_with_the_images() {
    let isa = Isa::detect();
    for of in ALL {
        let work = |batch| kernel::<f32>(&images(batch, [56, 56], 64, 64, [1; 4]), of, isa).0;
        let (few, many) = (work(8), work(512));
        assert!(used::<f32>(&images(8, [56, 56], 64, 64, [1; 4]), of, isa));
        assert_eq!(few.scratch, many.scratch, "{of:?}");
        assert_eq!(few.phases, many.phases, "{of:?}");
        assert!(few.scratch < 32 << 20, "{of:?}: {}", few.scratch);
        let grouped = ConvGeometry { groups: 16, ..images(8, [56, 56], 64, 64, [1; 4]) };
        assert!(used::<f32>(&grouped, of, isa));
        let all = kernel::<f32>(&grouped, of, isa).0;
        assert!(all.scratch < 64 << 20 && all.phases.iter().all(|&chunks| chunks <= 1024), "{of:?}: {all:?}");
    }
}
