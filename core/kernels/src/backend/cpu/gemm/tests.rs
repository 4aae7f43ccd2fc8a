//! Tests of the matrix product against a naive one: random shapes and strides, every dtype, every instruction set.
//! Operands hold small whole numbers, so that every sum is exact and results must be equal, not close.

mod bits;

use super::blocking::PACKS_WIDE_PANELS;
use super::*;

/// A small generator of pseudo-random numbers, so that failures repeat.
pub(super) struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// The instruction sets of this processor; AVX-512 twice, since processors differ in what they do with B there. This thread does so from then on.
fn isas() -> impl Iterator<Item = Isa> {
    let ways = [(Isa::Portable, None), (Isa::Avx2, None), (Isa::Avx512, Some(false)), (Isa::Avx512, Some(true))];
    ways.into_iter().filter(|&(isa, _)| isa <= Isa::detect()).map(|(isa, packs)| {
        PACKS_WIDE_PANELS.set(packs);
        isa
    })
}

/// Memory in which an operand with any strides lies, with room on both sides.
struct Field<T> {
    data: Vec<T>,
    origin: usize,
}

impl<T: Copy> Field<T> {
    fn new(extents: &[(usize, isize)], mut value: impl FnMut() -> T) -> Self {
        let reach = |sign: isize| -> usize {
            extents.iter().map(|&(n, s)| if s * sign > 0 { n.saturating_sub(1) * s.unsigned_abs() } else { 0 }).sum()
        };
        let (before, after) = (reach(-1), reach(1));
        Self { data: (0..before + after + 1).map(|_| value()).collect(), origin: before }
    }

    fn at(&self, offset: isize) -> T {
        self.data[self.origin.checked_add_signed(offset).expect("an element of the field")]
    }

    fn pointer(&mut self) -> *mut u8 {
        self.data[self.origin..].as_mut_ptr().cast()
    }
}

/// Runs all chunks, each phase's in an order of its own, on poisoned scratch.
fn multiply<T: Copy>(p: &MatMul, dtype: DType, isa: Isa, a: &mut Field<T>, b: &mut Field<T>, c: &mut Field<T>) {
    multiply_plus(p, dtype, isa, a, b, c, Addend::NONE);
}

fn multiply_plus<T: Copy>(
    p: &MatMul,
    dtype: DType,
    isa: Isa,
    a: &mut Field<T>,
    b: &mut Field<T>,
    c: &mut Field<T>,
    plus: Addend,
) {
    let work = work(p, dtype, isa);
    let mut scratch = vec![[0xff_u8; 64]; work.scratch / 64 + 2];
    let aligned = scratch.as_mut_ptr().cast::<u8>();
    let aligned = aligned.wrapping_add(aligned.align_offset(64));
    for (phase, &chunks) in work.phases.iter().enumerate() {
        for i in 0..chunks {
            let chunk = if phase % 2 == 0 { chunks - 1 - i } else { i };
            // SAFETY: the fields were made for the problem's extents and the scratch for its work.
            unsafe { run(p, dtype, isa, a.pointer(), b.pointer(), c.pointer(), plus, aligned, phase, chunk) };
        }
    }
    let end = aligned as usize - scratch.as_ptr() as usize + work.scratch;
    assert!(scratch.as_flattened()[end..].iter().all(|&byte| byte == 0xff), "wrote behind the scratch: {p:?}");
}

