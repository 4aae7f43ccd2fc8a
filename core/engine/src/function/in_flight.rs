//! Traces under way: a thread that calls a function while another one traces it for the same arguments waits for that trace.
//! [`Call`](crate::autograph::rt::Call) asks for a [`Ticket`] before it traces, and looks for a trace once more with it.

use super::arguments::Given;
use super::cache::Function;
use super::signature::Pattern;
use std::any::TypeId;
use std::cell::Cell;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The traces of a function that are under way.
pub(super) struct InFlight {
    all: Mutex<(u64, Vec<Under>)>,
    ended: Condvar,
}

/// One of them, with the calls that it will serve.
struct Under {
    number: u64,
    instance: TypeId,
    pattern: Pattern,
}

/// The longest that a call waits for another thread's trace. One that calls itself by way of a thread which it waits for would
/// wait for ever: it makes a trace of its own then.
const PATIENCE: Duration = Duration::from_secs(10);

thread_local! {
    /// How many traces this thread has under way: one that traces never waits, so that no two wait for each other.
    static HELD: Cell<usize> = const { Cell::new(0) };
}

/// The right to make a trace; others wait until it is gone.
pub(crate) struct Ticket {
    function: &'static Function,
    number: u64,
}

impl InFlight {
    pub const fn new() -> Self {
        Self { all: Mutex::new((0, Vec::new())), ended: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, (u64, Vec<Under>)> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Function {
    /// The right to make a trace for a call. `None` after another thread has ended one that may serve it: look again.
    pub(crate) fn ticket(&'static self, instance: TypeId, pattern: Pattern, tensors: &[Given]) -> Option<Ticket> {
        let serves =
            |under: &Under| under.instance == instance && under.pattern.fits(&pattern.words, tensors).is_some();
        let until = Instant::now() + PATIENCE;
        let mut all = self.making.lock();
        let waits = HELD.get() == 0 && all.1.iter().any(serves);
        while waits && let Some(left) = until.checked_duration_since(Instant::now()) {
            all = self.making.ended.wait_timeout(all, left).unwrap_or_else(PoisonError::into_inner).0;
            if !all.1.iter().any(serves) {
                return None;
            }
        }
        all.0 += 1;
        let number = all.0;
        all.1.push(Under { number, instance, pattern });
        HELD.set(HELD.get() + 1);
        Some(Ticket { function: self, number })
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        HELD.set(HELD.get().saturating_sub(1));
        let mut all = self.function.making.lock();
        all.1.retain(|under| under.number != self.number);
        self.function.making.ended.notify_all();
    }
}
