//! The steps one after the other, against sums in `f64`, on every instruction set and with its parts in any order.
//! `channels` is what they test.

use super::*;

/// Index of an element.
fn place(s: &Channels, example: usize, spot: usize, channel: usize) -> usize {
    match s.last {
        true => (example * s.spots + spot) * s.channels + channel,
        false => (example * s.channels + channel) * s.spots + spot,
    }
}

fn numbers<T: Root>(salt: usize, len: usize, middle: f64) -> Vec<T> {
    (0..len).map(|i| T::rounded(((i * 7919 + salt * 31) % 101) as f64 / 20.0 - 2.5 + middle)).collect()
}

/// Runs parts in turn, or from the last to the first.
fn run(parts: usize, back: bool, mut f: impl FnMut(usize)) {
    (0..parts).for_each(|i| f(if back { parts - 1 - i } else { i }));
}

/// In which order the parts of the steps run.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    Forth,
    Back,
    ByExample,
}

/// y, dx, means, variances, and the gradients of scale and offset, one after the other.
fn results<T: Root>(isa: Isa, s: Channels, middle: f64, epsilon: f64, order: Order) -> Vec<T> {
    let (x, dy) = (numbers::<T>(1, s.len(), middle), numbers::<T>(2, s.len(), 0.0));
    let (scale, offset) = (numbers::<T>(3, s.channels, 0.0), numbers::<T>(4, s.channels, 0.0));
    let s = s.joined();
    let mut room = vec![f64::NAN; s.room()];
    let [mut y, mut dx] = [0, 1].map(|_| vec![T::ZERO; s.len()]);
    let [mut means, mut variances] = [0, 1].map(|_| vec![T::ZERO; s.sets() * s.groups]);
    let mut coefficients = vec![T::ZERO; 4 * s.sets() * s.period()];
    let [mut dscale, mut doffset] = [0, 1].map(|_| vec![T::ZERO; s.channels]);
    let (back, given) = (order != Order::Forth, [Some(&scale[..]), Some(&offset[..])]);
    let (x, dy, room, own) = (x.as_ptr(), dy.as_ptr(), room.as_mut_ptr(), coefficients.as_mut_ptr());
    let to = [means.as_mut_ptr(), variances.as_mut_ptr(), own];
    // SAFETY: all has the sizes that are asked for.
    unsafe {
        if order == Order::ByExample {
            run(s.examples, back, |i| {
                normalise_example(isa, (s, epsilon), (x, given), (room, to), y.as_mut_ptr(), i);
            });
        } else {
            run(s.sum_parts(), back, |i| moments(isa, s, x, room, i));
            run(s.merge_parts(), back, |i| merge_moments(&s, epsilon, given, room, to, i));
            let own = from_raw_parts(own, coefficients.len());
            run(s.write_parts(), back, |i| write(isa, s, x, None, own, y.as_mut_ptr(), i));
        }
        let at = Statistics { means: &means, variances: &variances, scale: Some(&scale), epsilon };
        if order == Order::ByExample {
            run(s.examples, back, |i| {
                gradient_of_example(isa, s, (x, dy, at), (room, own), dx.as_mut_ptr(), i);
            });
        } else {
            run(s.sum_parts(), back, |i| sums(isa, s, x, &means, dy, room, i));
            run(s.merge_parts(), back, |i| merge_gradient(&s, at, room, own, i));
            let own = from_raw_parts(own, coefficients.len());
            run(s.write_parts(), back, |i| write(isa, s, x, Some(dy), own, dx.as_mut_ptr(), i));
        }
        let to = [Some(dscale.as_mut_ptr()), Some(doffset.as_mut_ptr())];
        run(s.column_parts(), back, |i| column_sums(&s, room, to, i));
    }
    [y, dx, means, variances, dscale, doffset].concat()
}

/// The same by its definition.
fn plain(s: Channels, middle: f64, epsilon: f64) -> Vec<f64> {
    let (x, dy) = (numbers::<f64>(1, s.len(), middle), numbers::<f64>(2, s.len(), 0.0));
    let (scale, offset) = (numbers::<f64>(3, s.channels, 0.0), numbers::<f64>(4, s.channels, 0.0));
    let (mut y, mut dx) = (vec![0.0; s.len()], vec![0.0; s.len()]);
    let (mut means, mut variances) = (vec![], vec![]);
    let (mut dscale, mut doffset) = (vec![0.0; s.channels], vec![0.0; s.channels]);
    let each = s.each();
    for set in 0..s.sets() {
        for group in 0..s.groups {
            let examples = if s.batch { 0..s.examples } else { set..set + 1 };
            let mut all = vec![];
            for example in examples {
                for spot in 0..s.spots {
                    all.extend((group * each..(group + 1) * each).map(|c| (place(&s, example, spot, c), c)));
                }
            }
            let n = all.len() as f64;
            let mean = all.iter().map(|&(i, _)| x[i]).sum::<f64>() / n;
            let variance = all.iter().map(|&(i, _)| (x[i] - mean).powi(2)).sum::<f64>() / n;
            let root = 1.0 / (variance + epsilon).sqrt();
            means.push(mean);
            variances.push(variance);
            let h = |i: usize| (x[i] - mean) * root;
            let owed = all.iter().map(|&(i, c)| dy[i] * scale[c]).sum::<f64>() / n;
            let along = all.iter().map(|&(i, c)| dy[i] * scale[c] * h(i)).sum::<f64>() / n;
            for &(i, c) in &all {
                y[i] = h(i) * scale[c] + offset[c];
                dx[i] = (dy[i] * scale[c] - owed - h(i) * along) * root;
                dscale[c] += dy[i] * h(i);
                doffset[c] += dy[i];
            }
        }
    }
    [y, dx, means, variances, dscale, doffset].concat()
}

