//! Eight threads at once on tensors, variables and tapes, and handles that die on other threads than they were born on.
//! Run under valgrind or a thread sanitizer, this is where a race would show.

use eagerflow as tf;
use std::sync::mpsc;
use std::thread;
use tf::{GradientTape, Tensor, Variable};

const THREADS: usize = 8;

/// Handles go to other threads and are used from several at once; the compiler checks it here.
#[test]
fn handles_are_send_and_sync() {
    fn check<T: Send + Sync>() {}
    check::<Tensor>();
    check::<Variable>();
    check::<tf::Error>();
    check::<tf::Shape>();
    check::<tf::TensorType>();
    check::<tf::IndexedRows>();
}

#[test]
fn eight_threads_read_one_tensor() {
    let x = tf::reshape(tf::cast(tf::range(0, 120_000, 1), tf::DType::F32), [300, 400]);
    let want = tf::reduce_sum(tf::square(tf::transpose(&x, [])), 0).to_vec::<f32>();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(tf::reduce_sum(tf::square(tf::transpose(&x, [])), 0).to_vec::<f32>(), want);
                }
            });
        }
    });
}

#[test]
fn eight_threads_add_to_one_variable() {
    let v = Variable::new(vec![0.0f32; 1000]);
    let ones = tf::ones([1000]);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..250 {
                    v.assign_add(&ones);
                    // A reader sees one whole value, never half of an update.
                    let seen = v.value().to_vec::<f32>();
                    assert!(seen.iter().all(|x| *x == seen[0]), "a torn read");
                }
            });
        }
    });
    assert!(v.value().to_vec::<f32>().iter().all(|x| *x == (THREADS * 250) as f32));
}

#[test]
fn each_thread_has_its_own_tapes() {
    let w = Variable::new(3.0);
    thread::scope(|scope| {
        for t in 0..THREADS {
            let w = &w;
            scope.spawn(move || {
                for step in 0..200 {
                    let factor = (t * 1000 + step) as f32;
                    let tape = GradientTape::new();
                    let loss = w * w * factor;
                    assert_eq!(tape.gradient(&loss, w).item::<f32>(), 6.0 * factor);
                }
            });
        }
    });
}

#[test]
fn clones_may_die_anywhere() {
    let (send, receive) = mpsc::channel::<Tensor>();
    let consumer = thread::spawn(move || receive.into_iter().map(|t| f64::from(t.to_vec::<f32>()[0])).sum::<f64>());
    let makers: Vec<_> = (0..THREADS)
        .map(|t| {
            let send = send.clone();
            thread::spawn(move || {
                // Sizes below and above the limit of inline elements, pooled and large buffers, and views of them.
                for (i, size) in [1usize, 60, 70, 1000, 50_000, 300_000].into_iter().cycle().take(60).enumerate() {
                    let x = tf::fill([size], (t + i) as f32);
                    let view = tf::slice(&x, [(size / 2) as isize], [1]);
                    send.send(view).expect("the consumer lives");
                    send.send(x.clone()).expect("the consumer lives");
                }
            })
        })
        .collect();
    drop(send);
    for maker in makers {
        maker.join().expect("no maker panics");
    }
    let each: f64 = (0..THREADS).map(|t| (0..60).map(|i| 2.0 * (t + i) as f64).sum::<f64>()).sum();
    assert_eq!(consumer.join().expect("the consumer does not panic"), each);
}

#[test]
fn gradients_of_one_large_model_on_all_threads() {
    let w = tf::fill([256, 256], 0.01f32);
    let x = tf::ones([64, 256]);
    let step = || {
        let mut tape = GradientTape::new();
        tape.watch(&w);
        let loss = tf::reduce_sum(tf::tanh(tf::matmul(&x, &w)), ());
        tape.gradient(&loss, &w).to_vec::<f32>()
    };
    let want = step();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..5).for_each(|_| assert_eq!(step(), want)));
        }
    });
}
