//! Mutable references that only types tell: what functions and methods of the user's own lend, slices, structures that hold
//! references, and what closures change behind a `return`. Branches and loops of the graph change through all of them.

#![allow(
    clippy::useless_vec,
    clippy::needless_borrow,
    clippy::single_match,
    reason = "samples are as users write them"
)]

use eagerflow as tf;
use std::collections::BTreeMap;
use tf::{Nest, Tensor, tf_function};

fn set(to: &mut Tensor, x: &Tensor) {
    *to = x.clone();
}

#[derive(Clone, Nest)]
struct Cell {
    h: Tensor,
    c: Tensor,
}

impl Cell {
    fn flip(&mut self) {
        std::mem::swap(&mut self.h, &mut self.c);
    }
}

struct Net {
    w: Tensor,
    b: Tensor,
}

impl Net {
    fn params_mut(&mut self) -> Vec<&mut Tensor> {
        vec![&mut self.w, &mut self.b]
    }
    fn first(&mut self) -> &mut Tensor {
        &mut self.w
    }
}

fn net(x: &Tensor) -> Net {
    Net { w: x * 3.0, b: x * 5.0 }
}

#[tf_function]
fn of_methods(x: &Tensor) -> (Tensor, Tensor) {
    let mut net = net(x);
    for p in net.params_mut() {
        if x > 1.0 {
            set(p, x);
        }
    }
    let w = net.first();
    let mut n = tf::constant(0.0);
    while &n < x {
        n += 1.0;
        if n > 2.5 {
            break;
        }
        set(w, &(&*w * &n));
    }
    (net.w, net.b)
}

#[tf_function]
fn of_entries(x: &Tensor) -> (Tensor, Tensor) {
    let mut map = BTreeMap::new();
    let entry = map.entry("a").or_insert_with(|| x * 3.0);
    if x > 1.0 {
        set(entry, x);
    }
    let mut boxed = Box::new(Cell { h: x * 3.0, c: x * 1.0 });
    let cell = boxed.as_mut();
    if x > 2.0 {
        cell.flip();
    } else {
        cell.c = x.sin();
    }
    (map["a"].clone(), boxed.h * 2.0 + boxed.c)
}

#[tf_function]
fn of_iterators(x: &Tensor) -> Tensor {
    let mut all = vec![x * 3.0, x * 2.0];
    let count = all.iter_mut().fold(0, |n, t| {
        if x > 1.0 {
            set(t, x);
        }
        n + 1
    });
    let mut cells = vec![(3, Cell { h: x * 3.0, c: x * 1.0 })];
    if let Some((_, cell)) = cells.iter_mut().find(|(k, _)| *k == 3) {
        if x > 2.0 {
            cell.flip();
        }
    }
    let mut rows = vec![vec![x * 4.0], vec![x * 5.0]];
    for t in rows.iter_mut().flatten() {
        if x > 1.0 { set(t, x) } else { *t = x * 7.0 }
    }
    let (left, right) = all.split_at_mut(1);
    for (a, b) in left.iter_mut().zip(right) {
        if x < 2.0 {
            std::mem::swap(a, b);
        }
    }
    (&all[0] * 2.0 + &all[1]) * count as f32 + &cells[0].1.h + &rows[0][0] * &rows[1][0]
}

/// Collected references, pairs and options of them.
#[tf_function]
fn of_structures(x: &Tensor) -> Tensor {
    let mut all = [x * 3.0, x * 2.0];
    let every: Vec<&mut Tensor> = all.iter_mut().collect();
    if x > 1.0 {
        for t in every {
            set(t, x);
        }
    }
    let (mut a, mut b, mut c) = (x * 3.0, x * 2.0, x * 4.0);
    let pair = (&mut a, &mut b);
    if x > 2.0 {
        set(pair.0, x);
        std::mem::swap(pair.0, pair.1);
    }
    let held = Some(&mut c);
    if x > 1.0 {
        if let Some(t) = held {
            set(t, &x.sin());
        }
    }
    &all[0] + &all[1] + a + b * 2.0 + c * 3.0
}

