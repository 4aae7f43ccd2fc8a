//! `Vec`s of tensors whose length branches change, and those that loops replace by others: lists of the graph where the
//! lengths differ, plain `Vec`s, with their items by number, where they do not.

use eagerflow as tf;
use tf::{Nest, Tensor, tf_function};

/// `push` in a branch, without any loop.
#[tf_function]
fn pushed(x: &Tensor) -> Tensor {
    let mut all = vec![x.clone()];
    if x > 0.0 {
        all.push(x * 2.0);
        all.push(x * 3.0);
    }
    tf::stack(&all, 0)
}

/// Both branches make it equally long: a plain `Vec` still.
#[tf_function]
fn equally_long(x: &Tensor) -> (Tensor, Vec<Tensor>) {
    let mut all = vec![x.clone()];
    if x > 0.0 {
        all.push(x * 2.0);
    } else {
        all.push(x.square());
    }
    (&all[1] + all.len() as f32, all)
}

/// Another `Vec` in a branch, after pushes outside.
#[tf_function]
fn replaced(x: &Tensor) -> Tensor {
    let mut all = Vec::new();
    all.push(x.clone());
    all.push(x.sin());
    if x > 0.0 {
        all = vec![x.exp()];
        if x > 1.0 {
            all = vec![x * 2.0, x * 3.0, x * 4.0];
        }
    }
    tf::stack(&all, 0)
}

/// Taken out of it in a branch.
#[tf_function]
fn shorter(x: &Tensor) -> Tensor {
    let mut all = vec![x.clone(), x * 2.0, x * 3.0, x * 4.0];
    if x > 0.0 {
        let last = all.pop().unwrap();
        all.truncate(2);
        all.insert(1, last);
    } else {
        drop(all.remove(0));
    }
    tf::stack(&all, 0)
}

/// Branches in a loop of the host.
#[tf_function]
fn in_host_rounds(x: &Tensor) -> Tensor {
    let mut all = vec![x.clone()];
    let mut y = x.clone();
    let mut i = 0;
    while i < 3 {
        i += 1;
        if y > 2.0 {
            all.extend([y.sin(), y.cos()]);
            continue;
        }
        y = y * 2.0;
    }
    tf::stack(&all, 0)
}

/// The states of a stack of cells: as many after each round of the loop as before it, so that they have numbers.
#[tf_function]
fn stacked_cells(rows: &Tensor, weights: &[Tensor]) -> (Vec<Tensor>, Tensor) {
    let mut states = Vec::new();
    for weight in weights {
        states.push(tf::zeros_like(weight));
    }
    let mut last = tf::constant(0.0);
    for row in rows {
        let mut next = Vec::new();
        let mut input = row;
        for (weight, state) in weights.iter().zip(&states) {
            input = tf::tanh(&(&input * weight + state));
            next.push(input.clone());
        }
        states = next;
        last = &states[1] + last * 0.5;
        if last > 1.2 {
            break;
        }
    }
    let sum = &states[0] + &states[states.len() - 1];
    (states, sum + last)
}

/// A loop of the graph that replaces it by a longer one.
#[tf_function]
fn longer_in_a_loop(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = Vec::new();
    all.push(x.clone());
    for i in tf::range(0, n, 1) {
        let sum = tf::reduce_sum(tf::stack(&all, 0), ());
        all = vec![sum, x * i.cast(tf::DType::F32), x.sin()];
    }
    tf::stack(&all, 0)
}

/// The same in a branch, nested, with jumps that take it along.
#[tf_function]
fn longer_and_jumps(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = Vec::new();
    all.push(x.clone());
    all.push(x * 2.0);
    for i in tf::range(0, n, 1) {
        let mut y = x * i.cast(tf::DType::F32);
        while y < 20.0 {
            y = y.abs() * 2.0 + 1.0;
            if &y > 15.0 {
                all = vec![y.clone()];
                break;
            }
        }
        if &i == 2 {
            all = vec![x.sin(), x.cos(), y];
            continue;
        }
        if &i == 3 {
            break;
        }
    }
    tf::stack(&all, 0)
}

