//! The way of summaries from the threads that have them to the file: a bounded queue, and the thread that empties it.
//! `SummaryWriter` owns one; operations of traced functions hold on to theirs.

use super::encode;
use formats::events::EventFile;
use kernels::error::{Error, Result};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How many bytes may wait, whatever their number: images and histograms wait as tensors.
const MOST_BYTES: usize = 64 << 20;

/// What makes the bytes of an event out of tensors that wait, by the thread.
type Later = Box<dyn FnOnce(&mut Vec<u8>) -> Result<()> + Send>;

/// What waits.
enum Waiting {
    /// Events as they go into the file.
    Frames(Vec<u8>),
    /// One that has to be made of what it shows.
    Later(Later),
}

/// What the threads share.
pub struct Queue {
    path: PathBuf,
    most: usize,
    patience: Duration,
    state: Mutex<State>,
    /// For the thread that writes.
    work: Condvar,
    /// For those who wait for room, or for what they have given to be written.
    done: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<Waiting>,
    count: usize,
    bytes: usize,
    /// Whether the thread sleeps until there is anything at all.
    idle: bool,
    /// Flushes that were asked for, and those that are done.
    asked: u64,
    flushed: u64,
    closed: bool,
    failure: Option<Error>,
    lost: usize,
    warned: bool,
}

