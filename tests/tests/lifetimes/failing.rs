//! Calls that fail, while they are traced or while they run, leave the function, its variables and its memory as they were.

use super::counted::{alone, growth};
use eagerflow as tf;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tf::{Tensor, Variable, tf_function};

/// A function that fails where an assertion does not hold, or where it divides by zero, after a variable was written: each test has
/// one of its own, because traces belong to the function.
macro_rules! guarded {
    ($name:ident) => {
        #[tf_function]
        fn $name(v: &Variable, n: &Tensor, limit: i32) -> Tensor {
            v.assign_add(tf::constant(1));
            let mut left = n.clone();
            let mut sum = tf::constant(0);
            while left > -3 {
                assert!(&left < limit, "not below the limit {limit}");
                sum = sum + 12 / &left;
                left = left - 2;
            }
            v.assign_add(tf::constant(10));
            sum
        }
    };
}

guarded!(guarded);
guarded!(guarded_in_a_loop);
guarded!(guarded_on_threads);

/// Fails while it is traced.
#[tf_function]
fn refused(x: &Tensor, y: &Tensor) -> Tensor {
    let mut z = x.clone();
    if tf::reduce_sum(x, ()) > 0.0 {
        z = tf::matmul(x, y);
    }
    z
}

fn silent<R>(body: impl FnOnce() -> R) -> Result<R, String> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = catch_unwind(AssertUnwindSafe(body));
    std::panic::set_hook(hook);
    result.map_err(|panic| panic.downcast_ref::<String>().cloned().unwrap_or_default())
}

#[test]
fn a_failing_call_changes_nothing_for_the_next() {
    let _alone = alone();
    let v = Variable::new(0);
    let call = |n: i32| silent(|| guarded(&v, &tf::constant(n), 50).item::<i32>());
    // 12/3 + 12/1 + 12/-1
    assert_eq!(call(3), Ok(4));
    assert_eq!(v.value().item::<i32>(), 11);
    let divided = call(4).expect_err("4, 2, 0");
    assert!(divided.starts_with("InvalidArgument"), "{divided}");
    let asserted = call(51).expect_err("not below 50");
    assert!(asserted.contains("not below the limit 50"), "{asserted}");
    assert!(asserted.contains("expected: &left < limit"), "{asserted}");
    assert_eq!(v.value().item::<i32>(), 13, "what was written before the failure stays");
    assert_eq!(call(3), Ok(4));
    assert_eq!(v.value().item::<i32>(), 24);
    assert_eq!(tf::function(guarded).trace_count(), 1);
}

#[test]
fn failing_calls_hold_no_memory() {
    let _alone = alone();
    let v = Variable::new(0);
    let (even, odd) = (tf::constant(4), tf::constant(3));
    let grown = growth(2_000, |i| {
        let result = silent(|| guarded_in_a_loop(&v, if i % 2 == 0 { &even } else { &odd }, 50));
        assert_eq!(result.is_ok(), i % 2 == 1);
    });
    assert!(grown < 64 << 10, "grew by {grown} bytes");
}

#[test]
fn a_trace_that_fails_is_not_kept() {
    let _alone = alone();
    let (a, b) = (tf::ones([2, 2]), tf::ones([3, 2]));
    let made = tf::function(refused).trace_count();
    let grown = growth(500, |_| {
        let text = silent(|| refused(&a, &b)).expect_err("the sizes do not fit");
        assert!(text.starts_with("InvalidArgument: matmul"), "{text}");
        assert!(tf::executing_eagerly());
    });
    assert!(grown < 64 << 10, "grew by {grown} bytes");
    assert_eq!(tf::function(refused).trace_count(), made);
    assert_eq!(refused(&a, &a).to_vec::<f32>(), [2.0; 4]);
}

#[test]
fn a_failing_call_on_one_thread_lets_the_others_go_on() {
    let _alone = alone();
    let v = Variable::new(0);
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    std::thread::scope(|scope| {
        for t in 0..8 {
            let v = &v;
            scope.spawn(move || {
                let n = tf::constant(3 + t % 2);
                for _ in 0..100 {
                    let result = catch_unwind(AssertUnwindSafe(|| guarded_on_threads(v, &n, 50).item::<i32>()));
                    assert_eq!(result.ok(), (t % 2 == 0).then_some(4));
                }
            });
        }
    });
    std::panic::set_hook(hook);
    assert_eq!(v.value().item::<i32>(), 8 * 100 + 4 * 100 * 10);
}
