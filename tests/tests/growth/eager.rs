//! The same operation by operation, where a tape walks over as many entries as there were rounds.

use super::eager_forms::{eager_forms, index, total};
use super::{WIDTH, bytes_of_a_round, gradient, level, second};
use eagerflow as tf;
use tf::{DType, GradientTape, Tensor, TensorArray, Variable, s};

/// Functions of a tensor of rows and the number of rounds, and for each the tests of what a round costs.
macro_rules! tested {
    ($($name:ident($xs:ident, $n:ident) $body:block)*) => {$(
        #[test]
        fn $name() {
            fn form($xs: &Tensor, $n: usize) -> Tensor $body
            // Nothing is moved where rows are only shown and lists hold them.
            bytes_of_a_round(concat!(stringify!($name), ", forward"), |xs, n| drop(form(xs, n)));
            level(concat!(stringify!($name), ", gradient"), gradient(form));
            level(concat!(stringify!($name), ", second order"), second(form));
        }
    )*};
}

eager_forms!(tested);

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
fn assigning_a_part_moves_the_part() {
    let row = tf::ones([16]);
    let moved = |rows: usize| {
        let v = Variable::new(tf::zeros([rows, 16]));
        let part = || {
            v.at(rows as isize / 2).assign(&row);
            v.at(s![3..5, ..]).assign_add(&row);
        };
        // What the variable was made of may be held until then.
        part();
        tf::__testing::moved(part).1
    };
    let (few, many) = (moved(10), moved(10_000));
    assert_eq!(few, many);
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