/// Sizes of all kinds: few channels, many, tails, one spot, several units and blocks.
fn cases() -> Vec<Channels> {
    let mut all = vec![];
    for [examples, spots, channels, groups] in [
        [3, 1, 4, 2],
        [2, 5, 1, 1],
        [1, 700, 3, 3],
        [2, 40, 6, 2],
        [3, 37, 7, 1],
        [2, 100, 16, 16],
        [2, 33, 33, 11],
        [1, 150, 70, 10],
        [2, 3, 600, 3],
        [1, 2500, 64, 32],
        [2, 900, 130, 2],
        [5, 2049, 2, 2],
        [2, 0, 4, 2],
        [0, 3, 4, 2],
    ] {
        for last in [false, true] {
            all.push(Channels { examples, spots, channels, groups, last, batch: false });
            all.push(Channels { examples, spots, channels, groups: channels, last, batch: true });
        }
    }
    all
}

fn same<T: Root>(a: &[T], b: &[T]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.wide().to_bits() == b.wide().to_bits())
}

#[test]
fn every_path_gives_the_same_bits_which_are_near_the_definition() {
    for case in cases() {
        let exact = plain(case, 1.0, 1e-3);
        let single = results::<f32>(Isa::Portable, case, 1.0, 1e-3, Order::Forth);
        let double = results::<f64>(Isa::Portable, case, 1.0, 1e-3, Order::Forth);
        assert_eq!(single.len(), exact.len());
        // Without elements there are no moments.
        if !case.is_empty() {
            let most = exact.iter().fold(1.0, |a: f64, b| a.max(b.abs()));
            for (i, ((&a, &b), &c)) in single.iter().zip(&double).zip(&exact).enumerate() {
                assert!((a.wide() - c).abs() <= 1e-5 * most, "{case:?} {i} {a} {c}");
                assert!((b - c).abs() <= 1e-12 * most, "{case:?} {i} {b} {c}");
            }
        }
        for isa in Isa::available() {
            assert!(same(&results::<f32>(isa, case, 1.0, 1e-3, Order::Back), &single), "{isa:?} {case:?}");
            assert!(same(&results::<f64>(isa, case, 1.0, 1e-3, Order::Back), &double), "{isa:?} {case:?}");
        }
    }
}

#[test]
fn examples_by_themselves_give_the_same_bits() {
    let mut known = 0;
    for case in cases().into_iter().filter(|case| !case.batch && !case.is_empty()) {
        known += 1;
        for isa in Isa::available() {
            let [each, parts] =
                [Order::ByExample, Order::Forth].map(|order| results::<f32>(isa, case, 1.0, 1e-3, order));
            assert!(same(&each, &parts), "{isa:?} {case:?}");
            let [each, parts] =
                [Order::ByExample, Order::Forth].map(|order| results::<f64>(isa, case, 1.0, 1e-3, order));
            assert!(same(&each, &parts), "{isa:?} {case:?}");
        }
    }
    assert!(known > 20);
    let many = Channels { examples: 16, spots: 49, channels: 64, groups: 8, last: true, batch: false };
    assert!(many.by_example(4) && !many.by_example(400));
    assert!(!Channels { examples: 15, ..many }.by_example(4) && !Channels { batch: true, ..many }.by_example(4));
    assert!(!Channels { spots: 0, ..many }.by_example(4));
}

#[test]
fn a_far_mean_costs_no_variance() {
    for case in cases().into_iter().filter(|case| case.examples * case.spots > 30) {
        let (exact, single) = (plain(case, 1e4, 0.0), results::<f32>(Isa::current(), case, 1e4, 0.0, Order::Forth));
        let (start, sets) = (2 * case.len(), case.sets() * case.groups);
        for i in start..start + 2 * sets {
            // The numbers themselves are rounded to a thousandth.
            assert!((single[i].wide() / exact[i] - 1.0).abs() < 1e-3, "{case:?} {} {}", single[i], exact[i]);
        }
    }
    // One number far off all others, which blocks are shifted by, costs few digits.
    let (spots, channels) = (4096, 4);
    let mut x = numbers::<f32>(1, spots * channels, 0.0);
    x[..channels].fill(1e3);
    let s = Channels { examples: 1, spots, channels, groups: channels, last: true, batch: true };
    let (mut room, mut means, mut variances) = (vec![0.0; s.room()], vec![0.0_f32; 4], vec![0.0_f32; 4]);
    let mut coefficients = vec![0.0_f32; 3 * s.period()];
    // SAFETY: all has the sizes that are asked for.
    unsafe {
        (0..s.sum_parts()).for_each(|i| moments(Isa::current(), s, x.as_ptr(), room.as_mut_ptr(), i));
        let out = [&mut means, &mut variances, &mut coefficients].map(|v| v.as_mut_ptr());
        (0..s.merge_parts()).for_each(|i| merge_moments(&s, 0.0, [None, None], room.as_mut_ptr(), out, i));
    }
    for (c, &found) in variances.iter().enumerate() {
        let column = || x.iter().skip(c).step_by(channels).map(|&x| f64::from(x));
        let mean = column().sum::<f64>() / spots as f64;
        let variance = column().map(|x| (x - mean).powi(2)).sum::<f64>() / spots as f64;
        assert!((f64::from(found) / variance - 1.0).abs() < 1e-5, "{found} {variance}");
    }
}