/// Taken along by a `break` of the first round, which the host begins, and replaced by a shorter one behind it.
#[tf_function]
fn shorter_behind_a_break(x: &Tensor) -> Tensor {
    let mut all = Vec::new();
    all.push(x.clone());
    all.push(x * 2.0);
    let mut y = x.clone();
    loop {
        y = &y + 1.0;
        if &y > 3.0 {
            break;
        }
        all = vec![tf::reduce_sum(tf::stack(&all, 0), ())];
    }
    tf::stack(&all, 0) * y
}

/// The same with a list that is one of the graph before.
#[tf_function]
fn plain_behind_a_break(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = Vec::new();
    for i in tf::range(0, n, 1) {
        all.push(x * i.cast(tf::DType::F32));
    }
    all.push(x.clone());
    let mut y = x.clone();
    loop {
        y = &y + 1.0;
        if &y > 3.0 {
            break;
        }
        all = vec![y.sin()];
    }
    tf::stack(&all, 0) * y
}

/// Jumps of a loop's first round, with lists of different lengths on all ways.
#[tf_function]
fn jumps_of_a_first_round(x: &Tensor, way: i32) -> (Tensor, Tensor) {
    let mut all = Vec::new();
    all.push(x.clone());
    all.push(x * 2.0);
    let mut y = x.clone();
    let last = loop {
        y = &y + 1.0;
        if &y > 5.0 {
            break y.sin();
        } else if &y > 4.0 {
            all = vec![y.clone(), y.cos(), y.exp()];
            break &y * 2.0;
        }
        if &y > 3.5 {
            continue;
        } else if &y > 2.0 {
            all = vec![y.clone()];
            if way == 1 {
                continue;
            }
        } else {
            all = vec![x.clone(), y.square()];
        }
        if way == 2 {
            break tf::reduce_sum(tf::stack(&all, 0), ());
        }
        y = y * 1.25;
    };
    (tf::stack(&all, 0), last)
}

/// Made anew in each round, and read behind the loop alone.
#[tf_function]
fn read_behind(x: &Tensor) -> (Tensor, Tensor) {
    let mut last = vec![x.clone()];
    last.push(x * 2.0);
    let mut sums = Vec::new();
    sums.push(x.clone());
    let mut y = x.clone();
    loop {
        last = vec![y.sin(), y.cos()];
        sums = vec![y.exp()];
        y = &y + 1.0;
        if &y > 3.0 {
            sums.push(y.clone());
            break;
        }
        if &y > 2.5 {
            break;
        }
    }
    (&last[0] + &last[1] + last.len() as f32, tf::stack(&sums, 0))
}

/// A loop of the host that a branch leaves before the list changes.
#[tf_function]
fn left_before(x: &Tensor) -> Tensor {
    let mut all = vec![x.clone()];
    for w in [2.0, 3.0, 4.0] {
        if x * w > 10.0 {
            break;
        }
        all.insert(0, x * w);
    }
    tf::stack(&all, 0)
}

/// Scalars whose list is replaced in a loop over numbers alone.
#[tf_function]
fn replaced_numbers(x: &Tensor) -> (Tensor, Tensor) {
    let (mut all, mut more) = (vec![x.clone()], vec![x.clone()]);
    let mut i = tf::constant(0);
    loop {
        i = &i + 1;
        if &i > 2 {
            all = vec![x.sin()];
            break;
        }
        all.push(x * 2.0);
    }
    let mut y = x.clone();
    while &y < 3.0 {
        y = &y + 1.0;
        if &y > 1.0 {
            more = vec![y.sin(), x * 3.0];
        }
        more.push(y.clone());
    }
    (tf::stack(&all, 0), tf::stack(&more, 0))
}

/// Lists assigned to lists.
#[tf_function]
fn best_so_far(x: &Tensor, n: &Tensor) -> (Tensor, Tensor) {
    let (mut now, mut best) = (vec![x.clone()], Vec::new());
    best.push(x.clone());
    for i in tf::range(0, n, 1) {
        now.push(x * 2.0);
        if &i == 1 {
            best = now.clone();
        }
        best.push(x.clone());
        let before = now.clone();
        now.extend_from_slice(&[x.sin(), x.cos()]);
        if &i % 2 == 0 {
            now = before;
        }
    }
    (tf::stack(&now, 0), tf::stack(&best, 0))
}