fn check<T: Copy + PartialEq + std::fmt::Debug>(
    p: &MatMul,
    dtype: DType,
    dice: &mut Dice,
    from: impl Fn(i64) -> T,
    to: impl Fn(T) -> i64,
) {
    let (m, n, k) = (p.m, p.n, p.k);
    let mut a = Field::new(&[(p.batch, p.a_bs), (m, p.a_rs), (k, p.a_cs)], || from(dice.below(5) as i64 - 1));
    let mut b = Field::new(&[(p.batch, p.b_bs), (k, p.b_rs), (n, p.b_cs)], || from(dice.below(5) as i64 - 1));
    let untouched = from(77);
    let mut expected = Field::new(&[(p.batch, p.c_bs), (m, p.c_rs), (n, 1)], || untouched);
    for item in 0..p.batch as isize {
        for i in 0..m as isize {
            for j in 0..n as isize {
                let mut sum = 0_i64;
                for kk in 0..k as isize {
                    let x = to(a.at(item * p.a_bs + i * p.a_rs + kk * p.a_cs));
                    sum = sum.wrapping_add(x.wrapping_mul(to(b.at(item * p.b_bs + kk * p.b_rs + j * p.b_cs))));
                }
                let at = expected.origin.checked_add_signed(item * p.c_bs + i * p.c_rs + j).expect("inside");
                expected.data[at] = from(sum);
            }
        }
    }
    for isa in isas() {
        let mut c = Field::new(&[(p.batch, p.c_bs), (m, p.c_rs), (n, 1)], || untouched);
        multiply(p, dtype, isa, &mut a, &mut b, &mut c);
        if let Some(at) = (0..c.data.len()).find(|&i| c.data[i] != expected.data[i]) {
            panic!("{isa:?} {dtype} {p:?}\n at {at}: {:?}, not {:?}", c.data[at], expected.data[at]);
        }
    }
}

fn check_dtype(p: &MatMul, dtype: DType, dice: &mut Dice) {
    macro_rules! whole {
        ($t:ty) => {
            check::<$t>(p, dtype, dice, |x| x as $t, |x| x as i64)
        };
    }
    match dtype {
        DType::F32 => whole!(f32),
        DType::F64 => whole!(f64),
        DType::F16 => check(p, dtype, dice, |x| f16::from_f32(x as f32), |x| x.to_f32() as i64),
        DType::BF16 => check(p, dtype, dice, |x| bf16::from_f32(x as f32), |x| x.to_f32() as i64),
        DType::I8 => whole!(i8),
        DType::I16 => whole!(i16),
        DType::I32 => whole!(i32),
        DType::I64 => whole!(i64),
        DType::U8 => whole!(u8),
        DType::U16 => whole!(u16),
        DType::U32 => whole!(u32),
        DType::U64 => whole!(u64),
        DType::Bool | DType::C64 | DType::C128 | DType::Resource | DType::Variant | DType::String => {}
    }
}

fn problem(m: usize, k: usize, n: usize, batch: usize, dice: &mut Dice) -> MatMul {
    let strides = |rows: usize, cols: usize, dice: &mut Dice| -> (isize, isize, isize) {
        let pad = dice.pick(&[0, 0, 3]);
        let (rs, cs) = match dice.below(8) {
            0..=3 => ((cols + pad) as isize, 1),
            4 | 5 => (1, (rows + pad) as isize),
            6 => (2 * (cols + pad) as isize, 2),
            _ => dice.pick(&[(0, 1), (1, 0), (-(cols as isize), 1), (cols as isize, -1), (-1, -(rows as isize))]),
        };
        let apart = (rs.abs() * rows as isize).max(cs.abs() * cols as isize);
        (rs, cs, dice.pick(&[0, apart, apart + 5, -apart]))
    };
    let (a_rs, a_cs, a_bs) = strides(m, k, dice);
    let (b_rs, b_cs, b_bs) = strides(k, n, dice);
    let c_rs = (n + dice.pick(&[0, 0, 2])) as isize;
    let c_bs = c_rs * m as isize + dice.pick(&[0, 0, 4]);
    MatMul { m, n, k, a_rs, a_cs, b_rs, b_cs, c_rs, batch, a_bs, b_bs, c_bs }
}

#[test]
fn random_products_of_every_dtype() {
    let mut dice = Dice(1);
    for round in 0..150 {
        let sizes = [0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 48, 65];
        let (m, n) = (dice.pick(&sizes), dice.pick(&sizes));
        let k = if round % 7 == 0 { 150 } else { dice.pick(&sizes) };
        let batch = dice.pick(&[1, 1, 1, 2, 3, 0]);
        let p = problem(m, k, n, batch, &mut dice);
        for dtype in DType::ALL {
            check_dtype(&p, dtype, &mut dice);
        }
    }
}

