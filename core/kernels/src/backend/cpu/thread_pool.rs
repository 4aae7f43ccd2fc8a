//! The thread pool: threads that spin for a moment and then park, and share out the chunks of one job after the other.
//! Kernels' callers (`execute`, the plan runner) hand their chunks to [`run`], because waking a pool costs more than
//! most kernels.
//!
//! The protocol, in full. A job's current phase is a pair `low..high` of unclaimed chunks packed in one atomic word.
//! The caller claims from the low end and workers from the high end, by compare-and-swap, so that repeated jobs over the
//! same buffers find their part in the same core's cache. Whoever claims a chunk runs it and then decrements `pending`;
//! the caller moves to the next phase, or returns, only when `pending` is zero. So a worker that sleeps holds nobody up:
//! what it did not claim, the caller does.
//!
//! Why borrowed tasks are sound: a worker reads the task pointer only *between* a successful claim and its decrement of
//! `pending`. A claim succeeds only while chunks of the current phase are unclaimed, each unclaimed or unfinished chunk
//! is counted in `pending`, and [`run`] neither changes the task pointer nor returns (or unwinds) before `pending` is
//! zero. A worker that lags behind and claims with an old view of the word merely claims a chunk of the newer job,
//! whose task it reads after the claim: the word's value says all there is to say, so there is no ABA problem.

use super::denormals;
use std::any::Any;
use std::cell::UnsafeCell;
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::*};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

pub mod observe;
mod placement;
mod workers;

use workers::Alarm;

/// Turns of a waiting loop (some 25 ns each) before it offers its core to other threads between turns.
const PATIENCE: u32 = 4096;

/// What one chunk of a job does: called with the phase and the chunk.
type Task<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// The job at hand. The word and the task share a cache line, so that a worker's claim brings both.
#[repr(align(128))]
struct Job {
    /// Unclaimed chunks of the phase: low end in the low half, high end in the high half.
    word: AtomicU64,
    /// Task and phase: written by the holder of `BUSY` while nothing is claimed, read under a claim.
    task: UnsafeCell<Option<(*const Task<'static>, usize)>>,
}

// SAFETY: `task` is guarded by the protocol in the module's head; the pointer in it is to a `Sync` closure.
unsafe impl Sync for Job {}

/// Keeps a word that some threads write away from words that others watch.
#[repr(align(128))]
struct Padded<T>(T);

static JOB: Job = Job { word: AtomicU64::new(0), task: UnsafeCell::new(None) };
/// Chunks of the phase that are not finished.
static PENDING: Padded<AtomicUsize> = Padded(AtomicUsize::new(0));
/// Held by the thread whose job is being run.
static BUSY: Padded<AtomicBool> = Padded(AtomicBool::new(false));
/// Threads to use, the caller included; 0 until first asked.
static THREADS: AtomicUsize = AtomicUsize::new(0);
static FAILED: AtomicBool = AtomicBool::new(false);
/// Whether a worker met denormal numbers in the job at hand, while anybody asks.
static DENORMAL: AtomicBool = AtomicBool::new(false);
/// The first panic of the job at hand.
static PANIC: Mutex<Option<Box<dyn Any + Send>>> = Mutex::new(None);
/// Threads that kernels run on, the calling thread included.
///
/// The number of processors this process may use, unless the environment variable `EAGERFLOW_THREADS` or
/// [`set_threads`] says otherwise. Results do not depend on it.
#[inline]
pub fn threads() -> usize {
    match THREADS.load(Relaxed) {
        0 => default_threads(),
        n => n,
    }
}

#[cold]
fn default_threads() -> usize {
    let named = std::env::var("EAGERFLOW_THREADS").ok().and_then(|s| s.trim().parse().ok()).filter(|&n| n > 0);
    let n = named.unwrap_or_else(|| thread::available_parallelism().map_or(1, |n| n.get()));
    // Only the first answer is kept, so that a `set_threads` in between wins.
    THREADS.compare_exchange(0, n, Relaxed, Relaxed).map_or_else(|set| set, |_| n)
}

/// Sets the number of threads that kernels run on, the calling thread included; 0 means the default again.
///
/// Takes effect with the next job. Workers that are no longer wanted park for good and cost nothing.
pub fn set_threads(n: usize) {
    THREADS.store(n, Relaxed);
}

/// Wakes the thread pool, for a job that is about to come and surely takes longer than 20 us.
///
/// Without this, [`run`] works alone for some microseconds before it wakes anyone, which is right for small jobs and
/// loses up to one chunk's time on a big one. Costs a nanosecond when the thread pool is awake.
#[inline]
#[cfg_attr(not(test), allow(dead_code, reason = "for plans, which know that a long job is next"))]
pub fn wake() {
    let wanted = threads() - 1;
    workers::wake(wanted);
}

/// Runs `task(p, c)` for every chunk `c < phases[p]` of every phase `p`, each phase finished before the next starts.
///
/// The calling thread works too, and alone if the thread pool is busy with another thread's job or if a task calls `run`
/// itself. If a chunk panics, the chunks not yet begun are dropped and the panic goes on in the caller; the thread pool stays
/// usable.
pub fn run(phases: &[usize], task: &Task<'_>) {
    let widest = phases.iter().copied().max().unwrap_or(0);
    let threads = threads();
    // Most jobs that are not shared are of one phase and one chunk: nothing but the call.
    if widest <= 1 || threads == 1 || widest > u32::MAX as usize || BUSY.0.swap(true, Acquire) {
        if widest > 1 && observe::is_on() {
            return observe::alone(phases, task);
        }
        for (phase, &chunks) in phases.iter().enumerate() {
            for chunk in 0..chunks {
                task(phase, chunk);
            }
        }
        return;
    }
    // From here to the release of `BUSY` nothing unwinds: tasks run under `catch_unwind`.
    let mut alarm = Alarm::new(threads.min(widest) - 1);
    for (phase, &chunks) in phases.iter().enumerate() {
        match chunks {
            0 => {}
            1 => attempt(task, phase, 0),
            _ => together(task, phase, chunks, &mut alarm),
        }
        // Relaxed: failures of other threads were made visible by `PENDING`.
        if FAILED.load(Relaxed) {
            break;
        }
    }
    alarm.remember();
    if DENORMAL.load(Relaxed) {
        DENORMAL.store(false, Relaxed);
        denormals::note();
    }
    let panic = if FAILED.swap(false, Relaxed) { lock(&PANIC).take() } else { None };
    BUSY.0.store(false, Release);
    if let Some(panic) = panic {
        resume_unwind(panic);
    }
}

/// One phase of a job with the thread pool; the caller holds `BUSY`.
fn together(task: &Task<'_>, phase: usize, chunks: usize, alarm: &mut Alarm) {
    // SAFETY: only the lifetime changes. No worker uses the pointer after this function returned, because the function
    // waits until every claimed chunk is finished and leaves none to claim; and it does not unwind.
    let borrowed: *const Task<'static> = unsafe { std::mem::transmute(std::ptr::from_ref(task)) };
    // SAFETY: no chunk is unclaimed or unfinished, so no worker reads the cell; `BUSY` keeps other callers out.
    unsafe { *JOB.task.get() = Some((borrowed, phase)) };
    PENDING.0.store(chunks, Relaxed);
    // Release: a worker whose claim sees this value sees the task, the count and all that earlier phases wrote. The
    // first chunk is claimed for the caller in the same store.
    JOB.word.store(pack(1, chunks as u32), Release);
    let mut next = Some(0);
    while let Some(chunk) = next {
        alarm.check();
        attempt(task, phase, chunk);
        PENDING.0.fetch_sub(1, Release);
        next = claim(End::Low);
    }
    let mut turns = 0;
    // Acquire: what the workers' chunks wrote is visible to the caller and, through it, to the next phase.
    while PENDING.0.load(Acquire) != 0 {
        turns += 1;
        if turns < PATIENCE { spin_loop() } else { thread::yield_now() }
    }
}

/// Runs one claimed chunk. After a panic, drops the chunks that nobody has claimed.
fn attempt(task: &Task<'_>, phase: usize, chunk: usize) {
    // Unwind safety: the panic goes on in the caller of `run`, which alone knows what the task left half done.
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| task(phase, chunk))) {
        fail(panic);
    }
}

