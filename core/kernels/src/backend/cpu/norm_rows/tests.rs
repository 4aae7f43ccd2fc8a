//! The passes on every instruction set: the same bits, and near those of `f64`.
//! `norm_rows` is what they test.

use super::*;

/// Results of both passes, one after the other, over `count` rows.
fn results<T: Root>(isa: Isa, rows: Rows, scaled: bool, shifted: bool, count: usize) -> Vec<T> {
    let n = rows.n;
    let numbers = |salt: usize, len: usize| -> Vec<T> {
        (0..len).map(|i| T::rounded(((i * 7919 + salt) % 101) as f64 / 10.0 - 3.0)).collect()
    };
    let (x, dy, columns) = (numbers(1, n * count), numbers(2, n * count), numbers(3, n));
    let (scale, offset) = (scaled.then_some(&columns[..]), shifted.then_some(&columns[..]));
    let mut all = vec![T::ZERO; 2 * n * count + 2 * count + 2 * n];
    let (y, rest) = all.split_at_mut(n * count);
    let (dx, rest) = rest.split_at_mut(n * count);
    let (means, rest) = rest.split_at_mut(count);
    let (roots, rest) = rest.split_at_mut(count);
    let (dscale, doffset) = rest.split_at_mut(n);
    normalise(isa, rows, &x, scale, offset, y, means, roots);
    let mut sums = Sums { scale: scaled.then_some(dscale), offset: shifted.then_some(doffset) };
    gradient(isa, rows, &x, means, roots, scale, &dy, dx, &mut sums);
    all
}

#[test]
fn every_path_gives_the_same_bits() {
    for n in (1..70).chain([100, 127, 128, 129, 768, 1000]) {
        for case in 0..8 {
            let rows = Rows { n, epsilon: 1e-3, centred: case & 1 != 0 };
            let (scaled, shifted) = (case & 2 != 0, case & 4 != 0);
            let single = results::<f32>(Isa::Portable, rows, scaled, shifted, 3);
            let double = results::<f64>(Isa::Portable, rows, scaled, shifted, 3);
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-3 * (1.0 + b.abs());
            assert!(single.iter().zip(&double).all(|(&a, &b)| near(a.into(), b)), "{n} {case}");
            for isa in Isa::available() {
                let same = results::<f32>(isa, rows, scaled, shifted, 3);
                assert!(same.iter().zip(&single).all(|(a, b)| a.to_bits() == b.to_bits()), "{isa:?} {n} {case}");
                let same = results::<f64>(isa, rows, scaled, shifted, 3);
                assert!(same.iter().zip(&double).all(|(a, b)| a.to_bits() == b.to_bits()), "{isa:?} {n} {case}");
            }
        }
    }
}
