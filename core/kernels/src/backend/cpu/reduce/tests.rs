//! Reductions along inner and middle axes on every instruction set: integers beside plain loops, floats bit by bit beside the portable loops.
//! `reduce.rs` declares them.

use super::{Monoid, ReducePlan};
use crate::backend::cpu::{Isa, View};
use crate::dtype::{Element, bf16, f16};
use crate::shape::AxisSet;

const MONOIDS: [Monoid; 4] = [Monoid::Sum, Monoid::Prod, Monoid::Max, Monoid::Min];

/// Sizes that are reduced along their middle axis: rows of any length, and groups of few columns.
fn shapes() -> Vec<[usize; 3]> {
    let rows = (1..20).chain([31, 63, 64, 65, 100, 252, 253, 600]).map(|len| [211, len, 1]);
    let groups = (2..10).flat_map(|columns| [1, 3, 63, 64, 65, 190].map(|len| [9, len, columns]));
    rows.chain(groups).chain([[3, 1500, 3], [2, 700, 40]]).collect()
}

fn reduced<T: Element>(x: &[T], sizes: [usize; 3], monoid: Monoid, isa: Isa) -> Vec<T> {
    let [outer, _, inner] = sizes;
    let mut y = vec![x[0]; outer * inner];
    let input = View::dense(x.as_ptr().cast_mut().cast(), T::DTYPE, &sizes);
    let output = View::dense(y.as_mut_ptr().cast(), T::DTYPE, &[outer, inner]);
    let plan = ReducePlan::new(&input, AxisSet::of(&[1]));
    let work = plan.work();
    let mut scratch = vec![0u64; work.scratch.div_ceil(8)];
    for (phase, &chunks) in work.phases.iter().enumerate() {
        for chunk in 0..chunks {
            let scratch = scratch.as_mut_ptr().cast();
            // SAFETY: the views are of these vectors, and scratch is as large as the plan says.
            unsafe { plan.run("test", monoid, false, &input, &output, scratch, isa, phase, chunk) }.unwrap();
        }
    }
    y
}

#[test]
fn bytes_are_reduced_as_by_a_plain_loop() {
    for sizes in shapes() {
        let [outer, len, inner] = sizes;
        let x: Vec<i8> = (0..outer * len * inner).map(|i| (i * 7919 % 251) as i8).collect();
        for (monoid, isa) in MONOIDS.into_iter().flat_map(|monoid| Isa::available().map(move |isa| (monoid, isa))) {
            let combine = |a: i8, b: i8| match monoid {
                Monoid::Sum => a.wrapping_add(b),
                Monoid::Prod => a.wrapping_mul(b),
                Monoid::Max => a.max(b),
                _ => a.min(b),
            };
            let expected: Vec<i8> = (0..outer * inner)
                .map(|i| {
                    let first = i / inner * len * inner + i % inner;
                    (1..len).fold(x[first], |acc, k| combine(acc, x[first + k * inner]))
                })
                .collect();
            assert_eq!(reduced(&x, sizes, monoid, isa), expected, "{sizes:?} {monoid:?} {isa:?}");
        }
    }
}

fn same_bits<T: Element>(number: impl Fn(f32) -> T, bits: impl Fn(T) -> u64) {
    for sizes in shapes() {
        let x: Vec<T> = (0..sizes.iter().product::<usize>())
            .map(|i| number(if i % 1013 == 7 { f32::NAN } else { (i * 7919 % 1009) as f32 / 600.0 - 0.8 }))
            .collect();
        for monoid in MONOIDS {
            let all = |isa| reduced(&x, sizes, monoid, isa).into_iter().map(&bits).collect::<Vec<_>>();
            let portable = all(Isa::Portable);
            for isa in Isa::available() {
                assert!(all(isa) == portable, "{} {sizes:?} {monoid:?} {isa:?}", T::DTYPE);
            }
        }
    }
}

#[test]
fn floats_have_the_same_bits_on_every_instruction_set() {
    same_bits(bf16::from_f32, |x| u64::from(x.to_bits()));
    same_bits(f16::from_f32, |x| u64::from(x.to_bits()));
    same_bits(|x| x, |x| u64::from(x.to_bits()));
    same_bits(f64::from, f64::to_bits);
}
