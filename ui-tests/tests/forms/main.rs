//! Every form of the language that traced functions take: one small program each, named after it, which runs operation by
//! operation, then while it is traced, then as a graph, and asserts what comes out. One crate, as it links once.

#![deny(warnings)]
#![allow(clippy::all, reason = "the forms are written as they are to be tested, not as they are prettiest")]

mod arguments;
mod branches;
mod callables;
mod corners;
mod effects;
mod items;
mod jumps;
mod loops;
mod patterns;
mod values;

use eagerflow as tf;
use std::fmt::Debug;
use tf::Tensor;

/// What a program gives, if it gives the same in all three ways.
pub fn same<R: PartialEq + Debug>(run: impl Fn() -> R) -> R {
    let eager = tf::config::with_eager_functions(&run);
    let traced = run();
    let graph = run();
    assert_eq!(eager, traced, "while it is traced");
    assert_eq!(eager, graph, "as a graph");
    graph
}

/// As [`same`], of a function from numbers to one number.
pub fn table(f: impl Fn(&Tensor) -> Tensor, rows: &[(f32, f32)]) {
    for &(x, y) in rows {
        assert_eq!(same(|| f(&tf::constant(x)).item::<f32>()), y, "for {x}");
    }
}
