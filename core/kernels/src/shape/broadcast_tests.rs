//! Tests of broadcasting: random shapes against the rule written down naively, and each symbolic case.
//! Only the test build reads this file.

use super::super::dim::tests::Random;
use super::*;

fn shape(dims: &[Dim]) -> Shape {
    Shape::from_dims(dims).expect("a legal shape")
}

fn naive(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let rank = a.len().max(b.len());
    let padded = |s: &[usize]| [vec![1; rank - s.len()], s.to_vec()].concat();
    padded(a)
        .into_iter()
        .zip(padded(b))
        .map(|(x, y)| match (x, y) {
            (1, n) | (n, 1) => Some(n),
            (x, y) => (x == y).then_some(x),
        })
        .collect()
}

#[test]
fn random_shapes_follow_the_naive_rule() {
    let mut random = Random(3);
    let mut legal = 0;
    for _ in 0..20_000 {
        let mut draw = || (0..random.below(6)).map(|_| [0, 1, 1, 1, 3, 3, 4][random.below(7) as usize]).collect();
        let (a, b): (Vec<usize>, Vec<usize>) = (draw(), draw());
        let (x, y) = (Shape::new(&a).expect("small"), Shape::new(&b).expect("small"));
        let mut constraints = Constraints::new();
        let got = broadcast(&x, &y, &mut constraints);
        assert_eq!(got.as_ref().ok().map(|s| s.dims().to_vec()), naive(&a, &b), "{a:?} {b:?}");
        assert!(constraints.is_empty());
        let Ok(result) = got else { continue };
        legal += 1;
        let found = broadcast_reduce_axes(&x, &result);
        let back: Vec<_> = (found.leading..result.rank())
            .map(|axis| if found.axes.contains(axis) { 1 } else { result[axis] })
            .collect();
        assert_eq!(x, back);
        assert!(found.undecided.is_empty() && found.is_empty() == (x == result));
    }
    assert!(legal > 2000);
}

#[test]
fn symbolic_sizes_agree_with_every_binding() {
    let (s0, s1, u0) = (Dim::symbol(0), Dim::symbol(1), Dim::unbacked(0));
    let pool = [s0, s1, u0, s0 + 1, s0 * 2, s0 - 1, u0 + 2, Dim::ZERO, Dim::ONE, Dim::known(2), Dim::known(4)];
    for a in pool {
        for b in pool {
            let mut constraints = Constraints::new();
            let result = broadcast(&shape(&[a]), &shape(&[b]), &mut constraints);
            let mirrored = broadcast(&shape(&[b]), &shape(&[a]), &mut Constraints::new());
            assert_eq!(result.as_ref().ok(), mirrored.as_ref().ok(), "{a} {b}");
            for n in 0..216 {
                let lookup = |s: Symbol| match s {
                    Symbol::Guarded(0) => Some(n % 6 + 2),
                    Symbol::Guarded(_) => Some(n / 6 % 6 + 2),
                    Symbol::Unbacked(_) => Some(n / 36),
                };
                let number = |d: Dim| d.bind(&lookup).ok().and_then(Dim::known_value).expect("all are bound");
                let expected = naive(&[number(a)], &[number(b)]);
                match (&result, expected) {
                    (Ok(result), Some(expected)) => {
                        // What the numbers allow, the guards allow, with the same result.
                        constraints.check(&lookup).expect("the guards hold");
                        assert_eq!(result.bind(&lookup).expect("binds"), expected, "{a} {b}");
                        let back = broadcast_reduce_axes(&shape(&[a]), result);
                        // An axis of size 1 may be summed although it need not be; a longer one of the operand never.
                        let (may, must) = (number(a) == 1, number(a) == 1 && expected[0] != 1);
                        let (sums, open) = (back.axes.contains(0), back.undecided.contains(0));
                        assert!((may || !sums) && (sums || open || !must), "{a} -> {result}");
                    }
                    (Err(_), expected) => assert_eq!(expected, None, "{a} {b}"),
                    (Ok(_), None) => {}
                }
            }
        }
    }
}

#[test]
fn guards_and_atoms() {
    let (s0, s1, u0) = (Dim::symbol(0), Dim::symbol(1), Dim::unbacked(0));
    let run = |a: Dim, b: Dim| {
        let mut constraints = Constraints::new();
        let result = broadcast(&shape(&[a]), &shape(&[b]), &mut constraints).map(|s| s.to_string());
        (result.unwrap_or_else(|e| e.to_string()), constraints.iter().collect::<Vec<_>>())
    };
    assert_eq!(run(s1, s0), ("[s0]".into(), vec![(s1, s0)]));
    assert_eq!(run(s0 * 2, s1), ("[s1]".into(), vec![(s0 * 2, s1)]));
    assert_eq!(run(s0, Dim::known(5)), ("[5]".into(), vec![(s0, Dim::known(5))]));
    assert_eq!(run(u0, Dim::known(5)), ("[5]".into(), vec![]));
    assert_eq!(run(u0, s0), ("[broadcast(s0, u0)]".into(), vec![]));
    assert_eq!(run(s0.broadcast_atom(u0), u0), ("[broadcast(s0, u0)]".into(), vec![]));
    assert_eq!(run(s0, Dim::ONE), ("[s0]".into(), vec![]));
    assert!(run(s0, s0 + 1).0.contains("sizes s0 and s0+1 in axis -1"));
    assert!(run(s0, Dim::ZERO).0.contains("do not broadcast"));
    let atom = shape(&[s0.broadcast_atom(u0)]);
    let at = |u: usize| atom.bind(&|s| Some(if s == Symbol::Unbacked(0) { u } else { 5 }));
    assert!(at(1).is_ok_and(|s| s == [5]) && at(5).is_ok_and(|s| s == [5]));
    assert!(at(3).is_err_and(|e| e.to_string().contains("sizes 5 and 3")));
    let back = broadcast_reduce_axes(&shape(&[u0]), &atom);
    assert_eq!((back.undecided, back.axes), (AxisSet::of(&[0]), AxisSet::EMPTY));
    assert!(broadcast_reduce_axes(&shape(&[s0]), &atom).is_empty());
}

#[test]
fn errors_name_shapes_and_sizes() {
    let (a, b) = (Shape::new(&[2, 3, 4]).expect("small"), Shape::new(&[5, 1]).expect("small"));
    let text = broadcast(&a, &b, &mut Constraints::new()).expect_err("3 and 5").to_string();
    assert!(text.contains("[2, 3, 4] and [5, 1]") && text.contains("sizes 3 and 5 in axis -2"), "{text}");
    let (a, b) = (Shape::new(&[1 << 40, 1]).expect("legal"), Shape::new(&[1, 1 << 40]).expect("legal"));
    assert!(broadcast(&a, &b, &mut Constraints::new()).is_err());
}
