//! Which processor a thread is on, and how it is sent to another one: Linux only, elsewhere nothing is known and nothing is done.
//! `workers` calls it for a worker that was woken and waits for the processor on which its waker works.
//!
//! Linux may put a thread that wakes on the processor of the thread that woke it, because all others had work at that
//! moment. Neither of the two sleeps, so nobody looks for a better place before a slice of some milliseconds has ended, and the two
//! take turns on one processor while the other has become free. A thread that was sent away stays there by itself.

#[cfg(target_os = "linux")]
mod linux {
    use rustix::thread::{CpuSet, Pid, gettid, sched_getaffinity, sched_getcpu, sched_setaffinity};

    /// A thread of this process, for [`send_away`].
    #[derive(Clone, Copy)]
    pub struct ThreadId(Pid);

    impl ThreadId {
        pub fn current() -> Option<Self> {
            Some(Self(gettid()))
        }
    }

    /// The processor that the calling thread is on.
    #[inline]
    pub fn processor() -> Option<usize> {
        Some(sched_getcpu())
    }

    /// Sends a thread to a processor that it may use and that is none of `taken`. A thread that is on such a one, or that
    /// may use no other, stays where it is. What it may use is the same afterwards. Nobody else may send the same thread meanwhile.
    pub fn send_away(thread: ThreadId, taken: impl Iterator<Item = usize>) {
        // On more processors than the set has room for, this is an error.
        let Ok(allowed) = sched_getaffinity(Some(thread.0)) else { return };
        let mut free = allowed;
        for processor in taken.filter(|&processor| processor < CpuSet::MAX_CPU) {
            free.unset(processor);
        }
        if free.count() == 0 || free == allowed {
            return;
        }
        // A sandbox may refuse both: then the thread stays. What is given back is what was read: a set that a user gives to the running
        // process between the two calls, which take some microseconds, is lost for this thread.
        if sched_setaffinity(Some(thread.0), &free).is_ok() {
            let _ = sched_setaffinity(Some(thread.0), &allowed);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    /// Nothing is known of threads.
    #[derive(Clone, Copy)]
    pub enum ThreadId {}

    impl ThreadId {
        pub fn current() -> Option<Self> {
            None
        }
    }

    /// Not known.
    pub fn processor() -> Option<usize> {
        None
    }

    /// Not called, as there is no [`ThreadId`].
    pub fn send_away(thread: ThreadId, _taken: impl Iterator<Item = usize>) {
        match thread {}
    }
}

#[cfg(not(target_os = "linux"))]
pub use elsewhere::*;
#[cfg(target_os = "linux")]
pub use linux::*;

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::*;
    use rustix::thread::sched_getaffinity;
    use std::sync::mpsc::sync_channel;
    use std::thread;
    use std::time::Instant;

    #[test]
    fn a_thread_that_is_sent_away_leaves_and_may_use_what_it_might() {
        let mine = || sched_getaffinity(None).expect("a thread may ask for its own");
        let (tell, told) = sync_channel(0);
        thread::scope(|s| {
            s.spawn(move || {
                let me = ThreadId::current().expect("Linux numbers its threads");
                while tell.send((me, processor().expect("Linux says so"), mine())).is_ok() {}
            });
            let next = || told.recv().expect("the thread runs until nobody listens");
            let (allowed, begin) = (mine(), Instant::now());
            // The system may put it back at any time, so once is enough.
            loop {
                let (thread, before, _) = next();
                send_away(thread, [before].into_iter());
                // What it had seen before it was sent.
                next();
                let (_, now, free) = next();
                assert!(free == allowed, "the thread may use {free:?} of {allowed:?}");
                if now != before || allowed.count() == 1 {
                    break;
                }
                assert!(begin.elapsed().as_secs() < 60, "the thread is still on processor {now}");
            }
            // All are taken: nothing happens.
            let (thread, ..) = next();
            send_away(thread, 0..1 << 20);
            next();
            assert!(next().2 == allowed);
            drop(told);
        });
    }
}