fn second(all: &mut [Tensor], x: &Tensor) {
    all[1] = x * 5.0;
}

#[tf_function]
fn of_slices(x: &Tensor) -> Tensor {
    let mut all = [x * 2.0, x * 3.0, x * 4.0];
    let (left, right) = all.split_at_mut(1);
    if x > 1.0 {
        left[0] = right[0].clone();
        right[1] = left[0].sin();
    } else {
        std::mem::swap(&mut left[0], &mut right[0]);
    }
    for part in all.chunks_mut(2) {
        if x > 2.0 {
            part[0] = &part[0] * 9.0;
        }
    }
    let most = &mut all[..2];
    if x < 2.0 {
        second(most, x);
    }
    match all.as_mut_slice() {
        [a, .., c] => {
            if x > 1.0 {
                std::mem::swap(a, c)
            }
        }
        _ => {}
    }
    &all[0] + &all[1] * 2.0 + &all[2] * 3.0
}

/// A parameter that is a slice.
#[tf_function]
fn changes(all: &mut [Tensor], x: &Tensor) -> Tensor {
    if x > 1.0 {
        all[0] = x * 7.0;
        if x > 2.0 {
            return &all[1] * 2.0;
        }
        all[1] = all[0].sin();
    } else {
        all.swap(0, 1);
    }
    &all[0] * 2.0
}

/// Called by itself, and in another function.
fn given_slices(x: &Tensor) -> (Tensor, [Tensor; 3]) {
    let mut all = [x * 3.0, x * 2.0, x * 4.0];
    let y = changes(&mut all, x) + changes(&mut all[1..], x);
    (y, all)
}

#[tf_function]
fn given_inside(x: &Tensor) -> (Tensor, Vec<Tensor>) {
    let mut all = vec![x * 3.0, x * 2.0];
    let mut y = changes(&mut all, x);
    if x > 0.7 {
        y = y + changes(&mut all[..], &(x + 1.0));
    }
    (y, all)
}

/// A structure without `Nest` that holds references.
struct Context<'a> {
    t: &'a mut Tensor,
    list: &'a mut Vec<Tensor>,
    part: &'a mut [Tensor],
}

#[tf_function]
fn held(x: &Tensor) -> Tensor {
    let (mut a, mut v, mut s) = (x * 2.0, vec![x * 3.0], [x * 4.0, x * 6.0]);
    let fixed = Context { t: &mut a, list: &mut v, part: &mut s };
    if x > 1.0 {
        set(fixed.t, x);
    } else {
        *fixed.t = x * 9.0;
        fixed.part[0] = x.clone();
        fixed.list[0] = x * 7.0;
    }
    let mut n = tf::constant(0.0);
    while &n < x {
        n += 1.0;
        if n > 1.5 {
            break;
        }
        *fixed.t = &*fixed.t * 2.0;
        set(&mut fixed.list[0], x);
    }
    let mut context = Context { t: &mut a, list: &mut v, part: &mut s };
    if x > 2.0 {
        context.part.reverse();
        std::mem::swap(context.t, &mut context.list[0]);
    } else {
        context.list[0] = x.cos();
    }
    a + &v[0] * 2.0 + &s[0] * 3.0 + &s[1]
}

/// What closures have changed where they return.
#[tf_function]
fn left_closures(x: &Tensor) -> Tensor {
    let (mut n, mut all) = (tf::constant(0.0), vec![x * 3.0, x * 2.0]);
    let mut f = |t: &mut Tensor| {
        n = &n + 1.0;
        if x > 1.5 {
            n = &n * 4.0;
            return n.clone();
        } else if x > 0.7 {
            return x * 2.0;
        }
        set(t, x);
        n = &n + &*t;
        x * 3.0
    };
    let (p, q) = (f(&mut all[0]), f(&mut all[1]));
    all.iter_mut().for_each(|t| {
        if x > 2.0 {
            return;
        }
        set(t, &(x * 8.0));
    });
    [1.0f32, 2.0].iter().for_each(|by| {
        if x > 1.0 {
            return;
        }
        n = x * *by;
    });
    p + q * 2.0 + n * 3.0 + &all[0] + &all[1] * 5.0
}

