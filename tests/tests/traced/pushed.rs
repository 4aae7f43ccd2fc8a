//! Lists that loops push onto: lists of the graph where the loop is one of the graph, plain ones where Rust goes round.

use eagerflow as tf;
use tf::{GradientTape, Tensor, tf_function};

/// `push` in a `for` over a range.
#[tf_function]
fn pushed(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = Vec::new();
    let mut y = x.clone();
    for _ in tf::range(0, n, 1) {
        y = y * 1.5;
        all.push(y.clone());
    }
    tf::stack(&all, 0)
}

/// In a `while`, with items before it.
#[tf_function]
fn in_a_while(x: &Tensor) -> (Tensor, Tensor) {
    let mut all: Vec<Tensor> = vec![x.clone(), x * x];
    let mut y = x.clone();
    while y < 50.0 {
        y = &y * &y + 1.0;
        all.push(y.clone());
    }
    (tf::stack(&all, 0), y)
}

/// In a `loop`, whose first round is recorded before it.
#[tf_function]
fn in_a_loop(x: &Tensor) -> Tensor {
    let mut all = Vec::with_capacity(4);
    let mut y = x.clone();
    loop {
        all.push(y.sin());
        y = &y * 1.5 + 0.5;
        if y > 9.0 {
            all.push(y.clone());
            break;
        }
    }
    tf::stack(&all, 0)
}

/// In branches inside the loop, and with `continue`.
#[tf_function]
fn in_branches(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = vec![x.clone()];
    let mut y = x.clone();
    for i in tf::range(0, n, 1) {
        y = &y * 0.5 + x;
        if &i % 3 == 1 {
            continue;
        }
        if y > 2.0 {
            all.push(&y * 2.0);
        } else {
            all.push(y.tanh());
            all.push(&y + 1.0);
        }
    }
    tf::stack(&all, 0)
}

/// Two lists at once.
#[tf_function]
fn two(x: &Tensor, n: &Tensor) -> (Tensor, Tensor) {
    let (mut even, mut odd) = (vec![x * 2.0], Vec::new());
    odd.push(x * 3.0);
    for i in tf::range(0, n, 1) {
        let y = x * i.cast(tf::DType::F32);
        if &i % 2 == 0 { even.push(y) } else { odd.push(y.square()) }
    }
    (tf::stack(&even, 0), tf::stack(&odd, 0))
}

/// Nested loops: the inner list is new in each round of the outer one.
#[tf_function]
fn nested(x: &Tensor, n: &Tensor) -> Tensor {
    let mut sums = Vec::new();
    for i in tf::range(1, n, 1) {
        let mut row = Vec::new();
        for j in tf::range(0, &i, 1) {
            row.push(x * (&i * 10 + j).cast(tf::DType::F32));
        }
        let row = tf::stack(&row, 0);
        sums.push(tf::reduce_sum(row.square(), ()));
    }
    tf::stack(&sums, 0)
}

/// One list through nested loops, with a jump out of both.
#[tf_function]
fn through(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = vec![x.clone()];
    let mut y = x.clone();
    'outer: for i in tf::range(0, n, 1) {
        for j in tf::range(0, &i, 1) {
            y = &y * 1.25 + j.cast(tf::DType::F32);
            all.push(y.clone());
            if y > 10.0 {
                all.push(-&y);
                break 'outer;
            }
        }
    }
    tf::stack(&all, 0)
}

/// `concat`, along any axis, of items whose sizes differ, and `stack` along another axis.
#[tf_function]
fn joined(x: &Tensor, n: &Tensor) -> (Tensor, Tensor, Tensor) {
    let mut rows = vec![tf::reshape(x, [1, 2])];
    let mut same = vec![x.clone()];
    for i in tf::range(0, n, 1) {
        let row = tf::reshape(x, [1, 2]) * i.cast(tf::DType::F32);
        if &i % 2 == 0 {
            rows.push(row.tanh());
        } else {
            rows.push(tf::concat(&[&row, &(&row + 1.0)], 0));
        }
        same.push(x.sin() * i.cast(tf::DType::F32));
    }
    (tf::concat(&rows, 0), tf::stack(&same, 1), tf::concat(&same, -1))
}

