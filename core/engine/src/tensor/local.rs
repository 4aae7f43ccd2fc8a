//! The per-thread state that every operation looks at: which observers are active, the free blocks, the next tensor id.
//! One thread-local holds it all, so that the hot path computes one address.

use super::block::Block;
use std::cell::Cell;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bits of the mode word. Zero means "just run it".
pub(crate) mod mode {
    /// At least one gradient tape records on this thread.
    pub const TAPE: u32 = 1;
    /// At least one forward accumulator follows the operations of this thread.
    pub const FORWARD: u32 = 2;
    /// A recorder takes the operations instead of the kernels.
    pub const TRACE: u32 = 4;
    /// Operations are placed: a device guard is in force, or they run on a GPU unless told otherwise.
    pub const DEVICE: u32 = 8;
    /// Somebody wants to know which variables are read while tapes or accumulators are active.
    pub const WATCH: u32 = 16;
    /// The thread has run no operation yet, so that nobody has looked for its default device.
    pub const FRESH: u32 = 32;
    /// Random numbers are those of an element of a data set.
    pub const ELEMENT: u32 = 64;
    /// Results are checked for NaN and infinities.
    pub const CHECK: u32 = 128;
}

/// The life of a thread's list of free blocks.
mod list {
    /// Nothing was put on it yet, and nobody will empty it.
    pub const NEW: u8 = 0;
    /// [`super::CLOSER`] empties it when the thread ends.
    pub const OPEN: u8 = 1;
    /// The thread is ending: blocks go straight back to the system.
    pub const CLOSED: u8 = 2;
}

type Line = Option<&'static Location<'static>>;

pub(crate) struct Local {
    /// The bits of [`mode`] that are set.
    pub mode: Cell<u32>,
    /// The user's line in whose name operations are noted, where it is not that of the caller: see [`InName`].
    line: Cell<Line>,
    /// The number of this thread, once it has made a tensor.
    thread: Cell<u64>,
    next_id: Cell<u64>,
    end_of_ids: Cell<u64>,
    free: Cell<*mut Block>,
    free_count: Cell<u32>,
    /// Whether the list is kept: see [`list`].
    list: Cell<u8>,
}

thread_local! {
    // No destructor: it stays usable while other thread-locals that hold tensors are dropped.
    pub(crate) static LOCAL: Local = const {
        Local {
            mode: Cell::new(mode::FRESH),
            line: Cell::new(None),
            thread: Cell::new(0),
            next_id: Cell::new(0),
            end_of_ids: Cell::new(0),
            free: Cell::new(std::ptr::null_mut()),
            free_count: Cell::new(0),
            list: Cell::new(list::NEW),
        }
    };
    static CLOSER: Closer = const { Closer };
}

/// Gives the free blocks back when the thread ends.
struct Closer;

impl Drop for Closer {
    fn drop(&mut self) {
        LOCAL.with(|local| {
            local.list.set(list::CLOSED);
            while let Some(block) = local.pop() {
                // SAFETY: blocks on the list are unused and came from `Block::from_system`.
                unsafe { Block::to_system(block) };
            }
        });
    }
}

/// Ids are handed to threads in runs of this length, so that the shared counter is rarely touched.
const RUN: u64 = 1 << 20;
static IDS: AtomicU64 = AtomicU64::new(1);
/// Which thread has each run, by the threads' own numbers.
static OWNERS: Mutex<Vec<u64>> = Mutex::new(Vec::new());
static THREADS: AtomicU64 = AtomicU64::new(1);

fn run_of(id: u64) -> usize {
    (id.saturating_sub(1) / RUN) as usize
}

/// A moment in the numbering of tensors, see [`Local::mark`].
#[derive(Clone, Copy)]
pub(crate) struct IdMark {
    next: u64,
    end: u64,
    shared: u64,
}

impl IdMark {
    /// Whether the tensor with this id was made after the mark: on this thread, or on a thread that took numbers since.
    pub fn is_before(&self, id: u64) -> bool {
        id >= self.shared || (self.next..self.end).contains(&id)
    }
}

/// Blocks kept per thread: 4096 of 256 bytes, one megabyte.
const MOST_FREE: u32 = 4096;

impl Local {
    /// A number that no other tensor of the process has or will have.
    #[inline]
    pub fn fresh_id(&self) -> u64 {
        let id = self.next_id.get();
        if id == self.end_of_ids.get() {
            return self.next_run();
        }
        self.next_id.set(id + 1);
        id
    }

