//! The lock of a resource's value. A read takes a handle of the value and goes, which costs one atomic exchange; whoever works
//! on the value holds the lock longer, and those who wait for him sleep.

use super::Tensor;
use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A value behind a gate, which one thread at a time passes, and a queue in front of it.
///
/// Reads pass the gate without a look at the queue: it is shut for some nanoseconds then. All others hold the queue's mutex
/// while they hold the gate, so that there is never more than one of them that waits for the gate itself.
pub(crate) struct Guarded {
    shut: AtomicBool,
    queue: Mutex<()>,
    value: UnsafeCell<Tensor>,
}

// SAFETY: tensors are `Send + Sync`, and the value is only touched by the thread that shut the gate.
unsafe impl Sync for Guarded {}

/// The value, for as long as the gate is shut.
pub(crate) struct Guard<'a> {
    guarded: &'a Guarded,
    _queue: MutexGuard<'a, ()>,
}

/// Looks at the gate before the thread that shut it is taken to be asleep.
const SPINS: u32 = 100;

impl Guarded {
    pub fn new(value: Tensor) -> Self {
        Self { shut: AtomicBool::new(false), queue: Mutex::new(()), value: UnsafeCell::new(value) }
    }

    #[inline]
    fn shut(&self) -> bool {
        self.shut.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// A handle of the present value.
    #[inline]
    pub fn read(&self) -> Tensor {
        if !self.shut() {
            return self.lock().share();
        }
        // SAFETY: this thread shut the gate.
        let value = unsafe { (*self.value.get()).share() };
        self.shut.store(false, Ordering::Release);
        value
    }

    /// The value, to look at or to change. A panic of another thread in a kernel leaves the old value, which is sound.
    #[cold]
    pub fn lock(&self) -> Guard<'_> {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let mut looks = 0;
        // Only reads can be in the way.
        while !self.shut() {
            looks += 1;
            match looks < SPINS {
                true => std::hint::spin_loop(),
                false => std::thread::yield_now(),
            }
        }
        Guard { guarded: self, _queue: queue }
    }
}

impl Deref for Guard<'_> {
    type Target = Tensor;

    #[inline]
    fn deref(&self) -> &Tensor {
        // SAFETY: the guard's thread shut the gate.
        unsafe { &*self.guarded.value.get() }
    }
}

impl DerefMut for Guard<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Tensor {
        // SAFETY: as above, and the guard is borrowed exclusively.
        unsafe { &mut *self.guarded.value.get() }
    }
}

impl Drop for Guard<'_> {
    #[inline]
    fn drop(&mut self) {
        self.guarded.shut.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::Guarded;
    use crate as tf;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    #[test]
    fn reads_and_changes_of_many_threads_see_whole_values() {
        let guarded = Guarded::new(tf::zeros([8]));
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(|| {
                        for _ in 0..400 {
                            let mut value = guarded.lock();
                            *value = &*value + 1.0;
                        }
                    })
                })
                .collect();
            for _ in 0..3 {
                scope.spawn(|| {
                    let mut last = 0.0;
                    while !done.load(Ordering::Relaxed) {
                        let all = guarded.read().to_vec::<f32>();
                        assert!(all.iter().all(|&x| x == all[0] && x >= last), "{all:?} after {last}");
                        last = all[0];
                    }
                });
            }
            writers.into_iter().for_each(|writer| writer.join().unwrap());
            done.store(true, Ordering::Relaxed);
        });
        assert_eq!(guarded.read().to_vec::<f32>(), [1200.0; 8]);
    }

    #[test]
    fn a_read_waits_for_who_holds_the_value() {
        let guarded = Guarded::new(tf::constant(1.0f32));
        std::thread::scope(|scope| {
            let mut value = guarded.lock();
            let reader = scope.spawn(|| guarded.read().item::<f32>());
            std::thread::sleep(Duration::from_millis(20));
            assert!(!reader.is_finished());
            *value = tf::constant(2.0f32);
            drop(value);
            assert_eq!(reader.join().unwrap(), 2.0);
        });
    }

    #[test]
    fn a_panic_under_the_lock_lets_others_in() {
        let guarded = Guarded::new(tf::constant(1.0f32));
        let holder = || {
            let _value = guarded.lock();
            panic!("on purpose");
        };
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(holder)).is_err());
        assert_eq!((guarded.read().item::<f32>(), guarded.lock().item::<f32>()), (1.0, 1.0));
    }
}