/// Items that do not fit together are refused where they meet, and so are none at all.
#[tf_function]
fn misfits(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = Vec::new();
    for i in tf::range(0, n, 1) {
        all.push(if &i % 2 == 0 { tf::concat(&[x, x], 0) } else { x.clone() });
    }
    if n < 6 { tf::reduce_sum(tf::stack(&all, 0), ()) } else { tf::reduce_sum(tf::concat(&all, 0), ()) }
}

/// TensorFlow's guide: a recurrent network over the time steps of its input.
#[tf_function]
fn dynamic_rnn(input: &Tensor, state: &Tensor, weights: &Tensor) -> (Tensor, Tensor) {
    let input = tf::transpose(input, [1, 0, 2]);
    let mut state = state.clone();
    let mut outputs = Vec::new();
    for step in &input {
        state = (tf::matmul(step, weights) + state).tanh();
        outputs.push(state.clone());
    }
    (tf::transpose(tf::stack(&outputs, 0), [1, 0, 2]), state)
}

/// The list as it is so far, in the loop itself.
#[tf_function]
fn so_far(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = vec![x.clone()];
    for _ in tf::range(0, n, 1) {
        let mean = tf::reduce_mean(tf::stack(&all, 0), ());
        all.push(mean * 2.0 + x);
    }
    tf::stack(&all, 0)
}

/// A gradient inside of the function.
#[tf_function]
fn slope(x: &Tensor, n: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let mut all = Vec::new();
    let mut y = x.clone();
    for _ in tf::range(0, n, 1) {
        y = y.sin() * 2.0;
        all.push(y.clone());
    }
    let target = tf::reduce_sum(tf::stack(&all, 0).square(), ());
    tape.gradient(&target, x)
}

/// Lists that are not equally long after the branches of an `if`.
#[tf_function]
fn behind_branches(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = vec![x.clone()];
    if x > 1.0 {
        all.push(x * 2.0);
    } else if x > 0.0 {
        for i in tf::range(0, n, 1) {
            all.push(x * i.cast(tf::DType::F32));
        }
    }
    tf::stack(&all, 0)
}

/// A list that is emptied and made anew.
#[tf_function]
fn emptied(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = vec![x.clone()];
    for i in tf::range(0, n, 1) {
        if &i % 3 == 2 {
            all = vec![x * 2.0, x * 3.0];
        }
        if &i % 4 == 3 {
            all.clear();
        }
        all.push(x * i.cast(tf::DType::F32));
    }
    tf::stack(&all, 0)
}

/// Where Rust goes round it is a plain `Vec`, whatever is asked of it.
#[tf_function]
fn on_the_host(x: &Tensor, weights: &[f32]) -> (Vec<Tensor>, Tensor) {
    let mut all = Vec::new();
    for weight in weights {
        all.push(x * *weight);
    }
    let mut sum = &all[0] + all.last().unwrap();
    for (i, item) in all.iter().enumerate() {
        sum = sum + item * i as f32;
    }
    for item in &all {
        sum = sum * 0.5 + item;
    }
    sum = sum * all.len() as f32;
    (all, sum)
}

#[derive(tf::Nest)]
struct Both {
    all: Vec<Tensor>,
    sum: Tensor,
}

/// All that Rust does with a `Vec` that a loop pushes onto; `weights` might have been a tensor, as far as the text tells.
#[tf_function]
fn forms(x: &Tensor, weights: &[f32], way: usize) -> Both {
    let (mut all, mut names) = (Vec::new(), vec!["first"]);
    let mut borrowed: Vec<&f32> = Vec::with_capacity(weights.len());
    let mut lent = Vec::new();
    let mut nested: Vec<Vec<Tensor>> = Vec::new();
    for weight in weights {
        all.push(x * *weight);
        names.push("next");
        borrowed.push(weight);
        lent.push(x.clone());
        let mut inner = vec![x.clone()];
        for other in weights {
            inner.push(x * *other);
        }
        nested.push(inner);
    }
    std::mem::swap(&mut lent, &mut nested[0]);
    let last = all.len() - 1;
    all[last] = &all[all.len() - 1] + 1.0;
    all.insert(0, all[1].clone());
    all.extend(lent.iter().map(|t| t * 0.5));
    let taken = all.pop().unwrap() * names.len() as f32 * *borrowed[borrowed.len() - 1];
    all = match way {
        0 => all,
        1 => all.into_iter().rev().collect(),
        _ => {
            all.truncate(2);
            all
        }
    };
    let sum = all.iter().fold(taken, |sum, item| sum * 0.5 + item) + tf::reduce_sum(tf::stack(&all[1..], 0), ());
    let sum = if all.is_empty() || names == ["first"] { sum } else { sum + all.first().unwrap() };
    Both { all, sum }
}

