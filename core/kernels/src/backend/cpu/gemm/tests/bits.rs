//! Tests that products have the same bits whatever the processor, the cuts, the strides and the rows beside.
//! `tests` has them as a part, with its fields and its way to run all chunks.

use super::super::blocking::PACKS_WIDE_PANELS;
use super::super::cuts::ENOUGH;
use super::*;

#[test]
fn a_row_depends_on_nothing_but_itself() {
    let mut dice = Dice(3);
    let (k, n) = (1500, 77);
    let mut real =
        |len: usize| Field { data: (0..len).map(|_| dice.below(1000) as f32 / 700.0 - 0.7).collect(), origin: 0 };
    let (mut a, mut b) = (real(40 * k), real(k * n));
    let mut rows: Option<Vec<f32>> = None;
    for isa in isas().filter(|&isa| isa != Isa::Portable) {
        for m in [40, 33, 9, 3, 1] {
            let mut c = Field { data: vec![0.0_f32; m * n], origin: 0 };
            multiply(&MatMul::dense(m, k, n), DType::F32, isa, &mut a, &mut b, &mut c);
            let all = rows.get_or_insert_with(|| c.data.clone());
            assert_eq!(c.data, all[..m * n], "{isa:?} with {m} rows");
        }
    }
}

#[test]
fn products_with_long_sums_are_cut_in_one_way_on_every_processor() {
    let mut dice = Dice(5);
    let k = 4100;
    // Parts of k, of 256 terms each, and fewer where C is larger.
    for (m, n, parts) in [(64, 48, 16), (256, 200, 4)] {
        let mut real =
            |len: usize| Field { data: (0..len).map(|_| dice.below(1000) as f32 / 700.0 - 0.7).collect(), origin: 0 };
        let (mut a, mut b) = (real(m * k), real(k * n));
        let mut turned = Field { data: (0..m * k).map(|i| a.data[i % m * k + i / m]).collect(), origin: 0 };
        let p = MatMul::dense(m, k, n);
        let by_columns = MatMul { a_rs: 1, a_cs: m as isize, ..p };
        let mut first: Option<Vec<f32>> = None;
        for isa in isas().filter(|&isa| isa != Isa::Portable) {
            for (p, a) in [(&p, &mut a), (&by_columns, &mut turned)] {
                let plan = Blocking::new(p, DType::F32, isa);
                assert!(plan.cuts[2] == parts && plan.work().phases[2] > 0, "{isa:?} {:?}", plan.work());
                // Columns that lie a multiple of half a kilobyte apart are packed in blocks.
                assert_eq!(plan.packs_a, p.a_rs == 1 && m == 256);
                assert!(!plan.packs_a || !plan.a.copied());
                let mut c = Field { data: vec![0.0_f32; m * n], origin: 0 };
                multiply(p, DType::F32, isa, a, &mut b, &mut c);
                assert!(*first.get_or_insert_with(|| c.data.clone()) == c.data, "{isa:?} {p:?}");
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_processors() {
    let mut dice = Dice(8);
    // Dot products with a column and with few, of whole and of odd rows; tiles; long sums.
    for (m, k, n) in
        [(1000, 4096, 1), (4099, 256, 4), (1001, 700, 3), (300, 500, 200), (256, 4100, 130), (16, 5000, 600)]
    {
        let mut real =
            |len: usize| Field { data: (0..len).map(|_| dice.below(1000) as f32 / 700.0 - 0.7).collect(), origin: 0 };
        let (mut a, mut b) = (real(m * k), real(k * n));
        for by_columns in [false, true] {
            let p = MatMul::dense(m, k, n);
            let p = if by_columns { MatMul { b_rs: 1, b_cs: k as isize, ..p } } else { p };
            for isa in isas() {
                let mut first: Option<Vec<f32>> = None;
                let mut numbers = Vec::new();
                for enough in [16, 32, 64] {
                    ENOUGH.set(Some(enough));
                    numbers.push(work(&p, DType::F32, isa).phases[1]);
                    let mut c = Field { data: vec![0.0_f32; m * n], origin: 0 };
                    multiply(&p, DType::F32, isa, &mut a, &mut b, &mut c);
                    ENOUGH.set(None);
                    assert!(*first.get_or_insert_with(|| c.data.clone()) == c.data, "{isa:?} {p:?} {enough}");
                }
                assert!(
                    numbers.is_sorted() && (isa == Isa::Portable || m != 1000 || numbers[0] < numbers[2]),
                    "{numbers:?}"
                );
            }
        }
    }
}

#[test]
fn a_large_operand_is_copied_or_packed_and_the_rows_stay_the_same() {
    let mut dice = Dice(4);
    let shapes = [
        (1024, 1700, 1901),
        (151, 1201, 77),
        (20, 2048, 1024),
        (300, 64, 1030),
        (40, 301, 777),
        (330, 301, 140),
        (613, 301, 77),
    ];
    for (m, k, n) in shapes {
        // Two tiles of rows read B as it lies.
        let (all, few) = (MatMul::dense(m, k, n), MatMul::dense(12, k, n));
        let mut real =
            |len: usize| Field { data: (0..len).map(|_| dice.below(1000) as f64 / 700.0 - 0.7).collect(), origin: 0 };
        let (mut a, mut b) = (real(m * k), real(k * n));
        let single = |field: &Field<f64>| Field { data: field.data.iter().map(|&x| x as f32).collect(), origin: 0 };
        let (mut single_a, mut single_b) = (single(&a), single(&b));
        for isa in isas().filter(|&isa| isa != Isa::Portable) {
            let scratch = |p: &MatMul| work(p, DType::F32, isa).scratch;
            // A is copied where its rows are pages apart.
            assert!(scratch(&few) == if k == 2048 { 12 * (k + 16) * 4 } else { 0 });
            assert!(m < 512 || isa != Isa::Avx2 && m < 1024 || scratch(&all) >= k * n * 4);
            let [mut c, mut d] = [m, 12].map(|rows| Field { data: vec![0.0_f32; rows * n], origin: 0 });
            multiply(&all, DType::F32, isa, &mut single_a, &mut single_b, &mut c);
            multiply(&few, DType::F32, isa, &mut single_a, &mut single_b, &mut d);
            assert!(c.data[..12 * n] == d.data, "{isa:?} {m} {k} {n}");
            let [mut c, mut d] = [m, 12].map(|rows| Field { data: vec![0.0_f64; rows * n], origin: 0 });
            multiply(&all, DType::F64, isa, &mut a, &mut b, &mut c);
            multiply(&few, DType::F64, isa, &mut a, &mut b, &mut d);
            assert!(c.data[..12 * n] == d.data, "f64 {isa:?} {m} {k} {n}");
            // The same by columns.
            let by_columns = MatMul { b_rs: 1, b_cs: k as isize, ..all };
            let in_panels = m >= 320 && PACKS_WIDE_PANELS.get() == Some(true);
            assert!(!in_panels || scratch(&all).min(scratch(&by_columns)) >= k * n * 4);
            // A transposed A is copied, but for the near ones that few columns read.
            let by_rows = |m, n, k| MatMul { a_rs: 1, a_cs: m as isize, ..MatMul::dense(m, k, n) };
            let near = PACKS_WIDE_PANELS.get() == Some(true);
            assert!(isa != Isa::Avx2 && !near || (scratch(&by_rows(256, 256, 128)) == 0) == near);
            assert!(scratch(&by_rows(256, 400, 128)) > 0 && scratch(&by_rows(2048, 320, 40)) > 0);
            let mut turned = Field { data: (0..k * n).map(|i| b.data[i % k * n + i / k]).collect(), origin: 0 };
            let mut d = Field { data: vec![0.0_f64; m * n], origin: 0 };
            multiply(&by_columns, DType::F64, isa, &mut a, &mut turned, &mut d);
            assert!(c.data == d.data, "f64 {isa:?} {m} {k} {n} by columns");
            let [mut c, mut d] = [0, 1].map(|_| Field { data: vec![0.0_f32; m * n], origin: 0 });
            multiply(&all, DType::F32, isa, &mut single_a, &mut single_b, &mut c);
            multiply(&by_columns, DType::F32, isa, &mut single_a, &mut single(&turned), &mut d);
            assert!(c.data == d.data, "{isa:?} {m} {k} {n} by columns");
        }
    }
}

#[test]
fn products_of_bfloat16_have_the_same_bits_on_every_processor() {
    // But for those with a matrix unit, which adds in another order.
    #[cfg(target_arch = "x86_64")]
    let _without = amx::tests::without();
    let mut dice = Dice(16);
    for (m, k, n) in [(17, 301, 70), (3, 64, 17), (40, 1025, 2), (5, 1, 33), (130, 77, 129)] {
        for _ in 0..4 {
            let p = problem(m, k, n, 2, &mut dice);
            let mut real = |extents: &[(usize, isize)]| {
                Field::new(extents, || bf16::from_f32(dice.below(2000) as f32 / 900.0 - 1.1))
            };
            let mut a = real(&[(2, p.a_bs), (m, p.a_rs), (k, p.a_cs)]);
            let mut b = real(&[(2, p.b_bs), (k, p.b_rs), (n, p.b_cs)]);
            let mut first: Option<Vec<bf16>> = None;
            for isa in isas().filter(|&isa| isa != Isa::Portable) {
                let mut c = Field::new(&[(2, p.c_bs), (m, p.c_rs), (n, 1)], || bf16::ZERO);
                multiply(&p, DType::BF16, isa, &mut a, &mut b, &mut c);
                let expected = first.get_or_insert_with(|| c.data.clone());
                assert!(c.data.iter().zip(expected.iter()).all(|(x, y)| x.to_bits() == y.to_bits()), "{isa:?} {p:?}");
            }
        }
    }
    // In order, one is lost beside 2^30 and three is not; of pairs the other way round both would be.
    let row = [2f32.powi(30), 1.0, -2f32.powi(30), 3.0].map(bf16::from_f32);
    let mut a = Field { data: row.repeat(3), origin: 0 };
    let mut b = Field { data: vec![bf16::ONE; 4 * 20], origin: 0 };
    for isa in isas() {
        let mut c = Field { data: vec![bf16::ZERO; 3 * 20], origin: 0 };
        multiply(&MatMul::dense(3, 4, 20), DType::BF16, isa, &mut a, &mut b, &mut c);
        assert!(c.data.iter().all(|x| x.to_f32() == 3.0), "{isa:?}");
    }
}

/// Tiles of few and of many rows take the steps of k one by one or several at once, as A lies.
#[test]
fn every_sum_is_one_chain_in_order_however_a_lies() {
    let mut dice = Dice(12);
    for (m, k, n) in (4..14).flat_map(|m| (0..14).map(move |k| (m, k, 8 * (m % 4 + 2)))) {
        let (rows, columns) = (m as isize, k as isize);
        let layouts =
            [(columns, 1), (1, rows), (3 * columns, 3), (-1, rows), (columns, -1), (1, -rows), (0, 1), (1, 0)];
        for (a_rs, a_cs) in layouts {
            let p = MatMul { a_rs, a_cs, ..MatMul::dense(m, k, n) };
            let mut value = || dice.below(1000) as f32 / 700.0 - 0.7;
            let mut a = Field::new(&[(m, a_rs), (k, a_cs)], &mut value);
            let mut b = Field::new(&[(k, n as isize), (n, 1)], &mut value);
            let mut wide = [&a, &b]
                .map(|x| Field { data: x.data.iter().map(|&v| f64::from(v) / 3.0).collect(), origin: x.origin });
            let place = |i: usize, j: usize| i as isize * a_rs + j as isize * a_cs;
            for isa in isas().filter(|&isa| isa != Isa::Portable) {
                let mut c = Field { data: vec![0.0_f32; m * n], origin: 0 };
                multiply(&p, DType::F32, isa, &mut a, &mut b, &mut c);
                let mut c64 = Field { data: vec![0.0_f64; m * n], origin: 0 };
                let [wide_a, wide_b] = &mut wide;
                multiply(&p, DType::F64, isa, wide_a, wide_b, &mut c64);
                for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                    let at = |d: usize| (place(i, d), (d * n + j) as isize);
                    let sum = (0..k).fold(0.0, |sum, d| a.at(at(d).0).mul_add(b.at(at(d).1), sum));
                    let sum64 = (0..k).fold(0.0, |sum, d| wide[0].at(at(d).0).mul_add(wide[1].at(at(d).1), sum));
                    assert_eq!((c.data[i * n + j], c64.data[i * n + j]), (sum, sum64), "{isa:?} {p:?} [{i}, {j}]");
                }
            }
        }
    }
}
