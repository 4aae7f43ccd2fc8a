//! Host values where ways through a loop or block of the graph meet: right where all ways
//! agree or nobody asks, refused where they differ.

use super::harness::refusal;
use eagerflow as tf;
use tf::{Tensor, tf_function};

/// Every way gives the same number.
#[tf_function]
fn the_same_on_all_ways(x: &Tensor) -> Tensor {
    let (mut n, mut k) = (0, 0);
    let mut y = x.clone();
    while n < 5 {
        n += 1;
        if y > 10.0 {
            k = 2;
            continue;
        }
        k = 2;
        y = y * 2.0 + n as f32;
    }
    let mut found = false;
    'block: {
        if y > 20.0 {
            found = true;
            break 'block;
        }
        y = y * 3.0;
        found = true;
    }
    if found { y * k as f32 } else { y }
}

/// Only jumps lead out of the loop and the block, so that what they have seen is right.
#[tf_function]
fn only_by_jumps(x: &Tensor) -> (Tensor, Tensor) {
    let mut n = 0;
    let mut y = x.clone();
    loop {
        y = y * 2.0;
        if y > 10.0 {
            n = 5;
            break;
        }
    }
    let mut label = "none";
    'block: {
        if y > 15.0 {
            label = "large";
            y = y + 1.0;
            break 'block;
        } else {
            label = "left";
            return (y * label.len() as f32, x.clone());
        }
    }
    (y * label.len() as f32, x * n as f32)
}

/// What differs is never read again.
#[tf_function]
fn nobody_asks(x: &Tensor) -> Tensor {
    let mut n = 0;
    let mut y = x.clone();
    for i in 0..3 {
        n += i;
        y = y * (n + 1) as f32;
        if y > 10.0 {
            break;
        }
    }
    n = 7;
    y * n as f32
}

/// An option with a tensor on all ways, of which one is that of a break.
#[tf_function]
fn best_of_rounds(x: &Tensor) -> Tensor {
    let mut best = Some(x * 0.0);
    for i in 0..3 {
        let y = x * i as f32;
        if y > 5.0 {
            best = Some(y + 1.0);
            break;
        }
        best = Some(y);
    }
    best.unwrap()
}

/// Iterators that only the head of a loop advances, and lists from which it takes.
#[tf_function]
fn items_of_the_head(x: &Tensor) -> Tensor {
    let numbers = [1.0, 2.0, 3.0];
    let (mut left, mut stack) = (numbers.iter(), vec![4.0, 5.0]);
    let mut y = x.clone();
    while let Some(w) = left.next() {
        if y > 3.0 {
            continue;
        }
        y = y + *w;
    }
    while let Some(w) = stack.pop() {
        if y > 9.0 {
            continue;
        }
        y = y * w;
    }
    y
}

/// A later round always leaves the function, or the loop; an earlier one may have broken off before it.
#[tf_function]
fn left_by_a_later_round(x: &Tensor, y: &Tensor) -> Tensor {
    'all: for i in 0..3 {
        if i == 1 {
            return y * 3.0 * x;
        }
        if x > 4.0 {
            continue;
        }
        break 'all;
    }
    'all: for i in 0..2 {
        if i == 1 {
            return y.sin() * x;
        }
        loop {
            if x < 1.0 {
                break;
            }
            break 'all;
        }
    }
    x * y
}

#[test]
fn ways_that_agree() {
    eager_vs_graph!(left_by_a_later_round(x, y); (x, y) in [(0.5, 2.0), (3.0, 2.0), (5.0, 2.0)]);
    eager_vs_graph!(the_same_on_all_ways(x); x in [-3.0, 0.5, 2.0, 12.0]);
    eager_vs_graph!(only_by_jumps(x); x in [0.4, 0.9, 1.1, 12.0]);
    eager_vs_graph!(nobody_asks(x); x in [0.5, 2.0, 20.0]);
    eager_vs_graph!(best_of_rounds(x); x in [0.5, 3.0, 8.0]);
    eager_vs_graph!(items_of_the_head(x); x in [-1.0, 0.5, 2.5, 8.0]);
}

#[tf_function]
fn counted_breaks(x: &Tensor) -> Tensor {
    let mut n = 0;
    for i in 0..3 {
        if x > i as f32 {
            break;
        }
        n += 1;
    }
    x * n as f32
}

#[tf_function]
fn counted_continues(x: &Tensor) -> Tensor {
    let mut n = 0.0;
    for i in 0..3 {
        if x > i as f32 {
            continue; // in counted_continues
        }
        n += 1.0;
    }
    x * n
}

#[tf_function]
fn flagged(x: &Tensor) -> Tensor {
    let mut found = false;
    for i in 0..3 {
        if x > i as f32 {
            found = true;
            break; // in flagged
        }
    }
    if found { x * 2.0 } else { x.clone() }
}

#[tf_function]
fn sometimes_there(x: &Tensor) -> Tensor {
    let mut last = None;
    for i in 0..3 {
        if x > i as f32 {
            break; // in sometimes_there
        }
        last = Some(x * 2.0);
    }
    last.unwrap_or_else(|| x * 5.0)
}

#[tf_function]
fn noted(x: &Tensor) -> Tensor {
    let mut names = vec!["a"];
    'block: {
        if x > 1.0 {
            break 'block; // in noted
        }
        names.push("b");
    }
    x * names.len() as f32
}

#[tf_function]
fn outer_continues(x: &Tensor) -> Tensor {
    let mut n = 0;
    'outer: for _ in 0..2 {
        for _ in 0..2 {
            if x > 1.0 {
                continue 'outer; // in outer_continues
            }
            n += 1;
        }
    }
    x * n as f32
}

/// The line of this file after the one that ends with a comment, or that line itself.
fn line_of(comment: &str, after: usize) -> String {
    let at = include_str!("meet.rs").lines().position(|line| line.ends_with(comment)).expect("the comment");
    format!("meet.rs:{}:", at + 1 + after)
}

#[test]
fn host_values_that_differ() {
    let says = |call: &dyn Fn(&Tensor) -> Tensor, name: &str, place: &str, help: &str| {
        let text = refusal(call);
        for part in [&format!("`{name}`"), place, help, &format!("variable: {name}")] {
            assert!(text.contains(part), "`{part}` is not in\n{text}");
        }
    };
    says(&counted_breaks, "n", "the host value `n` is not the same at the `break` in", "let mut n = tf::constant(0)");
    says(&counted_continues, "n", &line_of("in counted_continues", 0), "and at the end of the round");
    says(&flagged, "found", &line_of("in flagged", 0), "let mut found = tf::constant(false)");
    says(&sometimes_there, "last", "`last` is `None` at the `break`", "Some(tf::zeros(..))");
    says(&noted, "names", &line_of("in noted", 0), "host value `names`");
    says(&outer_continues, "n", &line_of("in outer_continues", 0), "host value `n`");
}
