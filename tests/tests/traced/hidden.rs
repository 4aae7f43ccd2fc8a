//! Variables that hide others of their name where a branch or loop of the graph is left, and patterns that borrow to change.

#![allow(clippy::match_single_binding, reason = "patterns of a match are what is tested")]

use eagerflow as tf;
use tf::{Tensor, tf_function};

/// The state that `continue` hands over is hidden by a variable of the pass, which changes too.
#[tf_function]
fn continued(x: &Tensor, n: usize) -> Tensor {
    let mut y = x.clone();
    let mut i = tf::constant(0);
    while i < 5 {
        i = i + 1;
        let mut x = x * 1.0;
        for k in 0..n {
            x = x + k as f32;
            if x > 3.0 {
                let mut x = &y * 0.5;
                x = x + 1.0;
                y = y + &x;
                continue;
            }
            y = y + &x;
        }
        y = y * 0.5 + x;
    }
    y
}

/// As above with `break`, a variable that cannot change, and texts that name them.
#[tf_function]
fn broken(x: &Tensor) -> (Tensor, Tensor) {
    let mut y = x.clone();
    let mut i = tf::constant(0);
    while i < 5 {
        i = i + 1;
        y = y + 1.0;
        if y > 3.0 {
            let mut y = &y * 100.0;
            y = y + 1.0;
            let i = tf::constant(77);
            println!("{y:.1} {i} {y}", y = &y + 0.5);
            assert!(y > 0.0, "{y} of {i}");
            if y > 500.0 {
                let text = format!("{i}");
                println!("{text} {}", matches!(y.rank(), 0));
                break;
            }
        }
    }
    (y, i)
}

struct Pair {
    y: Tensor,
    z: Tensor,
}

/// Structures by the names of their fields, in patterns and in expressions, and a macro that sees the variable.
#[tf_function]
fn fields(x: &Tensor) -> Tensor {
    let (mut y, mut z) = (x.clone(), x * 2.0);
    for row in &tf::constant([1.0, 5.0, 2.0]) {
        y = y + &row;
        z = z * 0.5;
        let pair = Pair { y: &y * 3.0, z: z.clone() };
        let Pair { y, ref z } = pair;
        macro_rules! sum {
            () => {
                &y + z
            };
        }
        if sum!() > 20.0 {
            break;
        }
        let y = Pair { y, z: row };
        if y.y > 10.0 {
            continue;
        }
    }
    y + z
}

/// Patterns of loops and of `match` hide what jumps out of them hand over.
#[tf_function]
fn patterns(x: &Tensor, limit: Option<f32>) -> Tensor {
    let mut y = x.clone();
    'rounds: while y < 20.0 {
        y = y + 1.0;
        for y in &tf::constant([1.0, 2.0]) {
            if &y * x > 15.0 {
                continue 'rounds;
            }
        }
        match limit {
            Some(y) if y > 3.0 => {
                if x * y > 8.0 {
                    break;
                }
            }
            Some(x) => {
                let y = &y + x;
                if y > 9.0 {
                    return y;
                }
            }
            None => {}
        }
        let Some(y) = limit else { continue };
        if x > y {
            break;
        }
    }
    y
}

/// Out of two loops, with a value that the hiding variable makes.
#[tf_function]
fn labelled(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    let found = 'outer: loop {
        y = y + 1.0;
        loop {
            let mut double = y.clone();
            let y = {
                double = double * 2.0;
                &double
            };
            if y > 10.0 {
                break 'outer y * 3.0;
            }
            if y > 1.0 {
                continue 'outer;
            }
            break 'outer -y;
        }
    };
    y + found
}

/// A part of a hidden structure is the state.
#[tf_function]
fn part(x: &Tensor) -> Tensor {
    let mut p = (x.clone(), x * 2.0);
    while &p.0 < 20.0 {
        p.0 = &p.0 + 1.0;
        let mut p = (p.1.clone(), 5usize);
        p.0 = p.0 * 2.0;
        if &p.0 > 4.0 {
            break;
        }
    }
    p.0 + p.1
}

