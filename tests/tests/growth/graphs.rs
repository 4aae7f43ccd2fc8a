//! Loops of graphs that take a part of a tensor in each round, or change one, and the gradient by the whole tensor.
//! Each form is a traced function of rows and of how many there are.

use super::{WIDTH, gradient, level, second, traced};
use eagerflow as tf;
use tf::{GradientTape, Tensor, Variable, s, tf_function};

/// Traced functions of a tensor of rows and the number of rounds, and for each the tests of what a round costs.
macro_rules! forms {
    ($($name:ident($xs:ident, $n:ident) $body:block)*) => {$(
        mod $name {
            use super::*;

            #[tf_function]
            fn form($xs: &Tensor, $n: &Tensor) -> Tensor $body

            #[test]
            fn a_round_costs_the_same_however_many_there_are() {
                level(concat!(stringify!($name), ", gradient"), gradient(traced(form)));
            }

            #[tf_function]
            fn form_of_second_order($xs: &Tensor, $n: &Tensor) -> Tensor $body

            #[test]
            fn also_of_second_order() {
                level(concat!(stringify!($name), ", second order"), second(traced(form_of_second_order)));
            }
        }
    )*};
}

forms! {
    rows_of_a_for(xs, _n) {
        let mut sum = tf::constant(0.0);
        for x in xs {
            sum = sum + tf::reduce_sum(&x * &x, ());
        }
        sum
    }

    at(xs, n) {
        let mut sum = tf::constant(0.0);
        for i in tf::range(0, n, 1) {
            let x = xs.at(&i);
            sum = sum + tf::reduce_sum(&x * &x, ());
        }
        sum
    }

    in_a_branch(xs, n) {
        let mut sum = tf::constant(0.0);
        for i in tf::range(0, n, 1) {
            if &i % 2 == 0 {
                sum = sum + tf::reduce_sum(tf::square(xs.at(&i)), ());
            }
        }
        sum
    }

    in_both_branches(xs, n) {
        let mut sum = tf::constant(0.0);
        for i in tf::range(0, n, 1) {
            if &i % 2 == 0 {
                sum = sum + tf::reduce_sum(tf::square(xs.at(&i)), ());
            } else {
                sum = sum - tf::reduce_sum(xs.at(0) * xs.at(&i), ());
            }
        }
        sum
    }

    in_an_inner_loop(xs, n) {
        let mut sum = tf::constant(0.0);
        for i in tf::range(0, n, 1) {
            for _ in tf::range(0, &tf::minimum(n, 2), 1) {
                sum = sum + tf::reduce_sum(tf::square(xs.at(&i)), ());
            }
        }
        sum
    }

    gather(xs, n) {
        let mut sum = tf::constant(0.0);
        for i in tf::range(0, n, 1) {
            sum = sum + tf::reduce_sum(tf::square(tf::gather(xs, &tf::reshape(&i, [1]), 0)), ());
        }
        sum
    }

    gather_of_columns(xs, n) {
        let mut sum = tf::constant(0.0);
        let turned = tf::transpose(xs, [1, 0]) * 2.0;
        for i in tf::range(0, n, 1) {
            sum = sum + tf::reduce_sum(tf::square(tf::gather(&turned, &tf::reshape(&i, [1]), 1)), ());
        }
        sum
    }

    gather_nd(xs, n) {
        let mut sum = tf::constant(0.0);
        for i in tf::range(0, n, 1) {
            sum = sum + tf::reduce_sum(tf::square(tf::gather_nd(xs, &tf::reshape(&i, [1, 1]))), ());
        }
        sum
    }

    a_fixed_slice(xs, n) {
        let mut sum = tf::constant(0.0);
        for _ in tf::range(0, n, 1) {
            sum = sum + tf::reduce_sum(tf::square(xs.at(s![3..5, ..])), ());
        }
        sum
    }

    a_strided_slice(xs, n) {
        let mut sum = tf::constant(0.0);
        for _ in tf::range(0, n, 1) {
            sum = sum + tf::reduce_sum(tf::square(xs.at(s![2..10;3, 1..7;-2])), ());
        }
        sum
    }

    split(xs, n) {
        let mut sum = tf::constant(0.0);
        for _ in tf::range(0, n, 1) {
            sum = sum + tf::reduce_sum(tf::square(&tf::split(xs, [4, -1], 0)[0]), ());
        }
        sum
    }

    unstack(xs, n) {
        let mut sum = tf::constant(0.0);
        let few = xs.at(s![..10, ..]);
        for _ in tf::range(0, n, 1) {
            sum = sum + tf::reduce_sum(tf::square(&tf::unstack(&few, 0)[3]), ());
        }
        sum
    }

    pushed(xs, n) {
        let mut all = Vec::new();
        for i in tf::range(0, n, 1) {
            all.push(tf::square(xs.at(&i)));
        }
        tf::reduce_sum(tf::stack(&all, 0), ())
    }

    scatter_update(xs, n) {
        let mut all = xs * 1.0;
        for i in tf::range(0, n, 1) {
            let row = tf::square(tf::reshape(&all.at(&i), [1, WIDTH as isize]));
            all = tf::tensor_scatter_nd_update(&all, &tf::reshape(&i, [1, 1]), &row);
        }
        tf::reduce_sum(&all, ())
    }

    scatter_add(xs, n) {
        let mut all = xs * 1.0;
        for i in tf::range(0, n, 1) {
            let row = tf::square(tf::reshape(&xs.at(&i), [1, WIDTH as isize]));
            all = tf::tensor_scatter_nd_add(&all, &tf::reshape(&i, [1, 1]), &row);
        }
        tf::reduce_sum(&all, ())
    }

    a_tape_on_each_row(xs, n) {
        let mut sum = tf::constant(0.0);
        for i in tf::range(0, n, 1) {
            let x = xs.at(&i);
            let mut tape = GradientTape::new();
            tape.watch(&x);
            let y = tf::reduce_sum(&x * &x * &x, ());
            let slope = tape.gradient(&y, &x);
            sum = sum + tf::reduce_sum(slope, ());
        }
        sum
    }
}