/// A host loop that a branch of the graph leaves.
#[tf_function]
fn left_early(x: &Tensor, weights: &[f32]) -> Tensor {
    let mut all = vec![x.clone()];
    let mut y = x.clone();
    for weight in weights {
        y = y * *weight;
        all.push(y.clone());
        if y > 10.0 {
            break;
        }
        if y > 5.0 {
            continue;
        }
        all.push(-&y);
    }
    tf::stack(&all, 0)
}

#[test]
fn loops() {
    eager_vs_graph!(pushed(x, n); (x, n) in [(2.0, 3), (-1.0, 5), (0.5, 0), (0.5, 1)]);
    eager_vs_graph!(in_a_while(x); x in [2.0, 60.0, 0.5]);
    eager_vs_graph!(in_a_loop(x); x in [2.0, 60.0, 0.5]);
    eager_vs_graph!(so_far(x, n); (x, n) in [(2.0, 3), (-1.0, 0)]);
}

#[test]
fn branches() {
    eager_vs_graph!(in_branches(x, n); (x, n) in [(2.0, 5), (-1.0, 7), (0.5, 0)]);
    eager_vs_graph!(two(x, n); (x, n) in [(2.0, 5), (-1.0, 0)]);
    eager_vs_graph!(behind_branches(x, n); (x, n) in [(2.0, 5), (0.5, 3), (-1.0, 4)]);
    eager_vs_graph!(emptied(x, n); (x, n) in [(2.0, 3), (2.0, 5), (0.5, 9)]);
}

#[test]
fn nested_loops() {
    eager_vs_graph!(nested(x, n); (x, n) in [(2.0, 4), (-1.0, 2)]);
    eager_vs_graph!(through(x, n); (x, n) in [(2.0, 4), (-1.0, 9), (1.0, 1)]);
}

#[test]
fn joins() {
    eager_vs_graph!(joined(x, n); (x, n) in [([2.0, 1.0], 4), ([-1.0, 0.5], 0)]);
    eager_vs_graph!(misfits(x, n); (x, n) in [([2.0, 1.0], 1), ([2.0, 1.0], 4), ([2.0, 1.0], 6), ([2.0, 1.0], 0)]);
}

#[test]
fn rnn() {
    eager_vs_graph!(dynamic_rnn(input, state, weights); (input, state, weights) in [
        (tf::ones([2, 3, 4]) * 0.25, tf::zeros([2, 4]), tf::eye(4) * 0.5),
        (tf::ones([2, 5, 4]) * 0.5, tf::ones([2, 4]), tf::ones([4, 4]) * 0.125),
        (tf::ones([3, 7, 4]) * 0.5, tf::ones([3, 4]), tf::ones([4, 4]) * 0.125)
    ]; traces 3);
}

#[test]
fn gradients_inside() {
    eager_vs_graph!(slope(x, n); (x, n) in [(0.5, 3), (1.5, 1)]);
}

#[test]
fn host_loops() {
    eager_vs_graph!({ on_the_host(x, &[2.0, 3.0, 0.5]) }; x in [2.0, 3.0]);
    for way in 0..3 {
        eager_vs_graph!({ forms(x, &[2.0, 3.0], way) }; x in [2.0, 3.0]);
    }
    eager_vs_graph!({ left_early(x, &[2.0, 3.0, 0.5]) }; x in [2.0, 0.5, 3.0, -1.0]);
}
