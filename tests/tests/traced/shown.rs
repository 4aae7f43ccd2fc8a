//! Variables whose types do not show what changes in them, and collections of references: what changes is state where types tell
//! it, refused where nobody could.

use super::harness::refusal;
use eagerflow as tf;
use std::collections::HashMap;
use tf::{GradientTape, Tensor, tf_function};

/// Collections that are given references after they were made.
#[tf_function]
fn given_later(x: &Tensor) -> Tensor {
    let (mut a, mut b, mut c) = (x * 2.0, x * 3.0, x * 4.0);
    let mut known = HashMap::new();
    known.insert("a", &mut a);
    let mut list = Vec::new();
    list.push(&mut b);
    let mut last = None;
    if last.is_none() && x > 0.0 {
        if let Some(a) = known.get_mut("a") {
            **a = &**a + 1.0;
        }
        *list[0] = x.sin();
    }
    last = Some(&mut c);
    if x > 1.0 {
        for b in list {
            *b = &*b * 5.0;
        }
        if let Some(c) = last {
            *c = x.cos();
        }
    }
    a + b * 2.0 + c * 4.0
}

/// References stay where they are, and what they lead to changes on both ways.
#[tf_function]
fn exchanged_values(x: &Tensor) -> Tensor {
    let (mut a, mut b) = (x * 2.0, x * 3.0);
    let mut both = vec![&mut a, &mut b];
    if x > 1.0 {
        let (one, two) = both.split_at_mut(1);
        std::mem::swap(&mut *one[0], &mut *two[0]);
        for t in both.iter_mut() {
            **t = &**t + 1.0;
        }
    } else {
        *both[0] = x.exp();
    }
    a - b
}

/// A tape is no such variable.
#[tf_function]
fn tapes(x: &Tensor) -> Tensor {
    let mut tape = GradientTape::persistent();
    tape.watch(x);
    let y = x.square();
    if x > 1.0 { tape.gradient(&y, x) } else { tape.gradient(&(&y * 2.0), x) }
}

#[test]
fn references_and_tapes() {
    eager_vs_graph!(given_later(x); x in [-1.0, 0.5, 1.5]);
    eager_vs_graph!(exchanged_values(x); x in [0.5, 1.5]);
    eager_vs_graph!(tapes(x); x in [0.5, 1.5]);
}

/// Neither a structure of tensors nor comparable.
struct Total {
    sum: Tensor,
    count: usize,
}

impl Total {
    fn add(&mut self, x: &Tensor) {
        self.sum = x.clone();
        self.count += 1;
    }
}

#[tf_function]
fn of_an_own_type(x: &Tensor) -> Tensor {
    let mut total = Total { sum: x * 2.0, count: 0 };
    // In of_an_own_type:
    if x > 1.0 {
        total.add(x);
    }
    total.sum * total.count as f32
}

#[tf_function]
fn in_both_branches(x: &Tensor) -> Tensor {
    let mut total = Total { sum: x * 2.0, count: 0 };
    // In in_both_branches:
    if x > 1.0 {
        total.add(x);
        &total.sum * 2.0
    } else {
        &total.sum * total.count as f32
    }
}

#[tf_function]
fn in_rounds(x: &Tensor) -> Tensor {
    let mut total = Total { sum: x * 2.0, count: 0 };
    let mut y = x.clone();
    // In in_rounds:
    while y < 5.0 {
        y = y + 1.0;
        total.add(x);
    }
    total.sum * y
}

#[tf_function]
fn replaced(x: &Tensor) -> Tensor {
    let mut total = Total { sum: x * 2.0, count: 0 };
    // In replaced:
    if x > 1.0 {
        total = Total { sum: x * 3.0, count: 1 };
    }
    total.sum
}

/// A closure that changes what it is given here.
fn adding<'a>(to: &'a mut Tensor) -> impl FnMut(&Tensor) + 'a {
    move |x| *to = &*to + x
}

#[tf_function]
fn made_elsewhere(x: &Tensor) -> Tensor {
    let mut sum = x * 2.0;
    {
        let mut add = adding(&mut sum);
        // In made_elsewhere:
        if x > 1.0 {
            add(x);
        }
    }
    sum
}

#[tf_function]
fn is_given(x: &Tensor, mut add: impl FnMut(&Tensor) -> Tensor) -> Tensor {
    // In is_given:
    if x > 1.0 { add(x) } else { x * 3.0 }
}

#[tf_function]
fn swapped(x: &Tensor) -> Tensor {
    let (mut a, mut b) = (x * 2.0, x * 3.0);
    let mut both = vec![&mut a, &mut b];
    // In swapped:
    if x > 1.0 {
        both.swap(0, 1);
    }
    *both[0] = x.clone();
    a - b
}

#[tf_function]
fn swapped_for_one_branch(x: &Tensor) -> Tensor {
    let (mut a, mut b) = (x * 2.0, x * 3.0);
    let mut both = vec![&mut a, &mut b];
    // In swapped_for_one_branch:
    if x > 1.0 {
        both.swap(0, 1);
        *both[0] = x.clone();
    } else {
        *both[0] = x.exp();
    }
    a - b
}

#[tf_function]
fn taken_in_rounds(x: &Tensor) -> Tensor {
    let (mut a, mut b, mut n) = (x * 2.0, x * 3.0, x.clone());
    let mut both = vec![&mut a, &mut b];
    // In taken_in_rounds:
    while n < 3.0 {
        n = n + 1.0;
        if let Some(t) = both.pop() {
            *t = x.clone();
        }
    }
    a - b
}

#[tf_function]
fn taken_behind_a_break(x: &Tensor) -> Tensor {
    let mut a = x * 2.0;
    let mut slot = Some(&mut a);
    for i in 0..3 {
        if x > i as f32 {
            break; // in taken_behind_a_break
        }
        slot.take();
    }
    if let Some(a) = slot {
        *a = x.clone();
    }
    a
}

/// The line of this file after the one that ends with a comment, or that line itself.
fn line_of(comment: &str, after: usize) -> String {
    let at = include_str!("shown.rs").lines().position(|line| line.ends_with(comment)).expect("the comment");
    format!("shown.rs:{}:", at + 1 + after)
}

#[test]
fn types_that_do_not_show_what_changes() {
    let says = |call: &dyn Fn(&Tensor) -> Tensor, name: &str, comment: &str, help: &str| {
        let text = refusal(call);
        for part in [&format!("variable: {name}"), &line_of(comment, 1), help] {
            assert!(text.contains(part), "`{part}` is not in\n{text}");
        }
    };
    says(&of_an_own_type, "total", "In of_an_own_type:", "derive `Nest` for `Total`");
    says(&in_both_branches, "total", "In in_both_branches:", "let total = &total;");
    says(&in_rounds, "total", "In in_rounds:", "a loop of the graph may change `total`");
    says(&replaced, "total", "In replaced:", "derive `Nest` for `Total`");
    says(&made_elsewhere, "add", "In made_elsewhere:", "pass what it changes to it as an argument");
    says(&|x| is_given(x, |y| y * 2.0), "add", "In is_given:", "pass what it changes to it as an argument");
    says(&swapped, "both", "In swapped:", "std::mem::swap(&mut *list[0], &mut *list[1])");
    says(&swapped_for_one_branch, "both", "In swapped_for_one_branch:", "which places `both` leads to");
    says(&taken_in_rounds, "both", "In taken_in_rounds:", "a loop of the graph changes which places");
    let text = refusal(&taken_behind_a_break);
    for part in ["variable: slot", &line_of("in taken_behind_a_break", 0), "which places `slot` leads to"] {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
}
