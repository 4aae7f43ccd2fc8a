//! Lists that a loop of the graph pushes onto and takes items out of, and those that it makes anew: as long after a round as
//! before it they stay plain `Vec`s, and a loop that runs no round still knows what its rounds would have pushed.

use eagerflow as tf;
use tf::{DType, Tensor, tf_function};

/// The last three of a sequence.
#[tf_function]
fn last_three(x: &Tensor, n: &Tensor) -> Tensor {
    let mut window = vec![x.clone(), x * 2.0, x * 3.0];
    for i in tf::range(0, n, 1) {
        let next = tf::reduce_sum(tf::stack(&window, 0), ()) * 0.3 + i.cast(DType::F32);
        window.push(next);
        window.remove(0);
    }
    tf::stack(&window, 0)
}

/// All but the last go; the `break` takes it along.
#[tf_function]
fn drained(x: &Tensor, n: &Tensor) -> Tensor {
    let mut window = Vec::new();
    window.push(x.clone());
    let mut i = tf::constant(0);
    while &i < n {
        i = i + 1;
        window.push(&window[window.len() - 1] * 1.5);
        window.drain(..window.len() - 1);
        if &window[0] > 10.0 {
            break;
        }
    }
    tf::stack(&window, 0)
}

/// A window that moves in an inner loop, of which the outer one keeps what leaves it.
#[tf_function]
fn left_behind(x: &Tensor, n: &Tensor) -> (Tensor, Tensor) {
    let mut window = vec![x.clone(), x.sin()];
    let mut gone = vec![x.cos()];
    for _ in tf::range(0, n, 1) {
        let mut j = tf::constant(0);
        while j < 2 {
            j = j + 1;
            window.push(&window[0] * 0.5 + &window[1]);
            let first = window.swap_remove(0);
            window.swap(0, 1);
            if first > 1.0 {
                gone.push(first);
            }
        }
    }
    (tf::stack(&window, 0), tf::stack(&gone, 0))
}

/// A list of numbers, of which copies are taken from a reference, as from any `Vec`.
#[tf_function]
fn numbers(x: &Tensor, n: usize) -> Tensor {
    let mut numbers = vec![1.0_f32];
    let mut y = x.clone();
    let mut k = 0;
    while k < n {
        k += 1;
        numbers.extend(&[2.0, 3.0]);
        y = y * numbers[k];
        if &y > 50.0 {
            break;
        }
    }
    y
}

/// Made anew in each round; where there is none, nothing can be stacked, which the graph finds out when it runs.
#[tf_function]
fn made_anew(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = Vec::new();
    for i in tf::range(0, n, 1) {
        all = vec![x * 2.0];
        if &i > 0 {
            all.push(x * i.cast(DType::F32));
        }
    }
    tf::stack(&all, 0)
}

/// Nobody reads it.
#[tf_function]
fn only_pushed(x: &Tensor) -> Tensor {
    let mut all = vec![x.clone()];
    let mut y = x.clone();
    for _ in 0..2 {
        if &y > 1.0 {
            all.push(y.sin());
            y = y * 0.5;
        }
    }
    y
}

/// The variable of a `while let` goes on in a branch that continues.
#[tf_function]
fn kept_by_while_let(x: &Tensor) -> Tensor {
    let mut inputs = vec![x.clone(), x * 2.0, x * 3.0].into_iter();
    let (mut last, mut sum) = (x.clone(), tf::constant(0.0));
    while let Some(input) = inputs.next() {
        if input > 2.0 {
            last = input;
            continue;
        }
        sum = sum + input * 2.0;
    }
    sum + last * 10.0
}

#[test]
fn windows() {
    eager_vs_graph!(last_three(x, n); (x, n) in [(0.5, 0), (-1.5, 1), (2.0, 5)]);
    eager_vs_graph!(drained(x, n); (x, n) in [(0.5, 0), (0.5, 3), (3.0, 9)]);
    eager_vs_graph!(left_behind(x, n); (x, n) in [(0.5, 0), (0.5, 3), (1.5, 2)]);
    eager_vs_graph!({ numbers(x, 3) }; x in [0.5, 9.0, -1.0]);
}

#[test]
fn made_in_rounds() {
    eager_vs_graph!(made_anew(x, n); (x, n) in [(0.5, 1), (0.5, 3), (1.5, 0)]);
    eager_vs_graph!(only_pushed(x); x in [0.5, 1.5, 3.0]);
    eager_vs_graph!(kept_by_while_let(x); x in [0.5, 0.9, 1.5, 3.0]);
}