#[cold]
fn fail(panic: Box<dyn Any + Send>) {
    let mut first = lock(&PANIC);
    match *first {
        None => *first = Some(panic),
        // Dropping a payload may run code that panics again, which must not happen here.
        Some(_) => std::mem::forget(panic),
    }
    FAILED.store(true, Relaxed);
    // The chunk that failed is still pending, so the word is this job's and `PENDING` stays above zero.
    let (low, high) = unpack(JOB.word.swap(0, Relaxed));
    PENDING.0.fetch_sub((high - low) as usize, Release);
}

/// From which end of the unclaimed chunks to take.
enum End {
    Low,
    High,
}

/// Claims a chunk of the phase at hand.
#[inline]
fn claim(end: End) -> Option<usize> {
    let mut word = JOB.word.load(Relaxed);
    loop {
        let (low, high) = unpack(word);
        if low >= high {
            return None;
        }
        let (rest, chunk) = match end {
            End::Low => (pack(low + 1, high), low),
            End::High => (pack(low, high - 1), high - 1),
        };
        // Acquire pairs with the store that published the phase; the claims in between continue its release sequence.
        match JOB.word.compare_exchange_weak(word, rest, Acquire, Relaxed) {
            Ok(_) => return Some(chunk as usize),
            Err(now) => word = now,
        }
    }
}

#[inline]
fn pack(low: u32, high: u32) -> u64 {
    low as u64 | (high as u64) << 32
}

#[inline]
fn unpack(word: u64) -> (u32, u32) {
    (word as u32, (word >> 32) as u32)
}

/// Whether there are chunks to claim: a look, without touching the line that others write.
#[inline]
fn is_work_left() -> bool {
    let (low, high) = unpack(JOB.word.load(Relaxed));
    low < high
}

/// Does chunks of the job at hand, if there is one, until none is left to claim.
fn help() -> bool {
    let mut helped = false;
    while let Some(chunk) = claim(End::High) {
        // SAFETY: this thread has claimed a chunk and not yet counted it as finished: the cell is not written and the
        // task it points to lives until it has (see the module's head).
        let (task, phase) = unsafe { (*JOB.task.get()).unwrap_unchecked() };
        let watched = denormals::is_watched();
        if watched {
            denormals::forget();
        }
        // SAFETY: as above; `attempt` catches panics, so the count below is always reached.
        attempt(unsafe { &*task }, phase, chunk);
        if watched && denormals::met() {
            // Visible to the caller with the count below.
            DENORMAL.store(true, Relaxed);
        }
        PENDING.0.fetch_sub(1, Release);
        helped = true;
    }
    helped
}

/// None of the mutexes here is held while foreign code runs, so poison says nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
