//! The magazine: the blocks that a thread keeps for itself, so that a warm request costs a few nanoseconds and no lock.
//! `acquire` and `release` of the pool go through here and on to the depot when the magazine cannot serve them.

use std::cell::{Cell, UnsafeCell};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use super::class::Class;
use super::depot::{self, Link};

const CLASSES: usize = Class::LARGEST_OWN.index() + 1;
/// The most blocks of one class to fetch from the depot at once, and their bytes.
const BATCH: usize = 16;
const BATCH_BYTES: usize = 128 << 10;

/// What a thread tells [`depot::stats`]. It alone writes, so that it needs no read-modify-write instruction.
pub(super) struct Counts {
    /// Bytes in the magazine; [`CLOSED`] while it may keep nothing.
    cached: AtomicUsize,
    acquired: AtomicU64,
}

/// More than any limit, so that the one comparison on the way in also keeps blocks out of a closed magazine.
const CLOSED: usize = usize::MAX / 2;

impl Counts {
    pub(super) fn cached(&self) -> usize {
        match self.cached.load(Relaxed) {
            bytes if bytes >= CLOSED => 0,
            bytes => bytes,
        }
    }

    pub(super) fn acquired(&self) -> u64 {
        self.acquired.load(Relaxed)
    }
}

struct Magazine {
    /// Unused blocks per class, linked through their first word.
    heads: UnsafeCell<[Link; CLASSES]>,
    counts: Counts,
    life: Cell<Life>,
}

#[derive(Clone, Copy, PartialEq)]
enum Life {
    /// Not yet known to the depot.
    New,
    Open,
    /// The thread is at its end.
    Over,
}

thread_local! {
    // Without a destructor, so that access is one address and stays possible until the thread's very end.
    static MAGAZINE: Magazine = const {
        Magazine {
            heads: UnsafeCell::new([null_mut(); CLASSES]),
            counts: Counts { cached: AtomicUsize::new(CLOSED), acquired: AtomicU64::new(0) },
            life: Cell::new(Life::New),
        }
    };
    /// Hands the blocks back at the thread's end.
    static GUARD: Guard = const { Guard };
}

struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        MAGAZINE.with(|m| {
            m.empty();
            if m.life.replace(Life::Over) == Life::Open {
                m.counts.cached.store(CLOSED, Relaxed);
                depot::leave(&m.counts);
            }
        });
    }
}

/// A block of the class.
#[inline]
pub(super) fn acquire(class: Class) -> Option<NonNull<u8>> {
    MAGAZINE.with(|m| {
        if class.index() < CLASSES
            && let Some(block) = m.pop(class)
        {
            m.counts.acquired.store(m.counts.acquired.load(Relaxed) + 1, Relaxed);
            return Some(block);
        }
        m.fetch(class)
    })
}

/// Takes a block back.
///
/// # Safety
///
/// The block came from [`acquire`] with this class and is not used any more.
#[inline]
pub(super) unsafe fn release(block: NonNull<u8>, class: Class) {
    MAGAZINE.with(|m| {
        let after = m.counts.cached.load(Relaxed) + class.size();
        if class.index() < CLASSES && after <= depot::own_limit() {
            // SAFETY: the caller gives up the block.
            unsafe { m.push(block, class) };
        } else {
            // SAFETY: as above.
            unsafe { m.hand_over(block, class) };
        }
    });
}

/// Hands this thread's blocks to the depot.
pub(super) fn empty() {
    MAGAZINE.with(Magazine::empty);
}

/// Hands this thread's blocks to the depot if they exceed the limit in force.
pub(super) fn shrink() {
    MAGAZINE.with(|m| {
        if m.counts.cached() > depot::own_limit() {
            m.empty();
        }
    });
}