#[tf_function]
fn rows_of_a_variable(v: &Variable, n: &Tensor) -> Tensor {
    let mut sum = tf::constant(0.0);
    for i in tf::range(0, n, 1) {
        sum = sum + tf::reduce_sum(tf::square(tf::embedding_lookup(v, &tf::reshape(&i, [1]))), ());
    }
    sum
}

#[test]
fn rows_of_a_variable_cost_the_same_in_each_round() {
    let sizes = [20, 30].into_iter().chain(super::rounds());
    let variables: Vec<Variable> = sizes.map(|n| Variable::new(super::rows(n))).collect();
    level("rows_of_a_variable", |xs, n| {
        let v = variables.iter().find(|v| v.shape() == *xs.shape()).unwrap();
        let tape = GradientTape::new();
        let y = rows_of_a_variable(v, &tf::constant(n as i32));
        assert_eq!(tape.gradient(&y, v).shape(), xs.shape());
    });
}

#[tf_function]
fn updates_alone(xs: &Tensor, n: &Tensor) -> Tensor {
    let mut all = xs * 1.0;
    for i in tf::range(0, n, 1) {
        all = tf::tensor_scatter_nd_update(&all, &tf::reshape(&i, [1, 1]), &tf::ones([1, WIDTH]));
    }
    tf::reduce_sum(&all, ())
}

#[test]
fn updates_forward_cost_the_same_in_each_round() {
    level("updates_alone", |xs, n| drop(updates_alone(xs, &tf::constant(n as i32))));
}

#[tf_function]
fn rows_moved_within_a_tensor(xs: &Tensor, n: &Tensor) -> Tensor {
    let mut all = xs * 1.0;
    for i in tf::range(0, n, 1) {
        let row = tf::reshape(&all.at(0), [1, WIDTH as isize]);
        all = tf::tensor_scatter_nd_update(&all, &tf::reshape(&i, [1, 1]), &row);
    }
    tf::reduce_sum(tf::square(&all), ())
}

#[test]
fn rows_moved_within_a_tensor_cost_the_same_in_each_round() {
    level("rows_moved_within_a_tensor", gradient(traced(rows_moved_within_a_tensor)));
}
