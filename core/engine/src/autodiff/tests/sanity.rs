//! Tapes that are dropped in any order, used on several threads, or left by a panic; and what they hold in memory.

use super::{grad, item};
use crate as tf;
use crate::tensor::local::{LOCAL, mode};
use crate::{ForwardAccumulator, GradientTape, Tensor, Variable, custom_gradient};
use kernels::memory::pool;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn observed() -> bool {
    LOCAL.with(|local| local.has(mode::TAPE | mode::FORWARD))
}

#[test]
fn tapes_end_in_any_order() {
    let x = tf::constant(3.0);
    let mut tapes: Vec<GradientTape> = (0..4).map(|_| GradientTape::new()).collect();
    tapes.iter_mut().for_each(|tape| tape.watch(&x));
    let y = &x * &x;
    // The outermost first, then the innermost, then those between.
    assert_eq!(item(&tapes.remove(0).gradient(&y, &x)), 6.0);
    drop(tapes.pop());
    let z = &y * &x;
    assert_eq!(item(&tapes.remove(0).gradient(&z, &x)), 27.0);
    assert!(observed());
    assert_eq!(item(&tapes.remove(0).gradient(&z, &x)), 27.0);
    assert!(!observed());
}

#[test]
fn a_guard_that_outlives_its_tape_pauses_no_other() {
    let x = tf::constant(3.0);
    let mut first = GradientTape::new();
    first.watch(&x);
    let y = &x * &x;
    let guard = first.stop_recording();
    assert_eq!(item(&first.gradient(&y, &x)), 6.0);
    let mut second = GradientTape::new();
    second.watch(&x);
    let mut third = GradientTape::new();
    third.watch(&x);
    drop(guard);
    let y = &x * &x * &x;
    assert_eq!(item(&second.gradient(&y, &x)), 27.0);
    assert_eq!(item(&third.gradient(&y, &x)), 27.0);
}

#[test]
fn threads_have_tapes_of_their_own() {
    let v = Variable::new(2.0);
    let shared = tf::constant(5.0);
    let tape = GradientTape::new();
    let y = &v * 3.0;
    std::thread::scope(|scope| {
        for i in 0..4 {
            let (v, shared) = (&v, &shared);
            scope.spawn(move || {
                assert!(!observed());
                for _ in 0..50 {
                    let mut tape = GradientTape::new();
                    tape.watch(shared);
                    let y = v * v * shared + i as f64;
                    let (dv, ds) = tape.gradient(&y, (v, shared));
                    assert_eq!((item(&dv), item(&ds)), (20.0, 4.0));
                }
                // Left to the thread's end.
                std::mem::forget(GradientTape::new());
            });
        }
    });
    assert_eq!(item(&tape.gradient(&y, &v)), 3.0);
}

thread_local! {
    static KEPT: std::cell::RefCell<Option<(GradientTape, ForwardAccumulator)>> = const { std::cell::RefCell::new(None) };
}

#[test]
fn a_tape_in_a_thread_local_ends_with_its_thread() {
    let ended = std::thread::spawn(|| {
        KEPT.with_borrow_mut(|kept| {
            let x = tf::constant(1.0);
            let mut tape = GradientTape::new();
            tape.watch(&x);
            let forward = ForwardAccumulator::new(&x, &x);
            let _ = &x * &x;
            *kept = Some((tape, forward));
        });
    });
    assert!(ended.join().is_ok());
}

#[test]
fn a_panic_in_a_recorded_region_leaves_the_thread_sane() {
    let x = tf::constant([1.0, 2.0]);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let mut tape = GradientTape::persistent();
        tape.watch(&x);
        let _forward = ForwardAccumulator::new(&x, &x);
        let y = &x * &x;
        let _stop = tape.stop_recording();
        // Shapes that do not fit.
        &y + &tf::constant([1.0, 2.0, 3.0])
    }));
    assert!(panicked.is_err() && !observed());
    assert_eq!(grad(&x, |x| x * x).to_vec::<f32>(), [2.0, 4.0]);
}

#[custom_gradient]
fn breaks(x: &Tensor, when: bool) -> Tensor {
    (x * 2.0, move |dy: &Tensor| {
        assert!(!when, "the closure breaks");
        dy * 2.0
    })
}

#[test]
fn a_panic_in_a_gradient_rule_leaves_tapes_and_accumulators_as_they_were() {
    let x = tf::constant(3.0);
    let mut tape = GradientTape::persistent();
    tape.watch(&x);
    let good = breaks(&x, false);
    let bad = breaks(&good, true);
    assert!(catch_unwind(AssertUnwindSafe(|| tape.gradient(&bad, &x))).is_err());
    assert_eq!(item(&tape.gradient(&good, &x)), 2.0, "the entries are still there");
    drop(tape);
    let forward = ForwardAccumulator::new(&x, &tf::constant(1.0));
    assert!(catch_unwind(AssertUnwindSafe(|| breaks(&x, true))).is_err());
    assert_eq!(item(&forward.jvp(&(&x * 4.0)).unwrap()), 4.0);
    drop(forward);
    assert!(!observed());
}

#[custom_gradient]
fn measured(x: &Tensor, first: &std::rc::Rc<std::cell::Cell<usize>>) -> Tensor {
    let first = first.clone();
    (x * 1.0, move |dy: &Tensor| {
        first.set(pool::stats().in_use);
        dy.clone()
    })
}

#[test]
fn activations_are_freed_as_the_walk_goes() {
    const SIZE: usize = 8 << 20;
    const DEPTH: usize = 16;
    let x = tf::fill([SIZE / 4], 0.5);
    let chain = |at_end: &std::rc::Rc<std::cell::Cell<usize>>| {
        let mut y = measured(&x, at_end);
        for _ in 0..DEPTH {
            y = y.tanh();
        }
        y
    };
    let cell = || std::rc::Rc::new(std::cell::Cell::new(0));
    let before = pool::stats().in_use;
    let (once, kept) = (cell(), cell());
    let mut tape = GradientTape::new();
    tape.watch(&x);
    let y = tf::reduce_sum(chain(&once), ());
    let full = pool::stats().in_use;
    let _ = tape.gradient(&y, &x);
    let mut tape = GradientTape::persistent();
    tape.watch(&x);
    let y = tf::reduce_sum(chain(&kept), ());
    let _ = tape.gradient(&y, &x);
    drop(tape);
    // Other tests run beside this one, so the numbers are compared with room to spare.
    let held = |bytes: usize| bytes.saturating_sub(before) / SIZE;
    assert!(held(full) >= DEPTH - 2, "{} tensors recorded", held(full));
    assert!(held(once.get()) <= DEPTH / 2, "{} tensors left at the end of the walk", held(once.get()));
    assert!(held(kept.get()) >= DEPTH - 2, "a persistent tape keeps its {} tensors", held(kept.get()));
    assert!(held(pool::stats().in_use) <= DEPTH / 2, "all are freed with the tapes");
}