/// What nothing stacks stays a `Vec`, of whatever type.
#[tf_function]
fn plain_vecs(x: &Tensor, flags: &Flags) -> Tensor {
    let (mut numbers, mut watched) = (vec![1], vec![x.clone()]);
    if flags.more {
        numbers.push(2);
        watched.push(x * 2.0);
    }
    numbers.drain(..numbers.len() - 1);
    numbers.extend(&[3, 4]);
    let mut tape = tf::GradientTape::new();
    watched.iter().for_each(|x| tape.watch(x));
    let y = watched.iter().fold(tf::constant(1.0), |product, x| product * x.sin());
    let gradients = tape.gradient(&y, &watched);
    let same = numbers == vec![3, 4] || numbers.contains(&2);
    let sum = gradients.into_iter().flatten().fold(tf::constant(0.0), |sum, gradient| sum + gradient);
    sum * numbers.len() as f32 + if same { 1.0 } else { 0.0 }
}

#[derive(Nest, Clone)]
struct Flags {
    more: bool,
}

#[derive(Nest, Clone)]
struct Kept {
    before: Vec<Tensor>,
    sum: Tensor,
}

/// Copies: a plain `Vec` where one is wanted, and a list where the original is one.
#[tf_function]
fn copies(x: &Tensor, n: &Tensor) -> Kept {
    let mut all = vec![x.clone()];
    if x > 100.0 {
        all.push(x * 2.0);
    } else {
        all.push(x * 3.0);
    }
    let before: Vec<Tensor> = all.clone();
    let same = Kept { before: all.clone(), sum: x.clone() };
    for i in tf::range(0, n, 1) {
        all.push(x * i.cast(tf::DType::F32));
    }
    let kept = all.clone();
    all.push(x.clone());
    let moved = all;
    let sum = tf::reduce_sum(tf::stack(&kept, 0), ()) + tf::reduce_sum(tf::stack(&moved, 0), ());
    Kept { before, sum: sum + &same.before[1] }
}

#[test]
fn branches() {
    eager_vs_graph!(pushed(x); x in [2.0, -1.0]);
    eager_vs_graph!(equally_long(x); x in [2.0, -1.0]);
    eager_vs_graph!(replaced(x); x in [2.0, 0.5, -1.0]);
    eager_vs_graph!(shorter(x); x in [2.0, -1.0]);
    eager_vs_graph!(in_host_rounds(x); x in [0.25, 0.75, 1.5, 3.0]);
}

#[test]
fn loops() {
    eager_vs_graph!(longer_in_a_loop(x, n); (x, n) in [(2.0, 0), (2.0, 1), (-1.0, 4)]);
    eager_vs_graph!(longer_and_jumps(x, n); (x, n) in [(2.0, 0), (0.5, 3), (-1.0, 6), (30.0, 2)]);
    eager_vs_graph!(shorter_behind_a_break(x); x in [2.5, 0.5, -1.0]);
    eager_vs_graph!(plain_behind_a_break(x, n); (x, n) in [(2.5, 0), (2.5, 2), (0.5, 1), (-1.0, 3)]);
    eager_vs_graph!(read_behind(x); x in [2.75, 1.0, 0.75, -1.0]);
    eager_vs_graph!(left_before(x); x in [6.0, 4.0, 3.0, 1.0]);
    eager_vs_graph!(best_so_far(x, n); (x, n) in [(2.0, 0), (0.5, 1), (-1.0, 4)]);
    eager_vs_graph!({ plain_vecs(x, &Flags { more: true }) }; x in [0.5]);
    eager_vs_graph!({ plain_vecs(x, &Flags { more: false }) }; x in [0.5]);
    eager_vs_graph!(copies(x, n); (x, n) in [(2.0, 0), (0.5, 3)]);
}

#[test]
fn states() {
    let weights = [tf::constant(0.5), tf::constant(-0.25), tf::constant(1.5)];
    eager_vs_graph!({ stacked_cells(rows, &weights) }; rows in [[0.5, 1.0, -2.0], [2.0, 8.0, 4.0], [0.0, 0.0, 0.1]]);
}

#[test]
fn jumps() {
    for way in 0..3 {
        eager_vs_graph!({ jumps_of_a_first_round(x, way) }; x in [-1.0, 0.5, 1.25, 2.0, 3.0, 4.0, 5.0]);
    }
}

#[test]
fn numbers() {
    eager_vs_graph!(replaced_numbers(x); x in [0.25, -1.5, 4.0]);
}
