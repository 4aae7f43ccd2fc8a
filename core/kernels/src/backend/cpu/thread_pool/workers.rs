//! The thread pool's workers: how they are started, spin, park and are woken, and when waking one is worth its price.
//! `thread_pool::run` asks the [`Alarm`] here; what a worker does with a job is `thread_pool::help`.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use super::placement::{self, ThreadId};
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
/// How long a worker that was woken may take to begin before it is sent to another processor. On an idle one nine of ten begin within 22 us
/// (two virtual processors of Zen 3).
const OVERDUE: Duration = Duration::from_micros(100);

struct Worker {
    /// Set by the worker, cleared by whoever wakes it.
    parked: AtomicBool,
    /// Set by whoever wakes it, cleared by the worker when it begins, or by whoever has sent it to another processor before that.
    called: AtomicBool,
    /// Known once it has begun for the first time.
    id: OnceLock<ThreadId>,
    /// The processor on which it began last; it may have been moved since. [`NOWHERE`] if it is not known.
    processor: AtomicUsize,
    /// The processor of whoever woke it last.
    waker: AtomicUsize,
}

/// No processor's number.
const NOWHERE: usize = usize::MAX;

/// Workers that are not parked.
static AWAKE: Padded<AtomicUsize> = Padded(AtomicUsize::new(0));
/// Workers whose `called` is set.
static CALLED: Padded<AtomicUsize> = Padded(AtomicUsize::new(0));
/// When the last one was called, in microseconds since [`BEGIN`]. Jobs may have so few chunks that none sees it become overdue alone.
static LAST_CALL: AtomicU64 = AtomicU64::new(0);
static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
/// Workers that should be awake: each one that wakes wakes two more until they are, so that sixteen are after four such steps. The first
/// to run out of work takes the wish back, or workers that wake while others fall asleep would keep each other awake for nothing.
static WANTED: AtomicUsize = AtomicUsize::new(0);
/// Time worked alone lately, and when that ended.
static ALONE: Mutex<Option<(Duration, Instant)>> = Mutex::new(None);
static ROSTER: Mutex<Roster> = Mutex::new(Vec::new());

type Roster = Vec<(Arc<Worker>, thread::Thread)>;

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
    /// Whether it woke one.
    woke: bool,
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
        Self { wanted, since, woke: false }
    }

    /// Called with chunks left to share.
    #[inline]
    pub(super) fn check(&mut self) {
        if let Some(since) = self.since
            && since.elapsed() >= WAKE_AFTER
        {
            (self.since, self.woke) = (None, true);
            *lock(&ALONE) = None;
            wake_one(self.wanted);
        }
        await_called();
    }

    /// Called at the end of the job.
    #[inline]
    pub(super) fn remember(&self) {
        if self.woke {
            // The next job may wake at once: of one with few long chunks nothing is left for a worker that begins, and it has parked before the next.
            *lock(&ALONE) = Some((WAKE_AFTER, Instant::now()));
        } else if let Some(since) = self.since {
            *lock(&ALONE) = Some((since.elapsed(), Instant::now()));
        }
    }
}

/// Sends workers away that were called and have not begun for [`OVERDUE`]: they may wait for the very processor that asks.
#[inline]
fn await_called() {
    #[cold]
    fn send_overdue() {
        let Some(processor) = placement::processor() else { return };
        if u128::from(micros().saturating_sub(LAST_CALL.load(Relaxed))) < OVERDUE.as_micros() {
            return;
        }
        let roster = lock(&ROSTER);
        for (worker, _) in roster.iter().filter(|(worker, _)| worker.id.get().is_some() && worker.was_called()) {
            worker.send_away(&roster, Some(processor));
        }
        let starting = roster.iter().any(|(worker, _)| worker.called.load(Relaxed) && worker.id.get().is_none());
        drop(roster);
        if starting {
            // A new thread sends itself away, for which it needs this processor for a moment.
            thread::yield_now();
        }
    }
    if CALLED.0.load(Relaxed) > 0 {
        send_overdue();
    }
}

/// Time since [`BEGIN`].
fn micros() -> u64 {
    BEGIN.elapsed().as_micros() as u64
}

impl Worker {
    fn new() -> Self {
        let [processor, waker] = [(); 2].map(|()| AtomicUsize::new(NOWHERE));
        Self { parked: AtomicBool::new(false), called: AtomicBool::new(false), id: OnceLock::new(), processor, waker }
    }

    /// To be said before it is woken.
    fn call(&self) {
        AWAKE.0.fetch_add(1, Relaxed);
        self.waker.store(placement::processor().unwrap_or(NOWHERE), Relaxed);
        LAST_CALL.store(micros(), Relaxed);
        CALLED.0.fetch_add(1, Relaxed);
        self.called.store(true, Relaxed);
    }

    /// Whether it was called. It no longer is then: only one thread gets this answer.
    fn was_called(&self) -> bool {
        let called = self.called.load(Relaxed) && self.called.swap(false, Relaxed);
        if called {
            CALLED.0.fetch_sub(1, Relaxed);
        }
        called
    }

    /// Sends it, with the roster locked so that nobody else does, to a processor that neither `other` is nor, as far as is known, any worker that has begun is on.
    fn send_away(&self, roster: &Roster, other: Option<usize>) {
        let Some(&id) = self.id.get() else { return };
        let others = roster.iter().map(|(worker, _)| &**worker).filter(|&worker| !std::ptr::eq(worker, self));
        let awake = others.filter(|worker| !worker.parked.load(Relaxed) && !worker.called.load(Relaxed));
        placement::send_away(id, awake.map(|worker| worker.processor.load(Relaxed)).chain(other));
    }

    /// What a worker does first when it was woken: where its waker is, it would only take turns with it.
    fn begin(&self) {
        if self.was_called() {
            let processor = placement::processor();
            if processor == Some(self.waker.load(Relaxed)) {
                self.send_away(&lock(&ROSTER), processor);
            }
        }
        self.processor.store(placement::processor().unwrap_or(NOWHERE), Relaxed);
    }
}

/// Wakes or starts one worker, which in turn wakes others until `wanted` are awake.
#[cold]
fn wake_one(wanted: usize) {
    WANTED.store(wanted, Relaxed);
    let mut roster = lock(&ROSTER);
    for (worker, thread) in roster.iter().take(wanted) {
        if worker.parked.swap(false, Relaxed) {
            worker.call();
            thread.unpark();
            return;
        }
    }
    let index = roster.len();
    if index < wanted {
        let worker = Arc::new(Worker::new());
        let builder = thread::Builder::new().name(format!("eagerflow-worker-{}", index + 1));
        worker.call();
        let served = worker.clone();
        match builder.spawn(move || serve(index, &served)) {
            Ok(handle) => roster.push((worker, handle.thread().clone())),
            // If the system refuses a thread, the work is done by fewer.
            Err(_) => {
                worker.was_called();
                AWAKE.0.fetch_sub(1, Relaxed);
            }
        }
    }
}

/// A worker's life: help, look for more, park.
fn serve(index: usize, me: &Worker) {
    if let Some(id) = ThreadId::current() {
        let _ = me.id.set(id);
    }
    loop {
        me.begin();
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
