//! The trace used last lies in front of the others, and operands stay the user's: neither may outlive what it should, be
//! it that traces are freed while calls run, or that calls take turns with other signatures.

use super::counted::{alone, bytes};
use eagerflow as tf;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use tf::{Tensor, tf_function};

const MIB: usize = 1 << 20;

/// Holds a constant of one megabyte, and a frame of the same size once it has run.
#[tf_function(max_traces = 2)]
fn shifted(x: &Tensor, by: f32) -> Tensor {
    let table = tf::constant(vec![by; MIB / 4]);
    tf::reduce_sum(tf::reverse(&table + x, 0), ()) * (4.0 / MIB as f32)
}

#[test]
fn traces_are_freed_under_calls() {
    let _alone = alone();
    let x = tf::constant(1.0f32);
    let call = |by: usize| assert_eq!(shifted(&x, by as f32).item::<f32>(), by as f32 + 1.0);
    call(0);
    tf::function(shifted).clear();
    let before = bytes();
    let (barrier, done) = (Barrier::new(5), AtomicUsize::new(0));
    thread::scope(|scope| {
        for t in 0..4 {
            let (call, barrier, done) = (&call, &barrier, &done);
            scope.spawn(move || {
                barrier.wait();
                // Three signatures where two traces are kept: some calls push out what others run.
                (0..60).for_each(|i| call((i / 2 + t) % 3));
                done.fetch_add(1, Ordering::Release);
            });
        }
        barrier.wait();
        while done.load(Ordering::Acquire) < 4 {
            tf::function(shifted).clear();
            thread::yield_now();
        }
    });
    (0..3).for_each(call);
    tf::function(shifted).clear();
    let after = bytes().saturating_sub(before);
    assert!(after < MIB / 2, "{after} bytes are still held");
}

#[tf_function]
fn sum(x: &Tensor, y: &Tensor) -> Tensor {
    x + y
}

/// The first operand, and something new.
#[tf_function]
fn beside(x: &Tensor, y: &Tensor) -> (Tensor, Tensor) {
    (x.clone(), x * y)
}

#[tf_function]
fn turns(x: &Tensor, y: &Tensor) -> Tensor {
    x + y
}

#[test]
fn signatures_take_turns() {
    let _alone = alone();
    let (x, y) = (tf::constant([1.0f32, 2.0]), tf::constant([[1], [2]]));
    for i in 0..10 {
        let z = turns(&x, &x);
        assert_eq!(z.to_vec::<f32>(), [2.0, 4.0]);
        assert_eq!(turns(&y, &y).to_vec::<i32>(), [2, 4]);
        // A call takes its results as operands, the same twice.
        assert_eq!(turns(&z, &z).to_vec::<f32>(), [4.0, 8.0], "round {i}");
    }
    assert_eq!(tf::function(turns).trace_count(), 2);
}

#[test]
fn operands_stay_the_users() {
    let _alone = alone();
    for _ in 0..3 {
        let x = tf::constant([[1.0f32, 2.0], [3.0, 4.0]]);
        let view = tf::transpose(&x, [1, 0]);
        assert_eq!(sum(&view, &x).to_vec::<f32>(), [2.0, 5.0, 5.0, 8.0]);
        let (same, product) = beside(&x, &view);
        assert_ne!(same.id(), x.id(), "a result is a tensor of its own");
        drop((x, view));
        assert_eq!(same.to_vec::<f32>(), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(product.to_vec::<f32>(), [1.0, 6.0, 6.0, 16.0]);
    }
}

#[test]
fn operands_go_with_their_owner() {
    let _alone = alone();
    let call = || {
        let x = tf::ones([MIB / 4]);
        assert_eq!(sum(&x, &x).shape(), [MIB / 4]);
        assert_eq!(beside(&x, &x).1.shape(), [MIB / 4]);
    };
    call();
    let before = bytes();
    (0..4).for_each(|_| call());
    let held = bytes().saturating_sub(before);
    assert!(held < MIB / 2, "operands that are gone hold {held} bytes");
}

#[test]
fn a_call_that_fails_leaves_the_next_one_whole() {
    #[tf_function]
    fn checked(x: &Tensor) -> Tensor {
        assert!(tf::reduce_sum(x, ()) > 0.0, "nothing to divide by");
        x / tf::reduce_sum(x, ())
    }
    let _alone = alone();
    let (good, bad) = (tf::constant([1.0f32, 3.0]), tf::constant([1.0f32, -1.0]));
    for _ in 0..3 {
        assert_eq!(checked(&good).to_vec::<f32>(), [0.25, 0.75]);
        assert!(std::panic::catch_unwind(|| checked(&bad)).is_err());
    }
    assert_eq!(tf::function(checked).trace_count(), 1);
}
