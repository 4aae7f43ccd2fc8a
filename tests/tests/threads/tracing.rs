//! Threads that call a traced function at once: one of them traces, the others wait for it; and nobody waits for ever.

use eagerflow as tf;
use std::cell::Cell;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{scope, sleep};
use std::time::Duration;
use tf::{Tensor, tf_function};

static RUNS: AtomicUsize = AtomicUsize::new(0);

#[tf_function]
fn slow(x: &Tensor) -> Tensor {
    RUNS.fetch_add(1, Ordering::Relaxed);
    sleep(Duration::from_millis(100));
    x * 2.0 + 1.0
}

#[test]
fn one_traces_and_the_others_wait() {
    let barrier = Barrier::new(6);
    let results: Vec<f32> = scope(|threads| {
        let calls: Vec<_> = (0..6)
            .map(|i| {
                let barrier = &barrier;
                threads.spawn(move || {
                    let x = tf::constant(i as f32);
                    barrier.wait();
                    slow(&x).item::<f32>()
                })
            })
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert_eq!(results, [1.0, 3.0, 5.0, 7.0, 9.0, 11.0]);
    assert_eq!((RUNS.load(Ordering::Relaxed), tf::function(slow).trace_count()), (1, 1));
}

/// Arguments that another trace serves do not wait for this one.
#[tf_function]
fn held(x: &Tensor, barrier: &Shared) -> Tensor {
    if x.rank() == 1 {
        barrier.0.wait();
        barrier.0.wait();
    }
    x * 2.0
}

struct Shared(&'static Barrier);

impl std::hash::Hash for Shared {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

#[test]
fn other_arguments_do_not_wait() {
    let barrier: &'static Barrier = Box::leak(Box::new(Barrier::new(2)));
    scope(|threads| {
        let first = threads.spawn(move || held(&tf::ones([3]), &Shared(barrier)).to_vec::<f32>());
        barrier.wait();
        // The other thread is tracing until this one lets it go on.
        assert_eq!(held(&tf::constant(1.0), &Shared(barrier)).item::<f32>(), 2.0);
        barrier.wait();
        assert_eq!(first.join().unwrap(), [2.0; 3]);
    });
}

/// A trace that is given up does not keep the others waiting.
#[tf_function]
fn failing(x: &Tensor) -> tf::Result<Tensor> {
    sleep(Duration::from_millis(20));
    match RUNS_OF_FAILING.fetch_add(1, Ordering::Relaxed) {
        0 => Err(tf::Error::not_found("failing", "nothing")),
        1 => panic!("on purpose"),
        _ => Ok(x * 2.0),
    }
}

static RUNS_OF_FAILING: AtomicUsize = AtomicUsize::new(0);

#[test]
fn a_trace_that_fails() {
    let barrier = Barrier::new(4);
    let results: Vec<Option<f32>> = scope(|threads| {
        let call = || {
            barrier.wait();
            failing(&tf::constant(3.0)).ok().map(|y| y.item::<f32>())
        };
        let calls: Vec<_> = (0..4).map(|_| threads.spawn(call)).collect();
        calls.into_iter().map(|call| call.join().unwrap_or(None)).collect()
    });
    assert_eq!(results.iter().filter(|r| **r == Some(6.0)).count(), 2, "{results:?}");
    assert_eq!(tf::function(failing).trace_count(), 1);
}

thread_local! {
    /// Whether this thread is on the way to its meeting with the other one.
    static MEETS: Cell<bool> = const { Cell::new(false) };
}
static MEETING: Barrier = Barrier::new(2);

/// Both threads are in the middle of a trace.
fn meet() {
    if MEETS.replace(false) {
        MEETING.wait();
    }
}

/// Calls `pong` while it is traced, at once.
#[tf_function]
fn ping(x: &Tensor, deep: bool) -> Tensor {
    meet();
    let y = if deep { tf::init_scope(|| pong(&tf::constant(2.0), false)) } else { x * 1.0 };
    x + y
}

#[tf_function]
fn pong(x: &Tensor, deep: bool) -> Tensor {
    meet();
    let y = if deep { tf::init_scope(|| ping(&tf::constant(3.0), false)) } else { x * 2.0 };
    x * y
}

/// Each thread's trace calls the function that the other one traces, with the same arguments.
#[tf_function]
fn one(x: &Tensor) -> Tensor {
    let again = MEETS.get();
    meet();
    let y = if again { tf::init_scope(|| other(&tf::constant(2.0))) } else { x * 1.0 };
    x + y
}

#[tf_function]
fn other(x: &Tensor) -> Tensor {
    let again = MEETS.get();
    meet();
    let y = if again { tf::init_scope(|| one(&tf::constant(2.0))) } else { x * 2.0 };
    x + y
}

/// A function that calls itself while it is traced.
#[tf_function]
fn itself(x: &Tensor, again: &Shared) -> Tensor {
    let y = if MEETS.replace(false) { tf::init_scope(|| itself(&tf::constant(2.0), again)) } else { x * 3.0 };
    x + y
}

#[test]
fn traces_that_call_each_other() {
    let began = std::time::Instant::now();
    let both = |a: fn() -> Tensor, b: fn() -> Tensor| {
        let run = |call: fn() -> Tensor| {
            MEETS.set(true);
            call().item::<f32>()
        };
        scope(|threads| {
            let (a, b) = (threads.spawn(move || run(a)), threads.spawn(move || run(b)));
            [a.join().unwrap(), b.join().unwrap()]
        })
    };
    // pong(2, false) is 8, ping(3, false) is 6.
    assert_eq!(both(|| ping(&tf::constant(1.0), true), || pong(&tf::constant(1.0), true)), [9.0, 6.0]);
    // other(2) is 6 and one(2) is 4 where they are traced inside; or what the other thread's trace gives, if that is over.
    let [a, b] = both(|| one(&tf::constant(2.0)), || other(&tf::constant(2.0)));
    assert!([8.0, 12.0].contains(&a) && [6.0, 10.0].contains(&b), "{a} {b}");
    MEETS.set(true);
    let barrier: &'static Barrier = Box::leak(Box::new(Barrier::new(1)));
    assert_eq!(itself(&tf::constant(2.0), &Shared(barrier)).item::<f32>(), 10.0);
    // A wait would have ended by patience alone.
    assert!(began.elapsed() < Duration::from_secs(9), "{:?}", began.elapsed());
}
