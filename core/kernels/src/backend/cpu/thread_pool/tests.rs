//! Tests of the thread pool: every chunk exactly once and in order of phases, from several threads, with panics and nesting.
//! The settings are the process's, but results must not depend on them, so other tests may run at the same time.

use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

use super::*;

/// A small generator of pseudo-random numbers, so that failures repeat.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n
    }
}

/// One job of random phases, chunks and lengths; panics in a chunk now and then.
fn job(dice: &mut Dice) {
    let phases: Vec<usize> = (0..dice.below(4)).map(|_| dice.below(9)).collect();
    let hits: Vec<Vec<AtomicU32>> = phases.iter().map(|&n| (0..n).map(|_| AtomicU32::new(0)).collect()).collect();
    let (length, nested) = (dice.below(200), dice.below(50) == 0);
    let bomb = (dice.below(100), dice.below(9));
    let result = catch_unwind(AssertUnwindSafe(|| {
        run(&phases, &|phase, chunk| {
            assert_eq!(hits[phase][chunk].fetch_add(1, Relaxed), 0);
            assert!(hits[..phase].iter().flatten().all(|h| h.load(Relaxed) == 1), "an earlier phase is not finished");
            for _ in 0..length * (chunk % 3) {
                spin_loop();
            }
            if (phase, chunk) == bomb {
                panic_any("bomb");
            }
            if nested {
                let inner = AtomicUsize::new(0);
                run(&[3, 2], &|_, _| {
                    inner.fetch_add(1, Relaxed);
                });
                assert_eq!(inner.load(Relaxed), 5);
            }
        });
    }));
    let counts = || hits.iter().flatten().map(|h| h.load(Relaxed));
    match result {
        Ok(()) => assert!(counts().all(|n| n == 1)),
        Err(payload) => {
            assert_eq!(payload.downcast_ref(), Some(&"bomb"));
            assert!(bomb.1 < phases[bomb.0] && counts().all(|n| n <= 1));
        }
    }
}

#[test]
fn every_chunk_runs_once_and_phases_keep_their_order() {
    // A panic that is meant need not be printed; others still fail the test.
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if info.payload().downcast_ref() != Some(&"bomb") {
            before(info);
        }
    }));
    let rounds = if cfg!(miri) { 50 } else { 10_000 };
    thread::scope(|s| {
        for seed in 0..4 {
            s.spawn(move || {
                let mut dice = Dice(seed);
                for i in 0..rounds {
                    if i % 1000 == 0 {
                        set_threads([1, 2, 3, 4, 5, 9, 17][dice.below(7)]);
                        wake();
                    }
                    job(&mut dice);
                }
            });
        }
    });
    set_threads(0);
}

#[test]
fn the_work_of_one_chunk_reaches_the_next_phase() {
    let mut left = vec![0_u64; 64];
    let mut right = vec![0_u64; 64];
    struct Ends(*mut u64, *mut u64);
    // SAFETY: chunks write elements of their own, and read only what the phase before wrote.
    unsafe impl Sync for Ends {}
    for round in 1..=500_u64 {
        let ends = Ends(left.as_mut_ptr(), right.as_mut_ptr());
        run(&[64, 64], &|phase, i| {
            let ends = &ends;
            // SAFETY: see above; the indices are below 64.
            unsafe { if phase == 0 { *ends.0.add(i) = round + i as u64 } else { *ends.1.add(i) = *ends.0.add(63 - i) } }
        });
        assert!(right.iter().enumerate().all(|(i, &x)| x == round + 63 - i as u64));
    }
}

#[test]
fn no_phases_and_no_chunks_are_no_work() {
    run(&[], &|_, _| unreachable!());
    run(&[0, 0], &|_, _| unreachable!());
}

/// Where every thread must see every chunk, all of them are woken, though there are more of them than cores.
#[test]
fn many_threads_share_a_job() {
    if cfg!(miri) {
        return;
    }
    let seen = Mutex::new(std::collections::HashSet::new());
    let begin = std::time::Instant::now();
    // Others may set the number of threads meanwhile, or hold the pool.
    while lock(&seen).len() < 12 && begin.elapsed().as_secs() < 60 {
        set_threads(16);
        run(&[64], &|_, _| {
            lock(&seen).insert(thread::current().id());
            thread::sleep(std::time::Duration::from_millis(1));
        });
    }
    assert!(lock(&seen).len() >= 12, "{} threads took part", lock(&seen).len());
    set_threads(0);
}

#[test]
fn few_long_chunks_are_shared_though_workers_park_between_jobs() {
    if cfg!(miri) {
        return;
    }
    let begin = std::time::Instant::now();
    let mut shared = false;
    // The caller knows after its first chunk that one more thread pays; then one is left, and whoever wakes finds nothing.
    while !shared && begin.elapsed().as_secs() < 60 {
        set_threads(2);
        let seen = Mutex::new(std::collections::HashSet::new());
        run(&[2], &|_, _| {
            lock(&seen).insert(thread::current().id());
            thread::sleep(std::time::Duration::from_millis(3));
        });
        shared = lock(&seen).len() == 2;
    }
    assert!(shared, "every job was done by its caller alone");
    set_threads(0);
}

#[test]
fn chunks_are_timed_one_by_one_and_handed_out_as_the_pool_does() {
    let (sum, phases) = observe::observe(|| {
        let sum = AtomicUsize::new(0);
        run(&[3, 1, 0, 5], &|phase, chunk| {
            // A job within a chunk is a part of it.
            run(&[2], &|_, _| {});
            sum.fetch_add(10 * phase + chunk, Relaxed);
        });
        sum.into_inner()
    });
    assert_eq!(sum, 3 + 10 + 30 * 5 + 10);
    assert_eq!(phases.iter().map(|phase| phase.0.len()).collect::<Vec<_>>(), [3, 5]);
    let phase = observe::Phase([4, 1, 1, 1, 1].map(std::time::Duration::from_secs).to_vec());
    assert_eq!([1, 2, 3, 16].map(|threads| phase.shared(threads).as_secs()), [8, 4, 4, 4]);
    assert_eq!(phase.alone().as_secs(), 8);
}