#[tf_function]
fn left_loops(x: &Tensor) -> Tensor {
    let mut n = tf::constant(0.0);
    let mut f = |t: &Tensor| {
        let mut k = tf::constant(0.0);
        while k < 4.0 {
            k += 1.0;
            n = &n + &k;
            if &n > t {
                return k;
            }
            n = n.sin();
        }
        k * 10.0
    };
    let (p, q) = (f(x), f(&(x * 2.0)));
    p + q + n
}

/// References to references, in lists, maps and tuples, and behind fields of structures that hold some.
#[tf_function]
fn deep(x: &Tensor) -> Tensor {
    type Slot<'a> = &'a mut Tensor;
    let (mut a, mut b, mut c) = (x * 2.0, x * 4.0, x * 6.0);
    let mut list = vec![&mut a, &mut b];
    for p in list.iter_mut() {
        if x > 1.0 {
            set(p, x);
        }
    }
    if x > 2.0 {
        set(list[0], &x.sin());
        for p in &mut list {
            **p = &**p * 3.0;
        }
    }
    let mut held = Some(&mut c);
    if x > 1.0 {
        if let Some(p) = &mut held {
            **p = x.cos();
        }
    }
    let mut pairs = vec![(&mut a, 1), (&mut b, 2)];
    if x > 1.0 {
        *pairs[1].0 = x * 5.0;
    }
    for pair in pairs.iter_mut() {
        if x > 2.0 {
            set(pair.0, &(x * pair.1 as f32));
        }
    }
    let mut again = &mut c;
    let slot: Slot<'_> = &mut a;
    if x < 2.0 {
        set(&mut again, &(x * 8.0));
        set(slot, &(x * 9.0));
    }
    a + b * 2.0 + c * 3.0
}

struct Trainer<'a> {
    cell: &'a mut Cell,
}

struct One<'a> {
    t: &'a mut Tensor,
}

fn one(t: &mut Tensor) -> One<'_> {
    One { t }
}

#[tf_function]
fn behind_fields(x: &Tensor) -> Tensor {
    let mut cell = Cell { h: x * 3.0, c: x * 1.0 };
    let trainer = Trainer { cell: &mut cell };
    if x > 2.0 {
        trainer.cell.h = x.clone();
    } else {
        std::mem::swap(&mut trainer.cell.h, &mut trainer.cell.c);
    }
    let mut k = tf::constant(0.0);
    while &k < x {
        k += 1.0;
        if k > 2.0 {
            break;
        }
        trainer.cell.c = &trainer.cell.c * &k;
        trainer.cell.flip();
    }
    let pair = (&mut cell, 1);
    if x > 1.0 {
        pair.0.c = x.sin();
    }
    let given = one(&mut cell.h);
    for _ in tf::range(0, 2, 1) {
        *given.t = &*given.t + x;
    }
    if x > 1.0 {
        *given.t = x * 5.0
    } else {
        set(given.t, &(x * 3.0))
    }
    cell.h + cell.c * 2.0
}

#[test]
fn changes_through_references_of_all_kinds() {
    eager_vs_graph!(deep(x); x in [0.5, 1.5, 2.5]);
    eager_vs_graph!(behind_fields(x); x in [0.5, 1.5, 2.5, 3.5]);
    eager_vs_graph!(of_methods(x); x in [0.5, 1.5, 2.5, 3.5]);
    eager_vs_graph!(of_entries(x); x in [0.5, 1.5, 2.5]);
    eager_vs_graph!(of_iterators(x); x in [0.5, 1.5, 2.5]);
    eager_vs_graph!(of_structures(x); x in [0.5, 1.5, 2.5]);
    eager_vs_graph!(of_slices(x); x in [0.5, 1.5, 2.5]);
    eager_vs_graph!({ given_slices(x) }; x in [0.5, 1.5, 2.5]);
    eager_vs_graph!(given_inside(x); x in [0.5, 0.8, 1.5, 2.5]);
    eager_vs_graph!(held(x); x in [0.5, 1.5, 2.5]);
}