#[test]
fn products_that_are_cut() {
    let mut dice = Dice(2);
    let shapes = [(1, 1500, 700), (700, 1500, 1), (2, 9000, 3), (300, 40, 200), (100, 1100, 70), (16, 100, 700)];
    for (m, k, n) in shapes {
        for batch in [1, 3] {
            for dtype in [DType::F32, DType::F64, DType::F32, DType::I32] {
                check_dtype(&problem(m, k, n, batch, &mut dice), dtype, &mut dice);
            }
        }
    }
    // Copied to panels: several products with one B, and sums cut along k.
    for (m, k, n, batch) in [(520, 260, 117, 3), (128, 9000, 64, 1)] {
        for dtype in [DType::F32, DType::F64, DType::F32, DType::F64] {
            let p = MatMul { b_rs: n as isize + 5, b_cs: 1, b_bs: 0, ..problem(m, k, n, batch, &mut dice) };
            assert!(Isa::detect() == Isa::Portable || work(&p, dtype, Isa::Avx2).scratch >= k * n * dtype.size());
            check_dtype(&p, dtype, &mut dice);
        }
    }
    // The same from columns of B, and a transposed A that is read where it lies, and that is copied.
    for (m, k, n, batch) in [(520, 261, 117, 3), (200, 131, 200, 1), (200, 131, 400, 1)] {
        for dtype in [DType::F32, DType::F64, DType::F32, DType::F64] {
            let p = MatMul { b_rs: 1, b_cs: k as isize + 5, b_bs: 0, ..problem(m, k, n, batch, &mut dice) };
            check_dtype(&MatMul { a_rs: 1, a_cs: m as isize, a_bs: (m * k) as isize, ..p }, dtype, &mut dice);
            check_dtype(&MatMul { a_rs: k as isize, a_cs: 1, a_bs: (m * k) as isize, ..p }, dtype, &mut dice);
        }
    }
    // Few rows along the rows of B: one run and several, with sums cut along k, and rows of A a page apart.
    for (m, k, n, batch) in [(16, 2048, 300, 1), (5, 1024, 1100, 2), (32, 700, 523, 1), (31, 4096, 260, 1)] {
        for dtype in [DType::F32, DType::F64, DType::BF16, DType::F32, DType::F64] {
            check_dtype(&problem(m, k, n, batch, &mut dice), dtype, &mut dice);
        }
    }
    // A small C with long sums: parts of k come before rows and columns.
    for (m, k, n, batch) in [(64, 4096, 64, 1), (65, 5000, 33, 2)] {
        for dtype in [DType::F32, DType::F64, DType::F16] {
            check_dtype(&problem(m, k, n, batch, &mut dice), dtype, &mut dice);
        }
    }
    // Widened, cut in rows and columns, and longer than a pass; the last along k as well.
    for (m, k, n, batch) in [(200, 1100, 150, 1), (130, 2100, 70, 2), (64, 4200, 64, 1)] {
        for dtype in [DType::F16, DType::BF16] {
            check_dtype(&problem(m, k, n, batch, &mut dice), dtype, &mut dice);
        }
    }
    // Nothing of something large.
    for dtype in [DType::F32, DType::BF16] {
        check_dtype(&problem(256, 256, 256, 0, &mut dice), dtype, &mut dice);
    }
    // Many small products: several to a chunk.
    for dtype in [DType::F32, DType::BF16, DType::I8] {
        check_dtype(&problem(12, 20, 18, 700, &mut dice), dtype, &mut dice);
    }
}

