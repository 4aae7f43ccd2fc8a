//! Traced functions from eight threads at once: the first trace raced for, values, gradients and variables.

use super::counted::alone;
use eagerflow as tf;
use std::sync::Barrier;
use std::thread;
use tf::{GradientTape, Tensor, TensorArray, Variable, tf_function};

const THREADS: usize = 8;

/// Handles and what is asked about functions go to other threads; the compiler checks it here.
#[test]
fn everything_is_send_and_sync() {
    fn check<T: Send + Sync>(_: &T) {}
    check(&tf::function(raced));
    check(&raced);
    check(&TensorArray::new(tf::DType::F32, 1));
}

#[tf_function]
fn raced(x: &Tensor, n: &Tensor) -> Tensor {
    let mut y = x.clone();
    for i in tf::range(0, n, 1) {
        if i % 3 == 1 {
            y = y * x + 1.0;
        } else {
            y = y.sin();
        }
    }
    y
}

fn with_gradient(x: &Tensor, n: &Tensor) -> (Vec<f32>, Vec<f32>) {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let y = raced(x, n);
    let dx = tape.gradient(&tf::reduce_sum(&y, ()), x);
    (y.to_vec(), dx.to_vec())
}

#[test]
fn the_first_trace_is_raced_for() {
    let _alone = alone();
    for round in 0..20 {
        tf::function(raced).clear();
        let made = tf::function(raced).trace_count();
        let barrier = Barrier::new(THREADS);
        let n = tf::constant(7);
        // Numbers run in registers, vectors by plans.
        let x = if round % 2 == 0 { tf::constant(0.75f32) } else { tf::fill([50], 0.75f32) };
        let want = tf::config::with_eager_functions(|| with_gradient(&x, &n));
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    barrier.wait();
                    let (y, dx) = with_gradient(&x, &n);
                    assert_eq!(y, want.0);
                    let close = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-5 * b.abs().max(1.0);
                    assert!(dx.iter().zip(&want.1).all(close), "{dx:?}, expected {:?}", want.1);
                });
            }
        });
        let traced = tf::function(raced).trace_count() - made;
        assert!((1..=THREADS).contains(&traced), "{traced} traces");
        with_gradient(&x, &n);
        assert_eq!(tf::function(raced).trace_count() - made, traced, "one of them serves later calls");
    }
}

#[tf_function]
fn counted(v: &Variable, total: &Variable, x: &Tensor) -> Tensor {
    v.assign_add(x);
    if tf::reduce_sum(x, ()) > 0.0 {
        total.assign_add(tf::constant(1));
    }
    v.value()
}

#[test]
fn variables_of_all_threads() {
    let _alone = alone();
    let (v, total) = (Variable::new(tf::zeros([300])), Variable::new(0));
    let one = tf::ones([300]);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..250 {
                    let seen = counted(&v, &total, &one).to_vec::<f32>();
                    assert!(seen.iter().all(|x| *x == seen[0]), "a torn read");
                }
            });
        }
    });
    assert!(v.value().to_vec::<f32>().iter().all(|x| *x == (THREADS * 250) as f32));
    assert_eq!(total.value().item::<i32>(), (THREADS * 250) as i32);
}

#[tf_function]
fn other_sizes(x: &Tensor, offset: i32) -> Tensor {
    let mut sum = tf::reduce_sum(x, ());
    while sum < 100.0 {
        sum = sum * 2.0 + offset as f32;
    }
    sum
}

#[test]
fn each_thread_its_own_signatures() {
    let _alone = alone();
    thread::scope(|scope| {
        for t in 0..THREADS {
            scope.spawn(move || {
                for i in 0..60 {
                    let (size, offset) = (2 + (i * (t + 1)) % 9, (t % 3) as i32);
                    let x = tf::ones([size]);
                    let want = tf::config::with_eager_functions(|| other_sizes(&x, offset).item::<f32>());
                    assert_eq!(other_sizes(&x, offset).item::<f32>(), want);
                }
            });
        }
    });
}
