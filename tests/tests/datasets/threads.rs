//! Threads of data sets: they end with the iterator, their panics are errors of the pass, and several may share a data set.
//! Random numbers do not depend on how many there are.

use eagerflow::{self as tf, Tensor};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tf::data::{AUTOTUNE, Dataset, Parallel, Shuffle};

/// How many threads run whose names begin with these words.
fn running(name: &str) -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let named = |task: &std::fs::DirEntry| {
        std::fs::read_to_string(task.path().join("comm")).is_ok_and(|comm| comm.starts_with(name))
    };
    tasks.filter_map(Result::ok).filter(named).count()
}

#[test]
fn a_dropped_iterator_has_ended_its_threads() {
    let alive = Arc::new(AtomicUsize::new(0));
    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    let own = alive.clone();
    // The generator lives as long as the pass, which a thread holds.
    let numbers = Dataset::from_generator(move || {
        own.fetch_add(1, Ordering::SeqCst);
        let counted = Counted(own.clone());
        (0..).map(move |n: i32| {
            let _ = &counted;
            tf::constant(n)
        })
    });
    for set in [numbers.prefetch(4), numbers.map_with(3, |n| n + 1), numbers.map_with(2, |n| n).prefetch(AUTOTUNE)] {
        let mut iterator = set.iter();
        assert!(iterator.next().is_some());
        drop(iterator);
        assert_eq!(alive.load(Ordering::SeqCst), 0);
    }
}

#[test]
fn buffers_are_bounded() {
    let made = Arc::new(AtomicUsize::new(0));
    let own = made.clone();
    let counted = Dataset::counter(0, 1).map(move |n| {
        own.fetch_add(1, Ordering::SeqCst);
        n
    });
    let mut iterator = counted.prefetch(5).iter();
    iterator.next();
    let began = Instant::now();
    while made.load(Ordering::SeqCst) < 6 && began.elapsed() < Duration::from_secs(20) {
        std::thread::yield_now();
    }
    std::thread::sleep(Duration::from_millis(30));
    // One was given, five wait.
    assert_eq!(made.load(Ordering::SeqCst), 6);
}

#[test]
fn a_panic_of_a_function_is_an_error_of_its_element() {
    let odd = |n: Tensor| match n.item::<i64>() {
        3 => panic!("three is not wanted"),
        _ => n,
    };
    for set in [Dataset::range(6).map(odd), Dataset::range(6).map_with(2, odd), Dataset::range(6).map(odd).prefetch(2)]
    {
        let mut iterator = set.iter();
        let all: Vec<tf::Result<i64>> =
            std::iter::from_fn(|| iterator.try_next().transpose()).map(|n| n.map(|n| n.item::<i64>())).collect();
        assert_eq!(all.len(), 6);
        let error = all[3].as_ref().unwrap_err().to_string();
        assert!(error.contains("three is not wanted") && error.contains("threads.rs"), "{error}");
        assert!(all.iter().enumerate().all(|(at, n)| at == 3 || *n.as_ref().unwrap() == at as i64));
    }
}

#[test]
fn results_come_in_order_or_as_they_are_ready() {
    // The first element waits for so many others, which a second thread computes.
    let slow_first = |wanted: usize| {
        let others = AtomicUsize::new(0);
        move |n: Tensor| {
            match n.item::<i64>() {
                0 => {
                    let began = Instant::now();
                    while others.load(Ordering::SeqCst) < wanted && began.elapsed() < Duration::from_secs(20) {
                        std::thread::yield_now();
                    }
                }
                _ => drop(others.fetch_add(1, Ordering::SeqCst)),
            }
            n
        }
    };
    let list = |set: Dataset| set.iter().map(|n| n.item::<i64>()).collect::<Vec<_>>();
    assert!(list(Dataset::range(40).map_with(2, slow_first(3))).into_iter().eq(0..40));
    // Four places: six others are only computed once some of them were given.
    let mut free = list(Dataset::range(40).map_with(Parallel::calls(2).deterministic(false), slow_first(6)));
    assert_ne!(free[0], 0);
    free.sort_unstable();
    assert!(free.into_iter().eq(0..40));
}

/// Whatever is chosen, the results are those of one call after the other; slow functions do get threads.
#[test]
fn autotune_gives_the_same_elements() {
    let seen = Arc::new(std::sync::Mutex::new(std::collections::HashSet::new()));
    for slow in [false, true] {
        let own = seen.clone();
        let set = Dataset::range(120).map_with(AUTOTUNE, move |n| {
            if slow {
                own.lock().unwrap().insert(std::thread::current().id());
                std::thread::sleep(Duration::from_micros(300));
            }
            n * 2
        });
        assert!(set.iter().map(|n| n.item::<i64>()).eq((0..120).map(|n| 2 * n)));
    }
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1) {
        assert!(seen.lock().unwrap().len() > 1);
    }
}

#[test]
fn random_numbers_follow_from_the_element() {
    let noise = |n: Tensor| (n, tf::random::normal([3], 0.0, 1.0));
    #[tf::tf_function]
    fn traced() -> Tensor {
        tf::random::uniform([2], 0.0, 1.0)
    }
    let traced_noise = |n: Tensor| (n, traced());
    let list = |set: Dataset<(Tensor, Tensor)>| set.iter().map(|(_, x)| x.to_vec::<f32>()).collect::<Vec<_>>();
    let build = |threads: Option<usize>, traced: bool| {
        let numbers = Dataset::range(30).shuffle(Shuffle::whole().seed(1));
        match (threads, traced) {
            (None, false) => numbers.map(noise),
            (None, true) => numbers.map(traced_noise),
            (Some(threads), false) => numbers.map_with(threads, noise),
            (Some(threads), true) => numbers.map_with(threads, traced_noise),
        }
    };
    for traced in [false, true] {
        let serial = build(None, traced);
        let (first, second) = (list(serial.clone()), list(serial));
        assert_ne!(first, second, "each pass has numbers of its own");
        assert!(first.iter().all(|x| first.iter().filter(|other| *other == x).count() == 1));
    }
}

#[test]
fn parallel_passes_draw_the_numbers_of_serial_ones() {
    let noise = |n: Tensor| (n, tf::random::normal([3], 0.0, 1.0));
    let list = |set: Dataset<(Tensor, Tensor)>| set.iter().map(|(_, x)| x.to_vec::<f32>()).collect::<Vec<_>>();
    let serial = Dataset::range(30).map_with(Parallel::in_turn().seed(5), noise);
    let parallel = Dataset::range(30).map_with(Parallel::calls(3).seed(5), noise);
    assert_eq!(list(serial.clone()), list(parallel.clone()));
    assert_eq!(list(serial), list(parallel), "the second passes, too");
}

#[test]
fn several_threads_share_a_data_set() {
    let set = Dataset::range(200).shuffle(50).map_with(2, |n| n * 2).batch(7).prefetch(2);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                let set = set.clone();
                scope.spawn(move || set.iter().flat_map(|batch| batch.to_vec::<i64>()).sum::<i64>())
            })
            .collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), 2 * 199 * 100);
        }
    });
}

#[test]
fn nothing_is_left_after_many_passes() {
    let set = Dataset::range(64).map_with(2, |n| n.cast(tf::float32) + tf::ones([100])).batch(8).prefetch(2);
    for _ in 0..50 {
        let mut iterator = set.iter();
        iterator.next();
    }
    // Threads of other tests may run; none of these fifty passes.
    assert!(running("tf-data-") < 40, "{}", running("tf-data-"));
}
