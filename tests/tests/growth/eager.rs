//! The same operation by operation, where a tape walks over as many entries as there were rounds.

use super::{WIDTH, gradient, level, second};
use eagerflow as tf;
use tf::{GradientTape, Tensor, Variable, s};

fn total(n: usize, term: impl Fn(usize) -> Tensor) -> Tensor {
    (0..n).fold(tf::constant(0.0), |sum, i| sum + tf::reduce_sum(tf::square(term(i)), ()))
}

fn index(i: usize) -> Tensor {
    tf::constant([i as i32])
}

/// Asserts that rounds are level for the gradient of a form, and for that of second order.
#[track_caller]
fn levels(name: &str, form: fn(&Tensor, usize) -> Tensor) {
    level(name, gradient(form));
    level(&format!("{name}, second order"), second(form));
}

#[test]
fn rows() {
    levels("rows", |xs, n| total(n, |i| xs.at(i)));
}

#[test]
fn gathered_rows() {
    levels("gather", |xs, n| total(n, |i| tf::gather(xs, &index(i), 0)));
}

#[test]
fn gathered_columns() {
    levels("gather, columns", |xs, n| {
        let turned = tf::transpose(xs, [1, 0]) * 2.0;
        total(n, |i| tf::gather(&turned, &index(i), 1))
    });
}

#[test]
fn gathered_by_tuples() {
    levels("gather_nd", |xs, n| total(n, |i| tf::gather_nd(xs, &tf::reshape(&index(i), [1, 1]))));
}

#[test]
fn slices() {
    levels("strided_slice", |xs, n| total(n, |_| xs.at(s![2..10;3, 1..7;-2])));
}

#[test]
fn splits() {
    levels("split", |xs, n| total(n, |_| tf::split(xs, [4, -1], 0).swap_remove(0)));
}

#[test]
fn stacked_rows() {
    levels("stack", |xs, n| {
        tf::reduce_sum(tf::square(tf::stack(&(0..n).map(|i| xs.at(i)).collect::<Vec<_>>(), 0)), ())
    });
}

#[test]
fn updates_of_a_tensor_that_is_given_up() {
    let step = |xs: &Tensor, n: usize| {
        let mut all = xs * 1.0;
        for i in 0..n {
            let row = tf::square(tf::reshape(&xs.at(i), [1, WIDTH as isize]));
            all = tf::tensor_scatter_nd_update(all, &tf::reshape(&index(i), [1, 1]), &row);
        }
        tf::reduce_sum(&all, ())
    };
    level("tensor_scatter_nd_update", |xs, n| drop(step(xs, n)));
    level("tensor_scatter_nd_update, gradient", gradient(step));
    level("tensor_scatter_nd_update, second order", second(step));
}

#[test]
fn a_tape_in_each_round() {
    level(
        "nested_tape",
        gradient(|xs, n| {
            let mut sum = tf::reduce_sum(xs.at(0), ());
            for _ in 0..n {
                let mut tape = GradientTape::new();
                tape.watch(&sum);
                let y = &sum * &sum;
                let slope = tape.gradient(&y, &sum);
                sum = sum * 0.5 + slope * 0.1;
            }
            sum
        }),
    );
}

#[test]
fn variables_read_under_a_tape_that_watches_tensors() {
    // Nothing here moves bytes: what must not grow is the search for the first read, which `Log::was_read` tests by time alone.
    let v = Variable::new([1.0, 2.0]);
    level(
        "read_variable",
        gradient(move |xs, n| {
            let start = tf::reduce_sum(xs.at(0), ());
            (0..n).fold(start, |sum, _| sum + tf::reduce_sum(v.value(), ()))
        }),
    );
}

#[test]
fn a_persistent_tape_that_is_asked_again_and_again_keeps_its_size() {
    let x = tf::ones([64, 64]);
    let mut tape = GradientTape::persistent();
    tape.watch(&x);
    let y = (0..100).fold(x.clone(), |y, _| y * 1.01);
    let ask = || drop(tape.gradient(&y, &x));
    let first = tf::__testing::moved(ask).1;
    (0..50).for_each(|_| ask());
    let later = tf::__testing::moved(ask).1;
    assert_eq!(later, first);
}
