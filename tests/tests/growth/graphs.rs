//! Loops of graphs that take a part of a tensor in each round, or change one, and the gradient by the whole tensor.
//! Each form is a traced function of rows and of how many there are.

use super::forms::graph_forms;
use super::{WIDTH, gradient, level, second, traced};
use eagerflow as tf;
use tf::{DType, GradientTape, Tensor, TensorArray, Variable, s, tf_function};

/// Traced functions of a tensor of rows and the number of rounds, and for each the tests of what a round costs.
macro_rules! tested {
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

graph_forms!(tested);

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
fn updates_forward(xs: &Tensor, n: &Tensor) -> Tensor {
    let mut all = xs * 1.0;
    for i in tf::range(0, n, 1) {
        all = tf::tensor_scatter_nd_update(&all, &tf::reshape(&i, [1, 1]), &tf::ones([1, WIDTH]));
    }
    tf::reduce_sum(&all, ())
}

#[test]
fn updates_forward_cost_the_same_in_each_round() {
    level("updates_forward", |xs, n| drop(updates_forward(xs, &tf::constant(n as i32))));
}
