//! Pinned memory of the host through which copies go: a ring for those to a device, and a place for small reads and the word of
//! faults. `transfer.rs` holds both behind locks of their own, so that a read that waits keeps nobody from bringing more.

use super::driver::{self, Answer, Event, Stream};
use super::faults::Word;

/// Bytes of a section of the ring. A section serves again when the copies out of it are done; nobody waits for more than those.
const SECTION: usize = 8 << 20;
const SECTIONS: usize = 4;
/// Bytes of a copy to the device that go at a time, so that bringing the next ones there overlaps with it.
pub(super) const PIECE: usize = 4 << 20;
/// Reads of this size and more come straight to the caller's memory.
pub(super) const DIRECT: usize = 128 << 10;
/// Bytes before the small reads that the word of faults is read into.
const WORD: usize = 512;
const _: () = assert!(size_of::<Word>() <= WORD && PIECE <= SECTION);

/// A ring of copies to the device.
pub(super) struct Uploads {
    base: *mut u8,
    section: usize,
    /// Bytes of the section that are taken.
    taken: usize,
    /// What the stream reaches when the copies out of a section are done, and whether it was recorded since.
    done: [(Event, bool); SECTIONS],
}

// SAFETY: the memory is only touched by who holds the lock around it.
unsafe impl Send for Uploads {}

impl Uploads {
    pub fn new() -> Answer<Self> {
        let mut done = [(Event(0), false); SECTIONS];
        for (event, _) in &mut done {
            *event = driver::new_event()?;
        }
        Ok(Self { base: driver::allocate_pinned(SECTION * SECTIONS)?, section: 0, taken: 0, done })
    }

    /// Room for a copy of at most [`PIECE`] bytes that is queued next.
    pub fn room(&mut self, bytes: usize, stream: Stream) -> Answer<*mut u8> {
        if self.taken + bytes > SECTION {
            driver::record(self.done[self.section].0, stream)?;
            self.done[self.section].1 = true;
            let next = (self.section + 1) % SECTIONS;
            if self.done[next].1 {
                driver::await_event(self.done[next].0)?;
                self.done[next].1 = false;
            }
            (self.section, self.taken) = (next, 0);
        }
        let room = self.base.wrapping_add(self.section * SECTION + self.taken);
        self.taken += bytes.next_multiple_of(64);
        Ok(room)
    }
}

/// Where the host reads into what is small.
pub(super) struct Reads(*mut u8);

// SAFETY: as above.
unsafe impl Send for Reads {}

impl Reads {
    pub fn new() -> Answer<Self> {
        driver::allocate_pinned(WORD + DIRECT).map(Self)
    }

    /// The place of the word of faults.
    pub fn word(&self) -> *mut u8 {
        self.0
    }

    /// The place of a read of fewer than [`DIRECT`] bytes.
    pub fn small(&self) -> *mut u8 {
        self.0.wrapping_add(WORD)
    }
}
