//! The gradient table: every differentiable operation against TensorFlow's gradients and against finite differences.
//! Order 1 and 2 in `float64`, forward mode, the other float dtypes, and a proof that wrong signs would be noticed.

mod coverage;
mod differences;
mod dtypes;
mod flips;
mod program;
mod samples;
mod tensorflow;
mod variables;

/// Fails with all complaints at once, so that one run shows the whole picture.
fn report(complaints: Vec<String>) {
    let count = complaints.len();
    assert!(count == 0, "{count} complaints\n{}", complaints.join("\n"));
}

#[test]
fn the_table_holds_on_every_cpu_path() {
    for test in ["differences::first_and_second_order_match_differences", "tensorflow::gradients_are_tensorflows"] {
        eagerflow_tests::child::under_other_paths(test);
    }
}

/// First and second order gradients of every operation, computed on a GPU.
#[test]
fn the_table_holds_on_a_gpu() {
    eagerflow_tests::child::run_on_a_gpu(&["the_table_holds_on_every_cpu_path"], &[]);
}
