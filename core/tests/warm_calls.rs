//! A warmed call of a planned graph allocates nothing beyond its outputs: counted by the allocator of this process.
//! Small outputs come from the thread's list of blocks and large ones from the caching allocator, so warmed calls ask the
//! system for nothing at all.

use eagerflow as tf;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use tf::__measure::Recorded;
use tf::{GradientTape, Tensor, Variable};

struct Counting;

thread_local! {
    /// Of this thread alone: the one that waits for the test to end allocates when it begins to wait.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: everything is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.set(ASKED.get() + 1);
        // SAFETY: the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the same contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// How often the system is asked for memory by ten warmed calls.
fn asked(recorded: &Recorded, inputs: &[&Tensor]) -> usize {
    (0..5).for_each(|_| drop(recorded.call(inputs).unwrap()));
    let before = ASKED.get();
    (0..10).for_each(|_| drop(recorded.call(inputs).unwrap()));
    ASKED.get() - before
}

/// One test, because tests of one process would count each other's allocations.
#[test]
fn warmed_calls_allocate_nothing() {
    // The thread pool's workers allocate when they start.
    tf::config::set_threads(1);
    let x = tf::ones([2000]);
    let y = &x * 3.0 + 2.0;
    let (w, b) = (Variable::new(5.0), Variable::new(0.0));
    let add = Recorded::new(&[&x, &y], |p| vec![&p[0] + &p[1]]).unwrap();
    assert_eq!(asked(&add, &[&x, &y]), 0, "one operation");
    let step = Recorded::new(&[&x, &y], |p| {
        let tape = GradientTape::new();
        let loss = tf::reduce_mean((&p[1] - (&w * &p[0] + &b)).square(), ());
        let (dw, db) = tape.gradient(&loss, (&w, &b));
        w.assign_sub(dw * 0.01);
        b.assign_sub(db * 0.01);
        vec![loss]
    })
    .unwrap();
    assert_eq!(asked(&step, &[&x, &y]), 0, "a step of training");
    let rows = tf::ones([64, 100]);
    let kernel = Variable::new(tf::ones([100, 50]) * 0.01);
    let network = Recorded::new(&[&rows], |p| {
        let tape = GradientTape::new();
        let h = tf::softmax(&tf::relu(tf::matmul(&p[0], &kernel)), -1);
        let loss = tf::reduce_sum(&(&h * &h), ());
        kernel.assign_sub(tape.gradient(&loss, &kernel) * 0.1);
        vec![loss, h]
    })
    .unwrap();
    // The list of two results is the one thing that is asked for.
    assert_eq!(asked(&network, &[&rows]), 10, "a layer");
    let (start, rounds) = (tf::constant(0.5), tf::constant(50));
    let repeated = Recorded::new(&[&start, &rounds], |p| {
        let zero = tf::constant(0);
        tf::__measure::repeat_while(
            &[&zero, &p[0], &p[1]],
            |v| tf::less(&v[0], &v[2]),
            |v| vec![&v[0] + 1, &v[1] * 0.999 + 0.001, v[2].clone()],
        )
    })
    .unwrap();
    // A loop over numbers runs in registers; again only the list of results is asked for.
    assert_eq!(asked(&repeated, &[&start, &rounds]), 10, "a loop");
    assert_eq!(repeated.call(&[&start, &rounds]).unwrap()[0].item::<i32>(), 50);
}
