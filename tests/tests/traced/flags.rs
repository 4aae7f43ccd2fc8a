//! Flags: truth values that begin with a literal, are given what comparisons give, and are copied, negated and joined as a `bool`
//! is. Each text is compared with itself without the attribute, where they are `bool`s.

#![allow(clippy::needless_late_init, unused_assignments, reason = "forms that users write")]

use eagerflow as tf;
use tf::{Tensor, tf_function};

fn chosen(flat: bool) -> f32 {
    if flat { 2.0 } else { 3.0 }
}

twice! {
    until(x) {
        let mut done = false;
        let mut y = x * 1.0;
        while !done {
            y *= 1.5;
            done = y > 2.0;
        }
        if !done { y + 1.0 } else { y }
    }

    once_seen(x) {
        let mut seen = false;
        let mut far = false;
        let mut y = x * 1.0;
        for _ in 0..4 {
            if seen {
                y += 0.5;
            }
            y *= 1.5;
            seen |= y > 4.0;
            far = far || y > 8.0 && seen;
        }
        let any = seen | far;
        if any { y * 2.0 } else { y }
    }

    negated(x) {
        let mut up = true;
        let mut y = x * 1.0;
        while y < 30.0 {
            if up {
                y = &y * 2.0;
            } else {
                y = &y + 3.0;
            }
            up = !up & (y > 1.0);
            if y > 25.0 {
                break;
            }
        }
        if up ^ (y < 27.0) { y } else { y * 0.5 }
    }

    left_by_the_next_round(x) {
        let mut done = false;
        let mut y = x * 1.0;
        for _ in 0..6 {
            if done {
                break;
            }
            y = &y * 1.25 + 0.1;
            if y > 8.0 {
                done = true;
            }
            done = done || y > 6.5;
        }
        let mut skip = false;
        for _ in 0..5 {
            if skip {
                skip = false;
                continue;
            }
            y *= 1.3;
            skip = y > 2.5;
        }
        y
    }

    given_by_one_another(x) {
        let (mut y, mut before) = (x * 1.0, true);
        let mut now = false;
        for _ in 0..3 {
            before = now;
            if before {
                y *= 2.0;
            }
            now = y > 3.0;
            (before, now) = (now, before);
        }
        if before & !now { y + 1.0 } else { y }
    }

    returned_from(x) {
        let mut inside = true;
        for i in 0..3 {
            if !inside {
                return x * 2.0;
            }
            inside = x * (i as f32) < 3.0;
        }
        x * 3.0
    }

    across_labels(x) {
        let mut done = false;
        let mut y = x * 1.0;
        'outer: while y < 100.0 {
            for _ in 0..3 {
                y *= 1.5;
                if done {
                    break 'outer;
                }
                if y > 20.0 {
                    done = y > 30.0;
                    continue 'outer;
                }
            }
        }
        if done { y } else { -y }
    }

    in_closures(x) {
        let over = |t: &Tensor| {
            let mut done = false;
            let mut t = t * 1.0;
            while !done {
                t += 1.0;
                done = t > 9.0;
            }
            t
        };
        let large = |t: &Tensor| t > 4.0;
        let first = large(x);
        let both = first & large(&(x * 2.0));
        if first { over(x) } else if both { over(&(x * 2.0)) } else { x * 1.0 }
    }

    of_branches(x) {
        let y = x * 1.0;
        let near = if y > 3.0 { y < 8.0 } else { false };
        let far;
        if near {
            far = y > 5.0;
        } else {
            far = true;
        }
        let _ = true;
        let mut again = y < 7.0;
        if far & near {
            again = false;
        }
        let some = match y.rank() {
            0 => again | far,
            _ => true,
        };
        if near | some && far { y * 2.0 } else { y }
    }

    lists_of_them(x) {
        let each = [x > 1.0, x > 2.0, x > 3.0];
        let (low, high) = (x < 1.5, x > 2.5);
        let first = each[0];
        let lent = &each[1];
        let all = first & *lent & each[2];
        let any = low | high | !each[1];
        if all { x * 3.0 } else if any & !low { x * 2.0 } else if low { x + 1.0 } else { x * 1.0 }
    }

    given_by_names(x) {
        let (mut before, mut any, mut hit) = (false, false, true);
        let (mut a, mut b) = (true, false);
        let large = |t: &Tensor| t > 5.0;
        let mut y = x * 1.0;
        for i in 0..3 {
            let now = y > 3.0;
            if before {
                y *= 2.0;
            }
            before = now;
            any |= now;
            let each = [y < 9.0, large(&y)];
            hit = each[1];
            (a, b) = (hit ^ any, large(x));
            if a & !b {
                y += i as f32;
            }
        }
        if hit ^ any { y * 0.5 } else { y + 1.0 }
    }

    given_by_both(x) {
        let n = if x.rank() == 0 { 3 } else { 7 };
        let (mut y, mut far, mut near) = (x * 1.0, false, true);
        for i in 0..n {
            far = y > 3.0 && i > 0;
            near = x.rank() == 0 && y < 6.0;
            if far {
                y += 1.0;
            }
            near = n > 5 || near;
            y = if near { y * 1.5 } else { y };
        }
        let mut chosen = false;
        chosen = match n {
            0 => y > 2.0,
            _ => y > 4.0,
        };
        let (mut d, mut e) = (false, false);
        while !(d || e) {
            y = y * 2.0;
            d = y > 20.0;
            e = { let s = x.sum(); s > 15.0 };
        }
        if chosen | d { y } else { -y }
    }

    shown_before_it_is_told(x) {
        let (mut done, mut host) = (false, true);
        let mut y = x * 1.0;
        while !done {
            println!("{done} {} {host:>6} {y:.1}", !done);
            y *= 3.0;
            done = y > 9.0;
        }
        for i in 0..2 {
            dbg!(host);
            host = x.rank() + i > 0;
        }
        println!("{done} {host}");
        if host { y } else { -y }
    }

    numbers_of_rust(x) {
        let mut first = true;
        let mut y = x * 1.0;
        for i in 0..3 {
            println!("{first} {:?}", first);
            if first {
                y += 1.0;
            }
            first = i > 1;
        }
        let mut flat = false;
        let n = x.rank();
        flat |= n < 2;
        let (mut p, mut q) = (y.clone(), false);
        for i in 0..3 {
            if i == 2 {
                q = true;
            }
        }
        if q {
            p *= chosen(flat);
        }
        p
    }
}

#[test]
fn flags_of_tensors() {
    compare!(until once_seen negated left_by_the_next_round returned_from across_labels; [0.4f32, 1.7, 3.5, 6.0, 20.0]);
    compare!(given_by_one_another given_by_names given_by_both in_closures of_branches lists_of_them; [0.4f32, 1.2, 1.7, 2.2, 3.5, 6.0, 20.0]);
}

#[test]
fn flags_of_numbers() {
    compare!(numbers_of_rust shown_before_it_is_told; [0.4f32, 1.7]);
}

/// One parameter with a type and one without.
#[tf_function]
fn half_typed(x: &Tensor) -> Tensor {
    let f = |on, k: f32| {
        if on {
            x * k
        } else if x > k {
            x - 1.0
        } else {
            x * 3.0
        }
    };
    f(x < 1.0, 2.0) + f(x > 3.0, 4.0)
}

#[test]
fn closures_with_typed_numbers() {
    eager_vs_graph!(half_typed(x); x in [0.4f32, 1.7, 3.5, 6.0]);
}
