//! The depot: the blocks kept for reuse by the whole process, the cap on them, and the counts.
//! Magazines come here when they are empty or full, and for the classes they do not keep.

use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::MemoryStats;
use super::class::Class;
use super::magazine::Counts;
use super::system;

/// The most a thread keeps for itself.
const OWN_MOST: usize = 8 << 20;

/// The first word of a block that nobody uses: the next one in its list.
pub(super) type Link = *mut u8;

struct List {
    head: Link,
    /// When the class was last served, to give up what has gone out of use.
    used: u64,
}

struct Depot {
    lists: [List; Class::COUNT],
    cached: usize,
    /// The cap on all cached bytes; `None` until first needed.
    limit: Option<usize>,
    clock: u64,
    /// The counts of the living threads that have a magazine.
    threads: Vec<*const Counts>,
    /// Bytes taken from the system and not yet given back.
    held: usize,
    peak: usize,
    from_system: u64,
    /// Requests of threads that have ended, or that came after the end of their magazine.
    acquired: u64,
}

// SAFETY: the links point to unused blocks that belong to the depot, and the counts are of living threads, which leave
// the list, under the lock, before their memory goes.
unsafe impl Send for Depot {}

static DEPOT: Mutex<Depot> = Mutex::new(Depot {
    lists: [const { List { head: null_mut(), used: 0 } }; Class::COUNT],
    cached: 0,
    limit: None,
    clock: 0,
    threads: Vec::new(),
    held: 0,
    peak: 0,
    from_system: 0,
    acquired: 0,
});

/// What a thread may keep at the cap in force. Read on every release, hardly ever written.
static OWN_LIMIT: AtomicUsize = AtomicUsize::new(OWN_MOST);

/// The bytes that a thread may keep for itself.
#[inline]
pub(super) fn own_limit() -> usize {
    OWN_LIMIT.load(Relaxed)
}

fn depot() -> MutexGuard<'static, Depot> {
    // The lock's holders do not panic half-way.
    DEPOT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts a thread in, so that it may keep blocks. False if the cap leaves nothing for one more.
///
/// # Safety
///
/// `counts` stays valid until [`leave`].
pub(super) unsafe fn join(counts: *const Counts) -> bool {
    let mut depot = depot();
    let limit = depot.limit();
    let fits = (depot.threads.len() + 1).saturating_mul(own_limit()) <= limit && limit > 0;
    if fits {
        depot.threads.push(counts);
        depot.evict(None);
    }
    fits
}

/// Counts a thread out, at its end.
pub(super) fn leave(counts: &Counts) {
    let mut depot = depot();
    depot.threads.retain(|&c| !std::ptr::eq(c, counts));
    depot.acquired += counts.acquired();
}

/// A request that no magazine counts.
pub(super) fn count_request() {
    depot().acquired += 1;
}

/// A block of the class, and up to `more` others for the magazine if they are at hand.
pub(super) fn acquire(class: Class, more: usize, mut keep: impl FnMut(NonNull<u8>)) -> Option<NonNull<u8>> {
    let mut depot = depot();
    let block = match depot.pop(class) {
        Some(block) => {
            for _ in 0..more {
                let Some(block) = depot.pop(class) else { break };
                keep(block);
            }
            Some(block)
        }
        None => {
            // The system may take its time: let others have the lock.
            drop(depot);
            let block = system::allocate(class).or_else(|| {
                super::trim();
                system::allocate(class)
            });
            depot = self::depot();
            if block.is_some() {
                depot.held += class.size();
                depot.from_system += 1;
            }
            block
        }
    };
    // The block itself is no longer counted as cached, though its magazine may not have counted the others yet.
    depot.peak = depot.peak.max(depot.in_use());
    block
}

/// Takes a list of blocks linked through their first word, of which the last links to null.
///
/// # Safety
///
/// The blocks came from [`acquire`] with this class and nobody uses them.
pub(super) unsafe fn release(mut list: Link, class: Class) {
    let mut depot = depot();
    while let Some(block) = NonNull::new(list) {
        // SAFETY: an unused block's first word is its link.
        list = unsafe { block.cast::<Link>().read() };
        depot.push(block, class);
    }
    depot.evict(Some(class));
}

