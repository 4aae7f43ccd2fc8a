//! Transforms against sums written out, for lengths of all kinds, cut and filled-up lines, and layouts with gaps.
//! The numbers are those of a fixed formula; large and small blocks take the same way.

use super::*;
use crate::backend::cpu::{Isa, View};
use num_complex::Complex;

fn number(i: usize) -> f64 {
    ((i * 37 + 11) % 101) as f64 / 50.0 - 1.0
}

/// Runs a transform of two parts in, two out, on this thread.
fn transformed(t: &Transform, inputs: &[View], outputs: &[View]) {
    let mut call = CpuCall { inputs, outputs, scratch: std::ptr::null_mut(), isa: Isa::current() };
    let work = work(t, &call);
    let mut scratch = vec![[0_u64; 8]; work.scratch.div_ceil(64)];
    call.scratch = scratch.as_mut_ptr().cast();
    for (phase, &chunks) in work.phases.iter().enumerate() {
        for chunk in 0..chunks {
            // SAFETY: the vectors behind the views are as large as these say, and so is the scratch memory.
            unsafe { run(t, &call, phase, chunk).expect("a transform") };
        }
    }
}

fn view(x: &mut [f64], dims: &[usize]) -> View {
    assert_eq!(x.len(), dims.iter().product::<usize>());
    View::dense(x.as_mut_ptr().cast(), DType::F64, dims)
}

/// The transform along the axis in the middle of `[outer, cells, inner]`.
fn by_sum(
    z: &[Complex<f64>],
    [outer, cells, inner]: [usize; 3],
    length: usize,
    out: usize,
    sign: f64,
) -> Vec<Complex<f64>> {
    let mut y = vec![Complex::default(); outer * out * inner];
    for (o, k, i) in (0..outer * out * inner).map(|at| (at / inner / out, at / inner % out, at % inner)) {
        for n in 0..cells.min(length) {
            let angle = sign * std::f64::consts::TAU * ((n * k) % length.max(1)) as f64 / length as f64;
            if k < length {
                y[(o * out + k) * inner + i] += z[(o * cells + n) * inner + i] * Complex::from_polar(1.0, angle);
            }
        }
    }
    y
}

#[test]
fn one_axis_of_three() {
    for (cells, length, out) in
        [(8, 8, 8), (7, 7, 7), (5, 8, 8), (9, 6, 6), (12, 12, 5), (3, 4, 6), (1, 1, 1), (0, 3, 3), (97, 97, 97)]
    {
        for (outer, inner) in [(3, 1), (2, 5), (1, 40), (0, 2)] {
            for inverse in [false, true] {
                let count = outer * cells * inner;
                let mut re: Vec<f64> = (0..count).map(number).collect();
                let mut im: Vec<f64> = (0..count).map(|i| number(i * 3 + 1)).collect();
                let z: Vec<_> = re.iter().zip(&im).map(|(&re, &im)| Complex::new(re, im)).collect();
                let (mut yr, mut yi) = (vec![9.0; outer * out * inner], vec![9.0; outer * out * inner]);
                let t = Transform {
                    along: smallvec::smallvec![(1, length)],
                    inverse,
                    half: Half::Neither,
                    twice: false,
                    divided: Divided::Never,
                };
                let (from, to) = ([outer, cells, inner], [outer, out, inner]);
                transformed(
                    &t,
                    &[view(&mut re, &from), view(&mut im, &from)],
                    &[view(&mut yr, &to), view(&mut yi, &to)],
                );
                let expected = by_sum(&z, from, length, out, if inverse { 1.0 } else { -1.0 });
                for (at, z) in expected.iter().enumerate() {
                    assert!((yr[at] - z.re).abs() < 1e-10 && (yi[at] - z.im).abs() < 1e-10, "{cells} {length} {out}");
                }
            }
        }
    }
}

/// `<F x, y>` is `<x, Fᵀ y>`, for halves and wholes, cut and filled up.
#[test]
fn adjoints() {
    for (length, out) in [(8, 5), (7, 4), (7, 3), (6, 6), (1, 1), (2, 2)] {
        for (rows, points) in [(4, 4), (3, 5), (5, 3)] {
            for twice in [false, true] {
                let (wide, narrow) = ([rows, 9], [rows.min(points), out]);
                let count = rows * 9;
                let mut x: Vec<f64> = (0..count).map(number).collect();
                let size = narrow[0] * out;
                let (mut yr, mut yi) = (vec![0.0; size], vec![0.0; size]);
                let there = Transform {
                    along: smallvec::smallvec![(0, points), (1, length)],
                    inverse: false,
                    half: Half::Result,
                    twice,
                    divided: Divided::ByRoot,
                };
                transformed(&there, &[view(&mut x, &wide)], &[view(&mut yr, &narrow), view(&mut yi, &narrow)]);
                let mut dr: Vec<f64> = (0..size).map(|i| number(i + 5)).collect();
                let mut di: Vec<f64> = (0..size).map(|i| number(i * 7)).collect();
                let along: f64 = (0..size).map(|i| yr[i] * dr[i] + yi[i] * di[i]).sum();
                let mut dx = vec![0.0; count];
                let back = Transform { half: Half::Operand, inverse: true, ..there };
                transformed(&back, &[view(&mut dr, &narrow), view(&mut di, &narrow)], &[view(&mut dx, &wide)]);
                let other: f64 = (0..count).map(|i| x[i] * dx[i]).sum();
                assert!((along - other).abs() < 1e-10, "{length} {out} {rows} {points} {twice}: {along} {other}");
            }
        }
    }
}