impl Queue {
    /// A queue of at most so many events, none of which waits longer than `patience` while there is room.
    pub fn new(path: PathBuf, most: usize, patience: Duration) -> Self {
        let (work, done) = (Condvar::new(), Condvar::new());
        Self { path, most, patience, state: Mutex::default(), work, done }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The state with room for one more event, once there is.
    fn with_room(&self, bytes: usize) -> Result<MutexGuard<'_, State>> {
        let mut state = self.state();
        let full = |state: &State| state.count >= self.most || (state.count > 0 && state.bytes + bytes > MOST_BYTES);
        while full(&state) && !state.closed {
            self.work.notify_one();
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        match state.closed {
            false => Ok(state),
            true => Err(closed(&self.path)),
        }
    }

    /// Notes that an event waits; the thread is woken if it sleeps, or if many do.
    fn added(&self, mut state: MutexGuard<'_, State>, bytes: usize) {
        state.count += 1;
        state.bytes += bytes;
        let many = state.count == self.most.div_ceil(2) || state.count == self.most;
        if std::mem::take(&mut state.idle) || many {
            drop(state);
            self.work.notify_one();
        }
    }

    /// Appends a scalar, which is written at once where the others wait.
    ///
    /// # Errors
    /// FailedPrecondition for a writer that is closed.
    pub fn push_scalar(&self, tag: (&str, &str), wall_time: f64, step: i64, value: f32) -> Result<()> {
        let mut state = self.with_room(0)?;
        if !matches!(state.waiting.last(), Some(Waiting::Frames(_))) {
            state.waiting.push(Waiting::Frames(Vec::new()));
        }
        let Some(Waiting::Frames(frames)) = state.waiting.last_mut() else {
            return Err(Error::internal("summary", "the queue has lost its last item"));
        };
        let before = frames.len();
        encode::scalar(frames, tag, wall_time, step, value);
        let bytes = frames.len() - before;
        self.added(state, bytes);
        Ok(())
    }

    /// Appends an event that the thread makes of what waits with it, of so many bytes.
    ///
    /// # Errors
    /// FailedPrecondition for a writer that is closed.
    pub fn push_later(&self, bytes: usize, make: Later) -> Result<()> {
        let mut state = self.with_room(bytes)?;
        state.waiting.push(Waiting::Later(make));
        self.added(state, bytes);
        Ok(())
    }

    /// Waits until what was appended before is in the file.
    ///
    /// # Errors
    /// What went wrong since the last flush: a file that cannot be written, or an event that could not be made.
    pub fn flush(&self) -> Result<()> {
        let mut state = self.state();
        if !state.closed {
            state.asked += 1;
            let asked = state.asked;
            self.work.notify_one();
            while state.flushed < asked {
                state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
        let lost = std::mem::take(&mut state.lost);
        match state.failure.take() {
            None => Ok(()),
            Some(error) => Err(error.help(format!("summaries that are missing from the file: {lost}"))),
        }
    }

    /// Has the thread write what waits, without waiting for it.
    pub fn nudge(&self) {
        let mut state = self.state();
        if !state.closed && state.count > 0 {
            state.asked += 1;
            drop(state);
            self.work.notify_one();
        }
    }

    /// Starts the thread.
    ///
    /// # Errors
    /// ResourceExhausted if the system gives none.
    pub fn start(self: &std::sync::Arc<Self>, file: EventFile) -> Result<JoinHandle<()>> {
        let queue = self.clone();
        let spawned = std::thread::Builder::new().name("eagerflow-summary".into()).spawn(move || queue.run(file));
        spawned.map_err(|e| Error::resource_exhausted("summary", "the system gives no thread to write by").got(e))
    }

    /// Has the thread write what waits and end; whoever appends afterwards gets an error.
    pub fn close(&self) {
        self.state().closed = true;
        self.work.notify_all();
        self.done.notify_all();
    }

    /// The thread: takes all that waits, writes it, and begins again.
    fn run(&self, mut file: EventFile) {
        let mut frames = Vec::new();
        loop {
            let (waiting, count, asked, last) = self.take();
            frames.clear();
            let mut lost = 0;
            let mut failure = None;
            for item in waiting {
                if let Err(error) = append(item, &mut frames) {
                    lost += 1;
                    failure.get_or_insert(error);
                }
            }
            if !frames.is_empty()
                && let Err(error) = file.append(&frames)
            {
                lost = count;
                failure = Some(error);
            }
            self.written(asked, failure, lost);
            if last {
                return;
            }
            // One event of a hundred megabytes does not keep its memory.
            frames.shrink_to(1 << 20);
        }
    }

    /// Waits for work: until anything is there, then until it has waited long enough, or much is there, or somebody asks.
    fn take(&self) -> (Vec<Waiting>, usize, u64, bool) {
        let mut state = self.state();
        let asks = |state: &State| state.closed || state.asked > state.flushed;
        while state.count == 0 && !asks(&state) {
            state.idle = true;
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.idle = false;
        let until = Instant::now() + self.patience;
        while state.count < self.most.div_ceil(2) && state.bytes < MOST_BYTES / 2 && !asks(&state) {
            let Some(left) = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else { break };
            state = self.work.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        let waiting = std::mem::take(&mut state.waiting);
        let count = std::mem::take(&mut state.count);
        state.bytes = 0;
        let (asked, closed) = (state.asked, state.closed);
        drop(state);
        self.done.notify_all();
        (waiting, count, asked, closed)
    }

    /// Notes what came of it, and warns of the first failure.
    fn written(&self, asked: u64, failure: Option<Error>, lost: usize) {
        let mut state = self.state();
        state.flushed = state.flushed.max(asked);
        state.lost += lost;
        if let Some(error) = failure {
            if !std::mem::replace(&mut state.warned, true) {
                eprintln!("warning: summaries are not written: {error}");
            }
            state.failure.get_or_insert(error);
        }
        drop(state);
        self.done.notify_all();
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Appends the bytes of an item; what a panicking one has appended is taken back.
fn append(item: Waiting, frames: &mut Vec<u8>) -> Result<()> {
    match item {
        Waiting::Frames(more) if frames.is_empty() => *frames = more,
        Waiting::Frames(more) => frames.extend(more),
        Waiting::Later(make) => {
            let before = frames.len();
            let panicked = |_| Err(Error::internal("summary", "the thread that writes summaries panicked"));
            let made = catch_unwind(AssertUnwindSafe(|| make(frames))).unwrap_or_else(panicked);
            if made.is_err() {
                frames.truncate(before);
            }
            return made;
        }
    }
    Ok(())
}

#[cold]
fn closed(path: &Path) -> Error {
    Error::failed_precondition("summary", "the writer is closed")
        .got(path.display())
        .help("keep the writer for as long as summaries are written; a traced function keeps on to the one it was traced with")
}