pub(super) fn set_limit(bytes: usize) {
    let mut depot = depot();
    depot.set_limit(bytes);
}

/// Gives back to the system what exceeds the cap.
pub(super) fn shrink() {
    depot().evict(None);
}

pub(super) fn trim() {
    let mut depot = depot();
    for index in 0..Class::COUNT {
        depot.drain(Class::at(index), 0);
    }
}

pub(super) fn stats() -> MemoryStats {
    let depot = depot();
    let own: u64 = depot.counts().map(Counts::acquired).sum();
    let in_use = depot.in_use();
    MemoryStats {
        in_use,
        cached: depot.held - in_use,
        peak: depot.peak.max(in_use),
        acquired: depot.acquired + own,
        from_system: depot.from_system,
    }
}

impl Depot {
    fn limit(&mut self) -> usize {
        if self.limit.is_none() {
            let named = std::env::var("EAGERFLOW_CACHE_LIMIT").ok().and_then(|s| s.trim().parse().ok());
            self.set_limit(named.unwrap_or(1 << 30));
        }
        self.limit.unwrap_or(0)
    }

    fn set_limit(&mut self, bytes: usize) {
        self.limit = Some(bytes);
        OWN_LIMIT.store(OWN_MOST.min(bytes / 16), Relaxed);
    }

    fn counts(&self) -> impl Iterator<Item = &Counts> {
        // SAFETY: threads leave the list before their counts go, and that needs the lock which the caller holds.
        self.threads.iter().map(|&c| unsafe { &*c })
    }

    fn in_use(&self) -> usize {
        let own: usize = self.counts().map(Counts::cached).sum();
        // Blocks in flight between two counts may make the difference negative for a moment.
        self.held.saturating_sub(self.cached).saturating_sub(own)
    }

    fn pop(&mut self, class: Class) -> Option<NonNull<u8>> {
        self.clock += 1;
        let list = &mut self.lists[class.index()];
        list.used = self.clock;
        let block = NonNull::new(list.head)?;
        // SAFETY: a block in the list is unused, and its first word is its link.
        list.head = unsafe { block.cast::<Link>().read() };
        self.cached -= class.size();
        Some(block)
    }

    fn push(&mut self, block: NonNull<u8>, class: Class) {
        self.clock += 1;
        let list = &mut self.lists[class.index()];
        list.used = self.clock;
        // SAFETY: the block is unused, at least 64 bytes large and aligned to 64.
        unsafe { block.cast::<Link>().write(list.head) };
        list.head = block.as_ptr();
        self.cached += class.size();
    }

    /// Gives blocks back to the system until the cap holds, those of classes long unused first.
    fn evict(&mut self, last: Option<Class>) {
        // What the threads may keep for themselves is set aside, so that the cap holds without asking them.
        let room = self.limit().saturating_sub(self.threads.len() * own_limit());
        while self.cached > room {
            let oldest = (0..Class::COUNT)
                .filter(|&i| !self.lists[i].head.is_null() && Some(Class::at(i)) != last)
                .min_by_key(|&i| self.lists[i].used)
                .map(Class::at);
            match oldest.or(last) {
                Some(class) => self.drain(class, room),
                None => break,
            }
        }
    }

    /// Gives blocks of one class back to the system until no more than `room` bytes are cached in all.
    fn drain(&mut self, class: Class, room: usize) {
        while self.cached > room {
            let list = &mut self.lists[class.index()];
            let Some(block) = NonNull::new(list.head) else { break };
            // SAFETY: as in `pop`; the block leaves the list and is of this class, so this is its last use.
            unsafe {
                list.head = block.cast::<Link>().read();
                system::free(block, class);
            }
            self.cached -= class.size();
            self.held -= class.size();
        }
    }
}
