//! The thread pool's workers: how they are started, spin, park and are woken, and when waking one is worth its price.
//! `thread_pool::run` asks the [`Alarm`] here; what a worker does with a job is `thread_pool::help`.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::{Padded, help, is_work_left, lock, threads};

/// How long a worker looks for the next job without leaving its core to others.
const SPIN: Duration = Duration::from_micros(50);
/// How long it goes on looking, and lets others have its core in between, before it parks. A step of a recurrent network has
/// 50 to 100 us of work for one thread between its products, and waking takes as long as such a product.
const LINGER: Duration = Duration::from_millis(1);
/// Waking a thread costs the caller 3 to 8 us. So it first works alone for as long, in this job or in those just
/// before; only then, with chunks left to share, the wake has earned its price.
const WAKE_AFTER: Duration = Duration::from_micros(6);
/// Solitary work longer ago than this no longer counts towards waking.
const FORGET: Duration = Duration::from_micros(200);

struct Worker {
    /// Set by the worker, cleared by whoever wakes it.
    parked: AtomicBool,
}

/// Workers that are not parked.
static AWAKE: Padded<AtomicUsize> = Padded(AtomicUsize::new(0));
/// Workers that should be awake: each one that wakes wakes two more until they are, so that sixteen are after four such steps. The first
/// to run out of work takes the wish back, or workers that wake while others fall asleep would keep each other awake for nothing.
static WANTED: AtomicUsize = AtomicUsize::new(0);
/// Time worked alone lately, and when that ended.
static ALONE: Mutex<Option<(Duration, Instant)>> = Mutex::new(None);
static ROSTER: Mutex<Vec<(Arc<Worker>, thread::Thread)>> = Mutex::new(Vec::new());

/// Wakes workers until `wanted` are awake.
#[inline]
pub(super) fn wake(wanted: usize) {
    if AWAKE.0.load(Relaxed) < wanted {
        wake_one(wanted);
    }
}

/// Decides when sleeping workers are worth waking: see [`WAKE_AFTER`].
pub(super) struct Alarm {
    wanted: usize,
    /// Since when the caller has been working alone, set back by what it did alone just before; none if it is not.
    since: Option<Instant>,
}

impl Alarm {
    pub(super) fn new(wanted: usize) -> Self {
        let since = (AWAKE.0.load(Relaxed) < wanted).then(|| {
            let now = Instant::now();
            match *lock(&ALONE) {
                Some((time, end)) if now.duration_since(end) < FORGET => now.checked_sub(time).unwrap_or(now),
                _ => now,
            }
        });
        Self { wanted, since }
    }

    /// Called with chunks left to share.
    #[inline]
    pub(super) fn check(&mut self) {
        if let Some(since) = self.since
            && since.elapsed() >= WAKE_AFTER
        {
            self.since = None;
            *lock(&ALONE) = None;
            wake_one(self.wanted);
        }
    }

    /// Called at the end of the job.
    #[inline]
    pub(super) fn remember(&self) {
        if let Some(since) = self.since {
            *lock(&ALONE) = Some((since.elapsed(), Instant::now()));
        }
    }
}

/// Wakes or starts one worker, which in turn wakes others until `wanted` are awake.
#[cold]
fn wake_one(wanted: usize) {
    WANTED.store(wanted, Relaxed);
    let mut roster = lock(&ROSTER);
    for (worker, thread) in roster.iter().take(wanted) {
        if worker.parked.swap(false, Relaxed) {
            AWAKE.0.fetch_add(1, Relaxed);
            thread.unpark();
            return;
        }
    }
    let index = roster.len();
    if index < wanted {
        let worker = Arc::new(Worker { parked: AtomicBool::new(false) });
        let builder = thread::Builder::new().name(format!("eagerflow-worker-{}", index + 1));
        // If the system refuses a thread, the work is done by fewer.
        if let Ok(handle) = builder.spawn({
            let worker = worker.clone();
            move || serve(index, &worker)
        }) {
            AWAKE.0.fetch_add(1, Relaxed);
            roster.push((worker, handle.thread().clone()));
        }
    }
}

/// A worker's life: help, look for more, park.
fn serve(index: usize, me: &Worker) {
    loop {
        for _ in 0..2 {
            // The threads may have been set to fewer since these were wanted.
            wake(WANTED.load(Relaxed).min(threads() - 1));
        }
        let mut idle = Instant::now();
        while index + 1 < threads() {
            if help() {
                idle = Instant::now();
            }
            for _ in 0..16 {
                spin_loop();
                if is_work_left() {
                    break;
                }
            }
            let idle = idle.elapsed();
            if idle > LINGER {
                WANTED.store(0, Relaxed);
                break;
            }
            if idle > SPIN {
                thread::yield_now();
            }
        }
        me.parked.store(true, Relaxed);
        AWAKE.0.fetch_sub(1, Relaxed);
        // A wake that is missed here costs nothing but time: the caller does the work itself.
        while me.parked.load(Relaxed) {
            thread::park();
        }
    }
}