/// Small whole numbers times units whose product is denormal: every sum is exact, and is zero in the end if it is denormal, but not before.
macro_rules! check_denormal {
    ($t:ident, $dtype:expr, $p:expr, $dice:expr, $units:expr, $seen:ident) => {
        let (p, dice, [unit_a, unit_b]): (MatMul, &mut Dice, [$t; 2]) = ($p, $dice, $units);
        let (m, n, k) = (p.m, p.n, p.k);
        let mut a = Field::new(&[(m, p.a_rs), (k, p.a_cs)], || dice.below(9) as $t - 4.0);
        let mut b = Field::new(&[(k, p.b_rs), (n, p.b_cs)], || dice.below(9) as $t - 4.0);
        let places = || (0..m as isize).flat_map(|i| (0..n as isize).map(move |j| (i, j)));
        // Added up in whole numbers: denormal ones take many times as long.
        let sum = |(i, j)| -> $t {
            let terms = (0..k as isize).map(|l| a.at(i * p.a_rs + l * p.a_cs) * b.at(l * p.b_rs + j * p.b_cs));
            let sum = terms.sum::<$t>() * unit_a * unit_b;
            if sum.abs() < $t::MIN_POSITIVE { 0.0 } else { sum }
        };
        let expected: Vec<$t> = places().map(sum).collect();
        a.data.iter_mut().for_each(|x| *x *= unit_a);
        b.data.iter_mut().for_each(|x| *x *= unit_b);
        for isa in isas() {
            let mut c = Field::new(&[(m, p.c_rs), (n, 1)], || 77.0);
            multiply(&p, $dtype, isa, &mut a, &mut b, &mut c);
            for ((i, j), &expected) in places().zip(&expected) {
                $seen[usize::from(expected == 0.0)] += 1;
                assert_eq!(c.at(i * p.c_rs + j), expected, "{isa:?} {p:?} {i} {j}");
            }
        }
    };
}

#[test]
fn denormal_sums_are_zero_in_the_end() {
    let mut dice = Dice(5);
    let mut seen = [0; 2];
    // By tiles, dot products, one row, few rows along B, copied B, parts of the sums.
    let shapes = [
        (17, 150, 33),
        (4, 900, 4),
        (2, 1500, 300),
        (1, 1500, 300),
        (16, 2048, 300),
        (40, 301, 77),
        (128, 9000, 64),
        (520, 260, 117),
        (1, 20000, 1),
        (5, 3, 2),
    ];
    for (m, k, n) in shapes {
        for _ in 0..4 {
            let p = MatMul { batch: 1, ..problem(m, k, n, 1, &mut dice) };
            check_denormal!(f32, DType::F32, p, &mut dice, [2f32.powi(-66), 2f32.powi(-67)], seen);
            check_denormal!(f64, DType::F64, p, &mut dice, [2f64.powi(-515), 2f64.powi(-514)], seen);
        }
    }
    assert!(seen.iter().all(|&seen| seen > 10_000), "{seen:?}");
}

#[test]
fn what_is_added_is_added_to_zeros() {
    // The sum is denormal and so is what is added.
    let p = MatMul::dense(17, 3, 40);
    let tiny = 1e-39_f32;
    let (mut a, mut b) =
        (Field { data: vec![1e-20_f32; 51], origin: 0 }, Field { data: vec![1e-20_f32; 120], origin: 0 });
    let mut plus = Field { data: vec![tiny; 680], origin: 0 };
    for isa in isas().filter(|&isa| can_add(&p, DType::F32, isa)) {
        let mut c = Field { data: vec![7_f32; 680], origin: 0 };
        let plus = Addend { data: plus.pointer(), row_stride: 40 };
        multiply_plus(&p, DType::F32, isa, &mut a, &mut b, &mut c, plus);
        assert!(c.data.iter().all(|&x| x == tiny), "{isa:?}");
    }
}

#[test]
fn a_transposed_operand_is_packed_in_blocks() {
    let mut dice = Dice(6);
    // Rows that are no whole number of tiles, steps that are no whole number of blocks, batches, and few rows in a chunk.
    for (m, k, n, batch) in [(128_usize, 2100, 70, 1), (384, 1027, 131, 2), (256, 1300, 65, 3), (130, 2055, 300, 1)] {
        for dtype in [DType::F32, DType::F64] {
            let a_cs = m.next_multiple_of(128) as isize;
            let p = MatMul { a_rs: 1, a_cs, a_bs: k as isize * a_cs, ..problem(m, k, n, batch, &mut dice) };
            for isa in isas().filter(|&isa| isa != Isa::Portable) {
                let b_is_packed = isa == Isa::Avx2 || PACKS_WIDE_PANELS.get() == Some(true);
                assert_eq!(Blocking::new(&p, dtype, isa).packs_a, n <= 256 || !b_is_packed, "{isa:?} {p:?}");
            }
            check_dtype(&p, dtype, &mut dice);
        }
    }
}

