//! The trace that a function used last, with a place to run it: a call takes both by one exchange and puts them back by
//! another, where the list of traces would cost a lock, a handle and a frame. [`Function::find`](super::Function) uses it.

use super::trace::Trace;
use crate::graph::plan::Seat;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// What lies in front of a function's list of traces, while no call has it.
pub(crate) struct LastTrace {
    pub trace: Arc<Trace>,
    /// Where the trace's plan ran last, if it has but one plan.
    pub seat: Option<Seat>,
    /// How many calls it has served, this trace or one before it.
    pub served: u64,
    /// The [`LastTraceSlot::version`] for which the trace is among the function's own.
    pub version: u64,
}

impl LastTrace {
    /// Lets another trace take the place.
    pub fn turn_to(&mut self, trace: Arc<Trace>, version: u64) {
        self.give_up_seat();
        (self.trace, self.version) = (trace, version);
        self.served += 1;
    }

    fn give_up_seat(&mut self) {
        if let (Some(seat), Some(plan)) = (self.seat.take(), self.trace.callable.only_plan()) {
            plan.leave(seat);
        }
    }
}

/// Where a front lies. Nobody waits for it: a call that finds none goes by the list.
pub(crate) struct LastTraceSlot {
    front: AtomicPtr<LastTrace>,
    /// Counts the times that traces were taken from the list: a front of before must not be used any more.
    version: AtomicU64,
}

impl LastTraceSlot {
    pub const fn new() -> Self {
        Self { front: AtomicPtr::new(null_mut()), version: AtomicU64::new(0) }
    }

    pub fn version(&self) -> u64 {
        self.version.load(Ordering::SeqCst)
    }

    #[inline]
    pub fn take(&self) -> Option<Box<LastTrace>> {
        let front = self.front.swap(null_mut(), Ordering::SeqCst);
        // SAFETY: the pointer came from `Box::into_raw` in `put`, and the exchange made it ours alone.
        (!front.is_null()).then(|| unsafe { Box::from_raw(front) })
    }

    /// How many calls the front has served; 0 while another call has it.
    pub fn served(&self) -> u64 {
        let Some(front) = self.take() else { return 0 };
        let served = front.served;
        self.put(front);
        served
    }

    /// Puts a front where calls find it, unless there is one or its trace is no longer among the function's.
    #[inline]
    pub fn put(&self, front: Box<LastTrace>) {
        let version = front.version;
        let front = Box::into_raw(front);
        if self.front.compare_exchange(null_mut(), front, Ordering::SeqCst, Ordering::Relaxed).is_err() {
            // SAFETY: the pointer was not published.
            drop(unsafe { Box::from_raw(front) });
            return;
        }
        // Either this sees the new version, or `clear`, which counts before it looks, sees what was just put there.
        if self.version() != version {
            self.drop_old();
        }
    }

    #[cold]
    fn drop_old(&self) {
        if let Some(front) = self.take()
            && front.version == self.version()
        {
            // One that another call has put there meanwhile.
            self.put(front);
        }
    }

    /// Traces were taken from the list: no call uses one of them from now on but those under way. Answers what lay here,
    /// which is not freed under the lock of the list.
    #[must_use]
    pub fn clear(&self) -> Option<Box<LastTrace>> {
        self.version.fetch_add(1, Ordering::SeqCst);
        self.take()
    }
}

impl Drop for LastTraceSlot {
    fn drop(&mut self) {
        drop(self.take());
    }
}

/// A trace that serves a call, for as long as the call runs it.
pub(crate) enum Found<'a> {
    /// It goes back to its place.
    LastTrace(&'a LastTraceSlot, ManuallyDrop<Box<LastTrace>>),
    /// Another call has the front.
    Listed(Arc<Trace>),
}

impl<'a> Found<'a> {
    pub(super) fn front(place: &'a LastTraceSlot, front: Box<LastTrace>) -> Self {
        Self::LastTrace(place, ManuallyDrop::new(front))
    }

    /// The trace, and where its plan runs.
    #[inline]
    pub fn parts(&mut self) -> (&Trace, Option<&mut Option<Seat>>) {
        match self {
            Self::LastTrace(_, front) => {
                let front: &mut LastTrace = front;
                (&front.trace, Some(&mut front.seat))
            }
            Self::Listed(trace) => (trace, None),
        }
    }
}

impl Deref for Found<'_> {
    type Target = Trace;

    #[inline]
    fn deref(&self) -> &Trace {
        match self {
            Self::LastTrace(_, front) => &front.trace,
            Self::Listed(trace) => trace,
        }
    }
}

impl Drop for Found<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Self::LastTrace(place, front) = self {
            // SAFETY: nobody looks at it after this.
            place.put(unsafe { ManuallyDrop::take(front) });
        }
    }
}
