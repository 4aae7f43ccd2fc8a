//! Traced functions: the same text run operation by operation and as a graph, with values, gradients and effects compared.

#![allow(clippy::assign_op_pattern, reason = "samples are written as users write them, in both forms")]

#[macro_use]
mod harness;

mod basics;
mod batches;
mod bound;
mod branches;
mod callables;
mod complex;
mod conditions;
mod corners;
mod datasets;
mod deferred;
mod denormals;
mod devices;
mod drawn;
mod earlier;
mod effects;
mod elements;
mod exclusive;
mod failures;
mod flags;
mod forward;
mod frozen;
mod functional;
mod hidden;
mod jumps;
mod lazy;
mod left_out;
mod lengths;
mod lent;
mod library;
mod lifetimes;
mod lines;
mod logic;
mod loops;
mod meet;
mod messages;
mod misfits;
mod moves;
mod operands;
mod options;
mod parts;
mod patterns;
mod pauses;
mod pushed;
mod pushed_errors;
mod refusals;
mod returned;
mod shapes;
mod shared;
mod shown;
mod sizes;
mod small_images;
mod state;
mod symbols;
mod tapes;
mod tensorflow;
mod uncarried;
mod unseen;
mod windows;

/// The same samples on a GPU. Left out: errors that come to light when elements are read, which [`failures_on_a_gpu`] has, plans and
/// memory of the host, lines in plans, a chain of sines that a loop over numbers computes on the host, and a call that must fail
/// before it returns; and, unless `EAGERFLOW_HEAVY` is set, what compiles a thousand kernels. The second call of a shape is captured
/// already.
#[test]
fn samples_on_a_gpu() {
    let skip = [
        "options::plans",
        "lines::",
        "misfits::indices",
        "lifetimes::",
        "loops::while_loops",
        "a_call_that_fails",
        "complex::plans",
    ];
    let heavy: &[&str] = if std::env::var_os("EAGERFLOW_HEAVY").is_some() { &[] } else { &HEAVY };
    eagerflow_tests::child::run_on_a_gpu(&[&skip, &FAIL[..], heavy].concat(), &[("EAGERFLOW_CUDA_GRAPHS", "1")]);
}

/// Samples whose many small loops and branches have a kernel for each mixture of operands of the host and of the device.
const HEAVY: [&str; 2] = ["forward::second_orders_through_branches_and_loops", "forward::through_lists_of_the_graph"];

/// Samples that fail where elements are computed.
const FAIL: [&str; 4] = ["failures::at_run_time", "messages::", "effects::assertions", "functional::exclusive"];

#[test]
fn failures_on_a_gpu() {
    eagerflow_tests::child::run_in_turn_on_a_gpu(&FAIL);
}