#[test]
fn sums_of_halves_are_rounded_once() {
    // 1 + 4096 times 2^-12: a running sum in f16 would stay at 1.
    let k = 4097;
    let mut a = Field { data: vec![f16::from_f32(1.0); k], origin: 0 };
    let mut b = Field { data: vec![f16::from_f32(2.0_f32.powi(-12)); k], origin: 0 };
    b.data[0] = f16::from_f32(1.0);
    for isa in isas() {
        let mut c = Field { data: vec![f16::ZERO], origin: 0 };
        multiply(&MatMul::dense(1, k, 1), DType::F16, isa, &mut a, &mut b, &mut c);
        assert_eq!(c.data[0].to_f32(), 2.0);
    }
}

#[test]
fn small_products_are_one_call_and_large_ones_are_shared() {
    for isa in isas() {
        assert!(
            work(&MatMul::dense(64, 64, 64), DType::F32, isa).phases.iter().sum::<usize>() <= 1 || isa == Isa::Portable
        );
        assert!(work(&MatMul::dense(4, 4, 4), DType::F32, isa).phases.iter().sum::<usize>() <= 1);
        assert!(work(&MatMul::dense(1000, 1000, 1000), DType::F32, isa).phases[1] >= 16);
        assert!(work(&MatMul::dense(2048, 2048, 1), DType::F32, isa).phases[1] >= 2);
        assert!(work(&MatMul::dense(1, 1 << 20, 1), DType::F32, isa).phases[1] >= 2);
        assert_eq!(work(&MatMul::dense(0, 5, 5), DType::F32, isa).phases, [0; 5]);
    }
}

#[test]
fn something_is_added_on_the_way() {
    let mut dice = Dice(77);
    // The last is packed by columns of A, unless C is what is added.
    for (m, n, k) in [
        (17, 17, 1),
        (32, 512, 128),
        (128, 512, 32),
        (45, 130, 1024),
        (24, 601, 1000),
        (200, 33, 77),
        (520, 70, 300),
        (256, 70, 1024),
    ] {
        let (tall, wide) = (m as isize, n as isize);
        let dense = MatMul::dense(m, k, n);
        for p in [dense, MatMul { a_rs: 1, a_cs: tall, b_rs: 1, b_cs: k as isize, ..dense }] {
            let mut some =
                |rows, rs, cols, cs| Field::new(&[(rows, rs), (cols, cs)], || dice.below(2000) as f32 / 1000.0 - 1.0);
            let (mut a, mut b) = (some(m, p.a_rs, k, p.a_cs), some(k, p.b_rs, n, p.b_cs));
            let start = some(m, wide, n, 1);
            for isa in isas().filter(|&isa| can_add(&p, DType::F32, isa)) {
                let mut apart = Field::new(&[(m, wide), (n, 1)], || 0f32);
                multiply(&p, DType::F32, isa, &mut a, &mut b, &mut apart);
                for (row_stride, own_place) in [(wide, true), (wide, false), (0, false)] {
                    let mut from = Field { data: start.data.clone(), origin: start.origin };
                    let mut other = Field { data: vec![f32::NAN; from.data.len()], origin: from.origin };
                    let plus = Addend { data: from.pointer(), row_stride };
                    let c = if own_place { &mut from } else { &mut other };
                    multiply_plus(&p, DType::F32, isa, &mut a, &mut b, c, plus);
                    for (i, (&sum, &product)) in c.data.iter().zip(&apart.data).take(m * n).enumerate() {
                        let before = start.data[if row_stride == 0 { i % n } else { i }];
                        assert_eq!(sum.to_bits(), (before + product).to_bits(), "{isa:?} {p:?} {i} {row_stride}");
                    }
                }
            }
            assert!(!can_add(&p, DType::F32, Isa::Portable) && !can_add(&p, DType::F16, Isa::detect()));
        }
    }
}
