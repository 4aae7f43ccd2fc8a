//! Tests of products on the matrix unit: its arithmetic is done step by step in plain Rust, on every processor, and by the unit where there is one.
//! Results must have the bits of one element computed by itself, for any shape, strides and cut.

use super::unit::{Amx, LEFT_OUT, STEPS, TILE, Tiles, Unit};
use super::*;
use crate::backend::cpu::gemm::tests::Dice;
use crate::dtype::bf16;

/// This thread's products do without the unit until it is dropped.
pub struct Without(());

pub fn without() -> Without {
    LEFT_OUT.set(true);
    Without(())
}

impl Drop for Without {
    fn drop(&mut self) {
        LEFT_OUT.set(false);
    }
}

/// Zero for a denormal number.
fn flushed(x: f32) -> f32 {
    if x.is_subnormal() { 0.0_f32.copysign(x) } else { x }
}

/// What the unit adds to a sum in one step: pairs of elements of a row and a column.
fn step(sum: f32, pairs: impl Iterator<Item = [(u16, u16); 2]>) -> f32 {
    let wide = |x: u16| flushed(bf16::from_bits(x).to_f32());
    let mut chains = [0.0_f32; 2];
    for pair in pairs {
        for (chain, (a, b)) in chains.iter_mut().zip(pair) {
            *chain = flushed(wide(a).mul_add(wide(b), *chain));
        }
    }
    flushed(sum + flushed(chains[0] + chains[1]))
}

/// The unit in plain Rust.
struct Plain;

impl Unit for Plain {
    unsafe fn configure(_: [usize; 2]) {}

    unsafe fn add_up(t: &Tiles, sums: &mut [[f32; PANEL]; PANEL]) {
        for i in 0..t.high[0] + t.high[1] {
            for j in 0..t.wide[0] + t.wide[1] {
                let mut sum = 0.0;
                for at in 0..t.whole + usize::from(t.tail.is_some()) {
                    let a = match t.tail {
                        Some(tail) if at == t.whole => tail.wrapping_add(i * STEPS),
                        _ => t.a.wrapping_offset(i as isize * t.a_rs).wrapping_add(at * STEPS),
                    };
                    let b = t.b.wrapping_add(at * 2 * WORDS + j / TILE * WORDS + j % TILE);
                    sum = step(
                        sum,
                        (0..STEPS / 2).map(|pair| {
                            // SAFETY: the tiles are there.
                            let (low, high, b) =
                                unsafe { (*a.add(2 * pair), *a.add(2 * pair + 1), *b.add(pair * TILE)) };
                            [(low, b as u16), (high, (b >> 16) as u16)]
                        }),
                    );
                }
                sums[i][j] = sum;
            }
        }
    }

    unsafe fn round(sums: &[f32; PANEL], to: *mut u16, wide: usize) {
        for (j, sum) in sums.iter().enumerate().take(wide) {
            // SAFETY: the caller's promise.
            unsafe { *to.add(j) = bf16::from_f32(*sum).to_bits() }
        }
    }

    unsafe fn release() {}
}

/// Strides of a matrix: rows side by side, columns side by side, or neither; with room between.
fn strides(rows: usize, columns: usize, dice: &mut Dice) -> [isize; 3] {
    let gap = dice.pick(&[0, 0, 1, 6]);
    let (rs, cs) = match dice.below(4) {
        0 | 1 => (columns + gap, 1),
        2 => (1, rows + gap),
        _ => (2 * columns + gap, 2),
    };
    let apart = (rows - 1) * rs + (columns - 1) * cs + 1 + gap;
    [rs as isize, cs as isize, apart as isize]
}

/// The product by a unit, with all chunks in an order of their own, on poisoned scratch.
fn product<U: Unit>(plan: &Plan, a: &[u16], b: &[u16], c: &mut [u16]) {
    let Work { scratch, phases } = plan.work();
    let mut memory = vec![[0xff_u8; 64]; scratch.div_ceil(64) + 2];
    let start = memory.as_mut_ptr().cast::<u8>();
    let start = start.wrapping_add(start.align_offset(64));
    for (phase, &chunks) in phases.iter().enumerate() {
        for chunk in (0..chunks).rev() {
            // SAFETY: the operands were made for the problem, and the scratch for its work.
            unsafe { plan.run::<U>(a.as_ptr(), b.as_ptr(), c.as_mut_ptr(), start, phase, chunk) };
        }
    }
    let end = start as usize - memory.as_ptr() as usize + scratch;
    assert!(memory.as_flattened()[end..].iter().all(|&byte| byte == 0xff), "wrote behind the scratch");
}

/// The same bits, or not a number on both sides.
fn same(c: &[u16], expected: &[u16]) -> bool {
    let is_nan = |x: u16| bf16::from_bits(x).is_nan();
    c.iter().zip(expected).all(|(&x, &y)| x == y || is_nan(x) && is_nan(y))
}

