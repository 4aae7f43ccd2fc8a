//! The memory of one capture: blocks that are freed while capturing serve again within it, in the order of the stream.
//! `capture.rs` tries the work in an arena without memory first, and so knows the segments that recording it will take.

use super::buffers::Buffer;
use super::driver::Address;
use super::gpu::Gpu;
use super::memory::{Blocks, segment_for};
use crate::error::{Error, Result};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where the numbers of the first segment begin. Blocks are found by numbers of the arena's own, not by addresses: so the same
/// requests find the same blocks whatever addresses the driver gives.
const FIRST: Address = 1 << 44;

pub(super) struct Arena(Mutex<Room>);

struct Room {
    blocks: Blocks,
    segments: Vec<Segment>,
    /// Segments that are not in use yet.
    reserved: Vec<(usize, Buffer)>,
    /// Whether nothing is behind the numbers.
    trial: bool,
    /// Sizes of all segments that were wanted, in order.
    wanted: Vec<usize>,
    short: bool,
}

struct Segment {
    number: Address,
    size: usize,
    held: Option<Buffer>,
}

impl Arena {
    fn with(reserved: Vec<(usize, Buffer)>, trial: bool) -> Self {
        let (blocks, segments, wanted) = (Blocks::default(), Vec::new(), Vec::new());
        Self(Mutex::new(Room { blocks, segments, reserved, trial, wanted, short: false }))
    }

    /// An arena without memory: it only tells which segments would be wanted.
    pub fn trial() -> Self {
        Self::with(Vec::new(), true)
    }

    /// An arena that can give out segments of these sizes. They are taken from the device now: while a stream
    /// captures, the driver gives no memory.
    pub fn reserve(gpu: &'static Gpu, sizes: &[usize]) -> Result<Self> {
        let take = |&size: &usize| Ok((size, gpu.allocate_outside(size)?));
        Ok(Self::with(sizes.iter().map(take).collect::<Result<_>>()?, false))
    }

    fn room(&self) -> MutexGuard<'_, Room> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A block of at least `size` bytes, as [`super::memory::rounded`] gives them.
    pub fn take(&self, size: usize) -> Result<Address> {
        let mut room = self.room();
        if let Some(number) = room.blocks.take(size, true) {
            return room.address(number);
        }
        room.add(segment_for(size))?;
        let number = room.blocks.take(size, true);
        room.address(number.ok_or_else(|| Error::internal("capture", "a fresh segment does not hold its block"))?)
    }

    /// Takes a block back. Whether it was one that is in use.
    pub fn give(&self, address: Address) -> bool {
        let mut room = self.room();
        let number = room.number(address);
        number.is_some_and(|number| room.blocks.give(number))
    }

    /// The sizes of all segments that were wanted so far, also one that was not there.
    pub fn wanted(&self) -> Vec<usize> {
        self.room().wanted.clone()
    }

    /// As [`Arena::wanted`], with what was reserved and never used.
    pub fn wanted_and_left(&self) -> Vec<usize> {
        let room = self.room();
        room.wanted.iter().copied().chain(room.reserved.iter().map(|(size, _)| *size)).collect()
    }

    /// Whether a segment was wanted that was not there.
    pub fn is_short(&self) -> bool {
        self.room().short
    }

    /// Bytes of all segments.
    pub fn bytes(&self) -> usize {
        self.room().segments.iter().map(|s| s.size).sum()
    }
}

impl Room {
    /// Puts the next segment into use.
    fn add(&mut self, size: usize) -> Result<()> {
        self.wanted.push(size);
        let held = match self.trial {
            true => None,
            false => match self.reserved.iter().position(|(reserved, _)| *reserved == size) {
                Some(at) => Some(self.reserved.swap_remove(at).1),
                None => {
                    self.short = true;
                    return Err(Error::internal("capture", "more memory is wanted than when the work was tried"));
                }
            },
        };
        let number = self.segments.last().map_or(FIRST, |last| last.number + last.size as Address);
        self.blocks.add_segment(number, size, size == segment_for(0));
        self.segments.push(Segment { number, size, held });
        Ok(())
    }

    fn address(&self, number: Address) -> Result<Address> {
        let segment = self.segments.iter().rfind(|s| s.number <= number);
        let segment = segment.ok_or_else(|| Error::internal("capture", "a block of no segment"))?;
        Ok(segment.base() + (number - segment.number))
    }

    fn number(&self, address: Address) -> Option<Address> {
        let lies = |s: &&Segment| (s.base()..s.base() + s.size as Address).contains(&address);
        self.segments.iter().find(lies).map(|s| s.number + (address - s.base()))
    }
}

impl Segment {
    fn base(&self) -> Address {
        self.held.as_ref().map_or(self.number, Buffer::address)
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::rounded;
    use super::*;

    /// Takes and gives back blocks of varying sizes; the numbers of the blocks, and whether one could not be had.
    fn requests(arena: &Arena) -> (Vec<Address>, bool) {
        let mut live: Vec<Address> = Vec::new();
        let mut all = Vec::new();
        for i in 0..200usize {
            let Ok(address) = arena.take(rounded((i * 7919) % 300_000 + 4_000_000 * usize::from(i % 17 == 0))) else {
                return (all, true);
            };
            all.push(address);
            live.push(address);
            if i % 3 == 2 {
                assert!(arena.give(live.swap_remove(i % live.len())));
            }
        }
        live.into_iter().for_each(|address| assert!(arena.give(address)));
        (all, false)
    }

    #[test]
    fn a_trial_tells_what_the_same_requests_will_want() {
        let (first, second) = (Arena::trial(), Arena::trial());
        assert_eq!(requests(&first), requests(&second));
        assert_eq!(first.wanted(), second.wanted());
        assert!(first.wanted().len() > 1 && first.bytes() == first.wanted().iter().sum::<usize>());
        assert!(!first.give(FIRST), "a block that is free is not in use");
    }

    #[test]
    fn an_arena_that_runs_short_says_what_it_wants() {
        let nothing = Arena::with(Vec::new(), false);
        assert!(requests(&nothing).1 && nothing.is_short());
        assert_eq!(nothing.wanted().len(), 1);
    }
}
