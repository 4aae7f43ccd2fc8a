//! Tests of [`Dim`](super::Dim): the text forms, the canonical form, and random expressions against plain numbers.
//! Only the test build reads this file.

use super::{Dim, Symbol};

/// A small generator (splitmix64), so that the tests draw the same cases everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }
}

fn s(index: u32) -> Dim {
    Dim::symbol(index)
}

#[test]
fn text_forms() {
    let cases = [
        (s(0), "s0"),
        (s(0) * 2, "2*s0"),
        (s(1) + s(0), "s0+s1"),
        (s(1) * s(0) + 3, "s0*s1+3"),
        ((s(0) - 2).floor_div(2), "(s0-2)/2"),
        ((s(0) - 2).floor_div(2) + 1, "s0/2"),
        ((s(0) - 3).floor_div(2) + 1, "(s0-1)/2"),
        (s(0).ceil_div(2), "(s0+1)/2"),
        ((s(0) * 3).floor_div(2), "3*s0/2"),
        (s(0).floor_div(2) * 2, "2*(s0/2)"),
        (s(0).floor_div(2) * s(1), "s1*(s0/2)"),
        (2 - s(0), "2-s0"),
        (s(0) - s(1), "s0-s1"),
        (s(1).max(s(0)), "max(s0, s1)"),
        (s(0).min(Dim::unbacked(3)), "min(s0, u3)"),
        ((s(0) * s(1)).floor_div_dim(s(2)), "s0*s1/s2"),
        (Dim::known(3) - 5, "-2"),
        (Dim::known(usize::MAX), "invalid"),
    ];
    for (dim, text) in cases {
        assert_eq!(dim.to_string(), text);
    }
}

#[test]
fn equal_sizes_are_one_value() {
    assert_eq!((s(0) + 1) * (s(0) - 1), s(0) * s(0) - 1);
    assert_eq!(s(0) - s(0) + 4, Dim::known(4));
    assert_eq!(Dim::known(3) - 5 + 2, Dim::ZERO);
    // Two strided layers with `same` padding are one with the product of their strides.
    assert_eq!(s(0).ceil_div(2).ceil_div(2), s(0).ceil_div(4));
    assert_eq!((s(0) * 4 + 6).floor_div(4), s(0) + 1);
    assert_eq!((s(0) * 2 + 1).floor_div(4), s(0).floor_div(2));
    assert_eq!(s(0).max(Dim::known(2)), s(0));
    assert_eq!(s(0).min(Dim::ONE), Dim::ONE);
    assert_eq!(s(0).max(s(1)).max(s(0)), s(1).max(s(0)));
    assert_eq!((s(0) + 1).max(s(0)), s(0) + 1);
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(|| s(40) * s(41) + 7)).collect();
    let dims: Vec<_> = threads.into_iter().map(|t| t.join().expect("no panic")).collect();
    assert!(dims.iter().all(|d| *d == dims[0]));
}

#[test]
fn overflow_and_zero_are_values_not_panics() {
    let huge = Dim::known(isize::MAX as usize);
    for bad in [huge + 1, huge * 2, huge + huge, Dim::ONE.floor_div(0), Dim::ONE.ceil_div(0), s(0) * huge * huge] {
        assert_eq!(bad, Dim::INVALID);
        assert_eq!(bad + 1, Dim::INVALID);
        assert!(bad.valid().is_err() && bad.bind(&|_| Some(2)).is_err());
        assert!(bad.symbols().is_empty() && bad.div_exact(Dim::ONE).is_none());
    }
    assert!(Dim::ONE.div_exact(Dim::ZERO).is_none() && s(0).div_exact(Dim::ZERO).is_none());
    assert!((Dim::ONE - 2).valid().is_err() && s(0).valid().is_ok());
}

