//! Loops of graphs that take or change a part of a tensor in each round, on a GPU: what kernels and copies touch in a round.
//! The loops are those of the program `growth`, which asks the same of the CPU.

use super::growth::{WIDTH, gradient, level};
use eagerflow as tf;
use forms::graph_forms;
use tf::{DType, GradientTape, Tensor, TensorArray, s, tf_function};

#[path = "../growth/forms.rs"]
mod forms;

/// Traced functions of a tensor of rows and the number of rounds, and for each the test of what a round costs.
macro_rules! tested {
    ($($name:ident($xs:ident, $n:ident) $body:block)*) => {$(
        #[test]
        fn $name() {
            #[tf_function]
            fn form($xs: &Tensor, $n: &Tensor) -> Tensor $body
            level(stringify!($name), gradient(|xs, n| form(xs, &tf::constant(n as i32))));
        }
    )*};
}

graph_forms!(tested);
