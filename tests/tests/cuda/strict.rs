//! The tests beside this one once more, in child processes where each buffer is an allocation of its own and threads run
//! in other orders: what reads or writes beside a buffer, reads what nobody wrote, or leans on an order, fails there.

use eagerflow as tf;
use eagerflow_tests::cuda::{gpu, shares_segments};
use std::process::Command;

/// Runs tests of this program in a child process, with exact allocations and this order of threads; what it said.
fn strictly(order: &str, arguments: &[&str]) -> String {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(arguments).env("EAGERFLOW_CUDA_ALLOCATOR", "exact").env("EAGERFLOW_CUDA_EMULATION_ORDER", order);
    let output = child.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains(" passed; 0 failed"), "{order}:\n{said}");
    said
}

/// Whether this is the parent, on an emulated device. On a real one compute-sanitizer does this better.
fn is_emulated_parent() -> bool {
    gpu().is_some_and(|gpu| gpu.emulation.is_some()) && shares_segments()
}

#[test]
fn exact_allocations_and_other_orders_of_threads_change_nothing() {
    if !is_emulated_parent() {
        return;
    }
    let arguments = ["--skip", "strict::exact_allocations_and", "--skip", "op_table::"];
    std::thread::scope(|scope| {
        for order in ["reverse", "shuffled:3"] {
            scope.spawn(move || {
                let said = strictly(order, &arguments);
                assert!(said.contains("strict::buffers_are_allocations_of_their_own ... ok"), "{said}");
            });
        }
    });
}

#[test]
fn the_table_of_operations_with_exact_allocations_in_shuffled_order() {
    if is_emulated_parent() {
        assert!(!strictly("shuffled:5", &["op_table::"]).contains("running 0 tests"));
    }
}

/// What the other test leans on; without the variable, buffers share segments.
#[test]
fn buffers_are_allocations_of_their_own() {
    let Some(gpu) = gpu() else { return };
    let Some(emulation) = gpu.emulation else { return };
    let exact = !shares_segments();
    let first = tf::constant([1.0f32; 100]).gpu();
    let before = emulation.counters();
    let more: Vec<tf::Tensor> = (1..=20).map(|n| tf::constant(vec![1.0f32; 100 * n]).gpu()).collect();
    let after = emulation.counters();
    let grown = (after.live_allocations - before.live_allocations, after.bytes_in_use - before.bytes_in_use);
    assert_eq!(grown, if exact { (20, 4 * 100 * 210) } else { (0, 0) });
    drop((first, more));
}