#[test]
fn bind_says_what_is_wrong() {
    let text = |d: Dim, n: usize| d.bind(&|_| Some(n)).expect_err("must fail").to_string();
    assert!(text(s(0) - 7, 3).contains("the size s0-7 is -4 here"));
    assert!(text(s(0) - 7, 3).contains("s0 = 3"));
    assert!(text(s(0) + 7, 1).contains("this trace is for sizes of 2 and more"));
    assert!(text(s(0) * s(1) * s(2), usize::MAX / 4).contains("overflows"));
    assert!(text(s(0).floor_div_dim(Dim::unbacked(0)), 0).contains("2 and more"));
    let partly = (s(0) * s(1) + 1).bind(&|symbol| (symbol == Symbol::Guarded(0)).then_some(5));
    assert_eq!(partly.expect("no error"), s(1) * 5 + 1);
    assert_eq!((s(1) * 5 + s(0).floor_div(3)).symbols(), [Symbol::Guarded(0), Symbol::Guarded(1)]);
}

/// A random expression together with its value at `at`, computed on plain numbers; `None` where that has no value.
fn draw(random: &mut Random, at: &[i128; 4], depth: u32) -> (Dim, i128) {
    if depth == 0 || random.below(6) == 0 {
        return match random.below(6) {
            0 => (Dim::unbacked(3), at[3]),
            n @ 1..=3 => (s(n as u32 - 1), at[n as usize - 1]),
            _ => {
                let n = random.below(9);
                (Dim::known(n as usize), n.into())
            }
        };
    }
    let (a, x) = draw(random, at, depth - 1);
    let k = random.below(5) + 1;
    let mut other = || draw(random, at, depth - 1);
    match k {
        1 => {
            let (b, y) = other();
            (a + b, x + y)
        }
        2 => {
            let (b, y) = other();
            (a - b, x - y)
        }
        3 => {
            let (b, y) = other();
            (a * b, x * y)
        }
        4 => {
            let k = random.below(5) + 1;
            (a.floor_div(k as usize), x.div_euclid(k.into()))
        }
        _ => {
            let (b, y) = other();
            if y % 2 == 0 { (a.max(b), x.max(y)) } else { (a.min(b), x.min(y)) }
        }
    }
}

#[test]
fn random_expressions_have_the_value_of_their_parts() {
    let mut random = Random(7);
    for _ in 0..4000 {
        let at = [0; 4].map(|_: i32| i128::from(random.below(12)) + 2);
        let (dim, value) = draw(&mut random, &at, 4);
        if dim == Dim::INVALID {
            continue;
        }
        let lookup = |symbol| match symbol {
            Symbol::Guarded(i) => Some(at[i as usize] as usize),
            Symbol::Unbacked(i) => Some(at[i as usize] as usize),
        };
        match dim.bind(&lookup) {
            Ok(bound) => assert_eq!(bound.known_value().map(|v| v as i128), Some(value), "{dim} at {at:?}"),
            Err(error) => assert!(value < 0 || value > i128::from(i64::MAX) / 4096, "{dim} at {at:?}: {error}"),
        }
        // One symbol after the other gives what all at once gives, whatever is folded in between.
        let mut stepwise = Ok(dim);
        for i in 0..4 {
            let one = |symbol: Symbol| {
                let (Symbol::Guarded(n) | Symbol::Unbacked(n)) = symbol;
                (n == i).then(|| lookup(symbol)).flatten()
            };
            stepwise = stepwise.and_then(|d: Dim| d.bind(&one));
        }
        if let (Ok(bound), Ok(stepwise)) = (dim.bind(&lookup), stepwise) {
            assert_eq!(bound, stepwise, "{dim}");
        }
        let (lo, hi) = dim.bounds();
        assert!(lo.is_none_or(|lo| i128::from(lo) <= value) && hi.is_none_or(|hi| i128::from(hi) >= value), "{dim}");
    }
}

#[test]
fn random_ring_laws_hold_as_equality() {
    let mut random = Random(11);
    for _ in 0..1000 {
        let at = [2; 4];
        let [a, b, c] = [0; 3].map(|_: i32| draw(&mut random, &at, 2).0);
        if [a, b, c].contains(&Dim::INVALID) {
            continue;
        }
        assert_eq!(a + b, b + a);
        assert_eq!(a * (b + c), a * b + a * c);
        assert_eq!((a + b) + c, a + (b + c));
        assert_eq!((a + b) - b, a);
        if b != Dim::ZERO {
            assert_eq!((a * b).div_exact(b), Some(a), "{a} * {b}");
        }
    }
}