/// Compares all elements with sums of their own.
fn check(p: &MatMul, a: &[u16], b: &[u16]) {
    let c_len = (p.batch - 1) * p.c_bs as usize + (p.m - 1) * p.c_rs as usize + p.n;
    let mut expected = vec![7_u16; c_len];
    let at = |from: &[u16], offset: isize, is_there: bool| if is_there { from[offset as usize] } else { 0 };
    for (item, i, j) in (0..p.batch).flat_map(|b| (0..p.m).flat_map(move |i| (0..p.n).map(move |j| (b, i, j)))) {
        let mut sum = 0.0;
        for first in (0..p.k).step_by(STEPS) {
            let factors = |l: usize| {
                let row = item as isize * p.a_bs + i as isize * p.a_rs + l as isize * p.a_cs;
                let column = item as isize * p.b_bs + l as isize * p.b_rs + j as isize * p.b_cs;
                (at(a, row, l < p.k), at(b, column, l < p.k))
            };
            sum = step(sum, (first..first + STEPS).step_by(2).map(|l| [factors(l), factors(l + 1)]));
        }
        expected[item * p.c_bs as usize + i * p.c_rs as usize + j] = bf16::from_f32(sum).to_bits();
    }
    let plan = Plan::planned(p);
    let mut c = vec![7_u16; c_len];
    product::<Plain>(&plan, a, b, &mut c);
    assert!(same(&c, &expected), "plain: {p:?}");
    if super::unit::available(Isa::detect()) {
        c.fill(7);
        product::<Amx>(&plan, a, b, &mut c);
        assert!(same(&c, &expected), "the unit: {p:?}");
    }
}

fn problem([m, n, k, batch]: [usize; 4], dice: &mut Dice) -> MatMul {
    let ([a_rs, a_cs, a_bs], [b_rs, b_cs, b_bs]) = (strides(m, k, dice), strides(k, n, dice));
    let c_rs = (n + dice.below(3)) as isize;
    let shared = |apart: isize, dice: &mut Dice| if dice.below(3) == 0 { 0 } else { apart };
    let (a_bs, b_bs) = (shared(a_bs, dice), shared(b_bs, dice));
    MatMul { m, n, k, a_rs, a_cs, b_rs, b_cs, c_rs, batch, a_bs, b_bs, c_bs: c_rs * m as isize }
}

fn numbers(p: &MatMul, mut number: impl FnMut() -> bf16) -> [Vec<u16>; 2] {
    let reach = |extents: [(usize, isize); 3]| extents.iter().map(|&(n, s)| (n - 1) * s as usize).sum::<usize>() + 1;
    [reach([(p.batch, p.a_bs), (p.m, p.a_rs), (p.k, p.a_cs)]), reach([(p.batch, p.b_bs), (p.k, p.b_rs), (p.n, p.b_cs)])]
        .map(|len| (0..len).map(|_| number().to_bits()).collect())
}

#[test]
fn each_element_is_two_chains_of_each_step_whatever_lies_around_it() {
    if !is_x86_feature_detected!("avx2") {
        return;
    }
    let mut dice = Dice(41);
    let shapes = [
        [1, 16, 32, 1],
        [5, 17, 33, 2],
        [16, 32, 64, 3],
        [31, 48, 40, 1],
        [33, 64, 100, 2],
        [65, 97, 31, 2],
        [130, 33, 513, 1],
    ];
    for shape in shapes {
        for _ in 0..6 {
            let p = problem(shape, &mut dice);
            let [a, b] = numbers(&p, || bf16::from_f32(dice.below(2000) as f32 / 900.0 - 1.1));
            check(&p, &a, &b);
        }
    }
}

#[test]
fn products_that_are_cut_have_the_same_bits() {
    if !is_x86_feature_detected!("avx2") {
        return;
    }
    let mut dice = Dice(42);
    for shape in [[200, 400, 220, 1], [40, 40, 96, 120], [64, 70, 6 * 1024, 1]] {
        let p = problem(shape, &mut dice);
        let [_, chunks, ..] = Plan::planned(&p).work().phases;
        assert!(chunks > 1, "{shape:?} is cut");
        let [a, b] = numbers(&p, || bf16::from_f32(dice.below(200) as f32 / 90.0 - 1.1));
        check(&p, &a, &b);
    }
}

#[test]
fn denormal_numbers_count_as_zero_and_others_do_not() {
    if !is_x86_feature_detected!("avx2") {
        return;
    }
    let mut dice = Dice(43);
    let p = problem([20, 40, 70, 1], &mut dice);
    // From denormal ones to some whose products are denormal, or overflow; and few that are not finite.
    let strange = [bf16::INFINITY, bf16::NEG_INFINITY, bf16::MAX, bf16::ZERO];
    let [a, b] = numbers(&p, || match dice.below(300) {
        0 => strange[dice.below(4)],
        _ => bf16::from_f32((dice.below(200) as f32 - 100.0) * 2f32.powi(-(dice.below(70) as i32) - 65)),
    });
    check(&p, &a, &b);
}

#[test]
fn the_unit_is_for_bfloat16_of_some_size() {
    let mut dice = Dice(44);
    let p = problem([64, 64, 64, 1], &mut dice);
    assert!(Plan::new(&p, DType::F32, Isa::Avx512).is_none());
    assert!(Plan::new(&p, DType::BF16, Isa::Avx2).is_none());
    for small in [MatMul { n: 15, ..p }, MatMul { k: 31, ..p }, MatMul { m: 0, ..p }, MatMul { m: 3, n: 4096, ..p }] {
        assert!(!pays(&small), "{small:?}");
    }
    assert!(pays(&p) && !pays(&MatMul { m: 4, n: 16, k: 32, ..p }));
}