#[test]
fn jumps() {
    eager_vs_graph!({ continued(x, 3) }; x in [0.5, 2.0, 7.0]);
    eager_vs_graph!(broken(x); x in [0.5, 2.0, 7.0]);
    eager_vs_graph!(fields(x); x in [0.5, 2.0, 7.0]);
    eager_vs_graph!({ patterns(x, None) }; x in [0.5, 2.0, 9.0]);
    eager_vs_graph!({ patterns(x, Some(2.0)) }; x in [0.5, 2.0, 9.0, -0.75]);
    eager_vs_graph!({ patterns(x, Some(4.0)) }; x in [0.5, 2.0, 9.0, -0.75]);
    eager_vs_graph!(labelled(x); x in [0.5, 2.0, 7.0, -1.0]);
    eager_vs_graph!(part(x); x in [0.5, 2.0, -1.0]);
}

/// `ref mut` in all places that have patterns.
#[tf_function]
fn by_the_pattern(x: &Tensor) -> Tensor {
    let mut pair = (x.clone(), x * 2.0);
    let mut maybe = Some((x.clone(), x + 1.0));
    if x > 0.0 {
        let (ref mut a, _) = pair;
        *a = &*a + 1.0;
    } else {
        match pair {
            (_, ref mut b) => *b = &*b * 2.0,
        }
    }
    let mut rounds = tf::constant(0);
    while rounds < 4 {
        rounds += 1;
        if let Some((ref mut a, ref mut b)) = maybe {
            *b = &*b + &*a;
            *a = &*a * 2.0;
        }
        if let Some((a, _)) = &maybe
            && a.rank() == 0
        {
            if a > 10.0 {
                break;
            }
        }
    }
    let (a, b) = maybe.unwrap();
    pair.0 + pair.1 + a * b
}

#[tf_function]
fn optional(maybe: &mut Option<Tensor>, x: &Tensor) {
    let mut rounds = tf::constant(0);
    while rounds < 3 {
        rounds += 1;
        if let Some(t) = maybe {
            *t = &*t + x;
        }
    }
    if x > 1.0 {
        let Some(t) = maybe else { return };
        *t = &*t * 2.0;
    }
}

#[tf_function]
fn sides(pair: &mut (Tensor, Tensor), x: &Tensor) {
    if x > 0.0 {
        match pair {
            (a, _) => *a = &*a + x,
        }
    } else {
        let (_, b) = pair;
        *b = &*b * 2.0;
    }
}

/// References that a pattern makes of a parameter that is one.
#[test]
fn borrowed_to_change() {
    eager_vs_graph!(by_the_pattern(x); x in [0.5, 2.0, 7.0, -1.0]);
    let changed = |x: &Tensor| {
        let mut maybe = Some(tf::constant(1.0));
        optional(&mut maybe, x);
        let mut pair = (tf::constant(1.0), tf::constant(2.0));
        sides(&mut pair, x);
        (maybe, pair)
    };
    eager_vs_graph!({ changed(x) }; x in [0.5, 2.0, -1.0]);
}

/// A condition that is always true.
#[tf_function]
fn always(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    while true {
        if y > 10.0 {
            break;
        }
        y = y * 1.5 + 1.0;
        if y < -100.0 {
            return y;
        }
    }
    y
}

#[test]
fn always_true() {
    eager_vs_graph!(always(x); x in [0.5, 50.0, -7.0]);
    assert!(tf::function(always).graph().unwrap().contains("while"));
}

struct Flags {
    first: bool,
}

/// The host chooses what is lent.
#[tf_function]
fn lent(x: &Tensor, flags: &[bool]) -> Tensor {
    let flags = Flags { first: flags[0] };
    let (mut a, mut b) = (x.clone(), x * 2.0);
    let side = if flags.first { &mut a } else { &mut b };
    while &*side < 10.0 {
        *side = &*side + 3.0;
    }
    if x > 1.0 { a - b } else { a + b }
}

#[test]
fn chosen_by_the_host() {
    eager_vs_graph!({ lent(x, &[true]) }; x in [0.5, 2.0, 20.0]);
    eager_vs_graph!({ lent(x, &[false]) }; x in [0.5, 2.0, 20.0]);
}