impl Magazine {
    #[inline]
    fn pop(&self, class: Class) -> Option<NonNull<u8>> {
        // SAFETY: the cell belongs to this thread, and no other reference to its content lives: neither `push`, `pop`
        // nor `empty` calls foreign code while it has one.
        let head = unsafe { &mut (*self.heads.get())[class.index()] };
        let block = NonNull::new(*head)?;
        // SAFETY: a block in the magazine is unused, and its first word is its link.
        *head = unsafe { block.cast::<Link>().read() };
        self.counts.cached.store(self.counts.cached.load(Relaxed) - class.size(), Relaxed);
        Some(block)
    }

    /// # Safety
    ///
    /// The block is of this class and unused, and the magazine is open.
    #[inline]
    unsafe fn push(&self, block: NonNull<u8>, class: Class) {
        // SAFETY: see `pop`.
        let head = unsafe { &mut (*self.heads.get())[class.index()] };
        // SAFETY: the block is unused, at least 64 bytes large and aligned to 64.
        unsafe { block.cast::<Link>().write(*head) };
        *head = block.as_ptr();
        self.counts.cached.store(self.counts.cached.load(Relaxed) + class.size(), Relaxed);
    }

    #[cold]
    #[inline(never)]
    fn fetch(&self, class: Class) -> Option<NonNull<u8>> {
        let open = self.open();
        if open {
            self.counts.acquired.store(self.counts.acquired.load(Relaxed) + 1, Relaxed);
        } else {
            depot::count_request();
        }
        let most = if open && class.index() < CLASSES { BATCH.min(BATCH_BYTES / class.size()) } else { 0 };
        // SAFETY: the depot hands out unused blocks of this class; they are kept only if the magazine is open.
        depot::acquire(class, most, |block| unsafe { self.push(block, class) })
    }

    /// Registers the magazine at first use. False if it may keep nothing.
    fn open(&self) -> bool {
        if self.life.get() == Life::New {
            // Closed meanwhile, as what follows might allocate: a global allocator may use tensors for all we know.
            self.life.set(Life::Over);
            // After the thread-local's destruction the guard cannot be made, and the magazine stays closed.
            if GUARD.try_with(|_| ()).is_ok() {
                // SAFETY: the counts stay until the thread's end; the guard, which now exists, counts them out before.
                let joined = unsafe { depot::join(&self.counts) };
                if joined {
                    self.counts.cached.store(0, Relaxed);
                }
                // Refused for want of room under the cap: ask again next time.
                self.life.set(if joined { Life::Open } else { Life::New });
            }
        }
        self.life.get() == Life::Open
    }

    /// # Safety
    ///
    /// The block is of this class and unused.
    #[cold]
    #[inline(never)]
    unsafe fn hand_over(&self, block: NonNull<u8>, class: Class) {
        if class.index() < CLASSES && class.size() <= depot::own_limit() && self.open() {
            if self.counts.cached() + class.size() > depot::own_limit() {
                // Full, and perhaps of classes that nobody asks for any more: start afresh.
                self.empty();
            }
            // SAFETY: the caller gives up the block, and the magazine is open.
            return unsafe { self.push(block, class) };
        }
        // SAFETY: the block is unused; alone, it is a list that ends.
        unsafe {
            block.cast::<Link>().write(null_mut());
            depot::release(block.as_ptr(), class);
        }
    }

    fn empty(&self) {
        for index in 0..CLASSES {
            let class = Class::at(index);
            // SAFETY: see `pop`; the reference ends with the statement.
            let list = unsafe { std::mem::replace(&mut (*self.heads.get())[index], null_mut()) };
            if list.is_null() {
                continue;
            }
            let mut bytes = 0;
            let mut link = list;
            while let Some(block) = NonNull::new(link) {
                bytes += class.size();
                // SAFETY: an unused block's first word is its link.
                link = unsafe { block.cast::<Link>().read() };
            }
            self.counts.cached.store(self.counts.cached.load(Relaxed) - bytes, Relaxed);
            // SAFETY: the blocks left the magazine and nobody uses them.
            unsafe { depot::release(list, class) };
        }
    }
}