/// All ways leave, with a longer list each.
#[tf_function]
fn all_left(x: &Tensor) -> Tensor {
    let mut all = vec![x.clone()];
    let mut f = |t: &Tensor| {
        if t > 1.0 {
            all.push(t * 2.0);
            return t.sin();
        } else {
            all.push(t * 3.0);
            return t.cos();
        }
    };
    let (p, q) = (f(x), f(&(x * 2.0)));
    &all[0] + &all[1] * 2.0 + &all[2] * 3.0 + p + q * 2.0
}

#[test]
fn changes_of_closures_that_return() {
    eager_vs_graph!(all_left(x); x in [0.4, 0.8, 1.5]);
    eager_vs_graph!(left_closures(x); x in [0.5, 0.8, 1.2, 1.8, 2.5]);
    eager_vs_graph!(left_loops(x); x in [0.5, 1.5, 2.5, 20.0]);
}

/// A slice of another length is traced anew, a slice of one that was seen is not.
#[test]
fn slices_are_told_apart_by_their_lengths() {
    #[tf_function]
    fn swap(all: &mut [Tensor], x: &Tensor) {
        if x < 1.0 {
            all.swap(0, 1);
        }
    }
    let mut all = [tf::constant(1.0), tf::constant(2.0), tf::constant(3.0)];
    for _ in 0..2 {
        swap(&mut all, &tf::constant(0.5));
        swap(&mut all[1..], &tf::constant(0.5));
    }
    assert_eq!(tf::function(swap).trace_count(), 2);
    assert_eq!(all.each_ref().map(Tensor::item::<f32>), [3.0, 1.0, 2.0]);
}

#[tf_function]
fn through_an_iterator(x: &Tensor) -> Tensor {
    let mut all = [x * 2.0, x * 3.0];
    let mut left = all.iter_mut();
    if x > 1.0 {
        if let Some(t) = left.next() {
            set(t, x);
        }
    }
    &all[0] + &all[1]
}

#[tf_function]
fn out_of_items(x: &Tensor) -> Tensor {
    let mut all = [x * 2.0, x * 3.0];
    let items = all.iter_mut();
    for t in items {
        if x > 1.0 {
            break;
        }
        set(t, x);
    }
    &all[0] + &all[1]
}

#[tf_function]
fn grown_behind_a_return(x: &Tensor) -> Tensor {
    let mut all = vec![x.clone()];
    let mut add = |t: &Tensor| {
        if t > 1.0 {
            return;
        }
        all.push(t.clone());
    };
    add(x);
    tf::stack(&all, 0).sum()
}

/// What nobody can put back is an error at each call, whatever the condition is.
#[test]
fn what_is_hidden_is_refused() {
    let message = |f: fn(&Tensor) -> Tensor| {
        let all: Vec<String> = [0.5, 1.5]
            .into_iter()
            .map(|x| *std::panic::catch_unwind(|| f(&tf::constant(x))).unwrap_err().downcast::<String>().unwrap())
            .collect();
        assert_eq!(all[0], all[1]);
        all[0].clone()
    };
    let line = |text: &str| {
        let at = include_str!("lent.rs").lines().position(|line| line.contains(text)).unwrap();
        format!("lent.rs:{}:", at + 1)
    };
    let first = message(through_an_iterator);
    assert!(first.contains("the iterator `left`") && first.contains("for element in list.iter_mut()"), "{first}");
    let second = message(out_of_items);
    assert!(second.contains("write `list[k] = ..`") && second.contains(&line("for t in items")), "{second}");
    let third = message(grown_behind_a_return);
    assert!(third.contains("put what changes the length of `all` into a branch"), "{third}");
}