    /// The number of the next tensor that this thread makes; a thread's numbers only grow.
    pub fn upcoming_id(&self) -> u64 {
        self.next_id.get()
    }

    /// Whether this thread made the tensor with this id.
    #[cold]
    pub fn made_here(&self, id: u64) -> bool {
        let owners = OWNERS.lock().unwrap_or_else(PoisonError::into_inner);
        owners.get(run_of(id)) == Some(&self.thread.get())
    }

    #[cold]
    fn next_run(&self) -> u64 {
        let id = IDS.fetch_add(RUN, Ordering::Relaxed);
        if self.thread.get() == 0 {
            self.thread.set(THREADS.fetch_add(1, Ordering::Relaxed));
        }
        let mut owners = OWNERS.lock().unwrap_or_else(PoisonError::into_inner);
        if owners.len() <= run_of(id) {
            owners.resize(run_of(id) + 1, 0);
        }
        owners[run_of(id)] = self.thread.get();
        drop(owners);
        self.next_id.set(id + 1);
        self.end_of_ids.set(id + RUN);
        id
    }

    /// Where the numbering stands: tensors made later can be told from those made before.
    pub fn mark(&self) -> IdMark {
        IdMark { next: self.next_id.get(), end: self.end_of_ids.get(), shared: IDS.load(Ordering::Relaxed) }
    }

    #[inline]
    pub fn pop(&self) -> Option<*mut Block> {
        let head = self.free.get();
        if head.is_null() {
            return None;
        }
        // SAFETY: a block on the list is unused and holds the next one's address in its first word.
        self.free.set(unsafe { *head.cast::<*mut Block>() });
        self.free_count.set(self.free_count.get() - 1);
        Some(head)
    }

    /// Keeps an unused block for the next tensor of this thread.
    ///
    /// # Safety
    /// The block came from `Block::from_system` and nobody uses it any more.
    #[inline]
    pub unsafe fn push(&self, block: *mut Block) {
        if (self.free_count.get() >= MOST_FREE || self.list.get() != list::OPEN) && !self.open() {
            // SAFETY: by the caller's promise.
            unsafe { Block::to_system(block) };
            return;
        }
        // SAFETY: the block is at least one pointer long and unused.
        unsafe { *block.cast::<*mut Block>() = self.free.get() };
        self.free.set(block);
        self.free_count.set(self.free_count.get() + 1);
    }

    /// Whether the list takes a block. A thread's first one makes sure that the list is emptied at the thread's end;
    /// that thread may never have made a tensor itself.
    #[cold]
    fn open(&self) -> bool {
        if self.list.get() == list::NEW {
            // Fails only while the thread is ending.
            let registered = CLOSER.try_with(|_| ()).is_ok();
            self.list.set(if registered { list::OPEN } else { list::CLOSED });
        }
        self.list.get() == list::OPEN && self.free_count.get() < MOST_FREE
    }

    #[inline]
    pub fn has(&self, bits: u32) -> bool {
        self.mode.get() & bits != 0
    }

    /// Whether operations are in the name of another line than their callers'.
    pub fn in_name(&self) -> bool {
        self.line.get().is_some()
    }

    pub fn set_mode(&self, bits: u32, on: bool) {
        let mode = self.mode.get();
        self.mode.set(if on { mode | bits } else { mode & !bits });
    }
}

/// The user's line of an operation that is called here: that of the caller, unless it is in the name of another.
#[inline]
#[track_caller]
pub(crate) fn user_line() -> &'static Location<'static> {
    let caller = Location::caller();
    LOCAL.with(|local| local.line.get()).unwrap_or(caller)
}

/// While it lives, what this thread records is noted in the name of a line of the user: operations that the library calls on
/// its own have no such line, as those of gradients.
pub(crate) struct InName(Line);

impl InName {
    /// In the name of a line; `None` for code of the user, whose operations have lines of their own.
    #[inline]
    pub fn of(line: Line) -> Self {
        Self(LOCAL.with(|local| local.line.replace(line)))
    }

    /// In the same name as before.
    #[inline]
    pub fn same() -> Self {
        Self(LOCAL.with(|local| local.line.get()))
    }

    /// From here on in the name of another line.
    #[inline]
    pub fn turn_to(&self, line: &'static Location<'static>) {
        LOCAL.with(|local| local.line.set(Some(line)));
    }
}

impl Drop for InName {
    #[inline]
    fn drop(&mut self) {
        LOCAL.with(|local| local.line.set(self.0));
    }
}
