//! How long each chunk of a thread's jobs takes, when they run one after the other, and what more threads would make of it.
//! Benchmarks ask (`cargo bench --bench shapes -- --cuts`): a machine of two cores thereby shows where work for sixteen is cut badly.

use super::{BUSY, Task};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::time::{Duration, Instant};

/// Whether anybody observes.
static ON: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The phases of this thread's jobs since it began to observe; none while it does not, or inside of a chunk.
    static PHASES: RefCell<Option<Vec<Phase>>> = const { RefCell::new(None) };
}

/// What each chunk of a phase took.
#[derive(Clone, Debug)]
pub struct Phase(pub Vec<Duration>);

impl Phase {
    /// What its chunks take together.
    pub fn alone(&self) -> Duration {
        self.0.iter().sum()
    }

    /// What it takes `threads` threads that claim chunks as the pool's do, the caller from the low end, workers from the high end. Claims are
    /// free, and threads do not wait for each other's memory.
    pub fn shared(&self, threads: usize) -> Duration {
        let mut busy = vec![Duration::ZERO; threads.max(1)];
        let (mut low, mut high) = (0, self.0.len());
        while low < high {
            let free = (0..busy.len()).min_by_key(|&thread| busy[thread]).unwrap_or(0);
            let chunk = match free {
                0 => low,
                _ => high - 1,
            };
            busy[free] += self.0[chunk];
            match free {
                0 => low += 1,
                _ => high -= 1,
            }
        }
        busy.into_iter().max().unwrap_or_default()
    }
}

/// Calls `work` with this thread's jobs running one chunk after the other, cut as for as many threads as are set, and tells how long each
/// chunk took, phase by phase. Jobs of one chunk are not told.
///
/// Other threads work alone meanwhile; if one of them holds the pool, this waits until it is done.
pub fn observe<T>(work: impl FnOnce() -> T) -> (T, Vec<Phase>) {
    struct Held;
    impl Drop for Held {
        fn drop(&mut self) {
            ON.store(false, Relaxed);
            BUSY.0.store(false, Release);
        }
    }
    while BUSY.0.swap(true, Acquire) {
        std::thread::yield_now();
    }
    let held = Held;
    ON.store(true, Relaxed);
    PHASES.set(Some(Vec::new()));
    let result = work();
    let phases = PHASES.take().unwrap_or_default();
    drop(held);
    (result, phases)
}

#[inline]
pub(super) fn is_on() -> bool {
    ON.load(Relaxed)
}

/// Runs a job on this thread, and notes what its chunks take if this is the thread that observes. Jobs within chunks are part of them.
#[cold]
pub(super) fn alone(phases: &[usize], task: &Task<'_>) {
    let mut noted = PHASES.take();
    for (phase, &chunks) in phases.iter().enumerate() {
        let times = (0..chunks).map(|chunk| {
            let start = Instant::now();
            task(phase, chunk);
            start.elapsed()
        });
        let phase = Phase(times.collect());
        if let Some(noted) = noted.as_mut().filter(|_| chunks > 1) {
            noted.push(phase);
        }
    }
    PHASES.set(noted);
}
