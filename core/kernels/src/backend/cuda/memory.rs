//! The allocator of a device's memory: segments from the driver, cut into blocks that are merged again when free.
//! `Gpu` owns one; buffers of tensors and scratch memory come from it. All work is in one stream, so a block may be
//! given out again as soon as its last user was queued.

use super::driver::Address;
use std::collections::{BTreeSet, HashMap};

/// Blocks are multiples of this, and so aligned to it.
const GRAIN: usize = 512;
/// Blocks up to this size come from small segments.
const SMALL: usize = 1 << 20;
/// The size of small segments.
const SMALL_SEGMENT: usize = 2 << 20;
/// The least size of large segments, for blocks below half of it.
const LARGE_SEGMENT: usize = 20 << 20;
/// Sizes of large segments are multiples of this.
const ROUND: usize = 2 << 20;

/// A part of a segment. Its address is the key it is found by.
struct Block {
    size: usize,
    free: bool,
    before: Option<Address>,
    after: Option<Address>,
    small: bool,
}

/// What an allocator has given out and holds, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Held {
    /// In buffers that live.
    pub used: usize,
    /// The most that `used` ever was.
    pub peak: usize,
    /// Taken from the driver.
    pub reserved: usize,
    /// Buffers that live.
    pub buffers: usize,
}

/// Knows all segments and blocks; asks nobody for memory itself, so that it can be tested without a device.
#[derive(Default)]
pub(super) struct Blocks {
    blocks: HashMap<Address, Block>,
    /// Free blocks of small and of large segments, by size, then address.
    free: [BTreeSet<(usize, Address)>; 2],
    pub held: Held,
}

/// The size of the block that serves a request.
pub(super) fn rounded(bytes: usize) -> usize {
    bytes.max(1).next_multiple_of(GRAIN)
}

/// The size of the segment that is asked of the driver when no free block serves `size`.
pub(super) fn segment_for(size: usize) -> usize {
    match size {
        _ if size <= SMALL => SMALL_SEGMENT,
        _ if size < LARGE_SEGMENT / 2 => LARGE_SEGMENT,
        _ => size.next_multiple_of(ROUND),
    }
}

impl Blocks {
    /// A free block for `size` bytes (as [`rounded`] gives them): the smallest that fits. While the driver may have more, a large block
    /// is spared which such a request would mostly waste: what is left of it could not go back until the request's memory does.
    pub fn take(&mut self, size: usize, spare: bool) -> Option<Address> {
        let small = size <= SMALL;
        let &(found, address) = self.free[usize::from(!small)].range((size, 0)..).next()?;
        if spare && !small && size >= LARGE_SEGMENT && found > size * 2 {
            return None;
        }
        self.free[usize::from(!small)].remove(&(found, address));
        let rest = found - size;
        let splits = if small { rest >= GRAIN } else { rest > SMALL };
        if splits {
            self.split(address, size, rest);
        }
        if let Some(block) = self.blocks.get_mut(&address) {
            block.free = false;
            self.held.used += block.size;
        }
        self.held.buffers += 1;
        self.held.peak = self.held.peak.max(self.held.used);
        Some(address)
    }

    /// Cuts `rest` bytes off the end of a block, as a free block.
    fn split(&mut self, address: Address, size: usize, rest: usize) {
        let behind = address + size as Address;
        let Some(block) = self.blocks.get_mut(&address) else { return };
        let (after, small) = (block.after.replace(behind), block.small);
        block.size = size;
        self.blocks.insert(behind, Block { size: rest, free: true, before: Some(address), after, small });
        if let Some(next) = after.and_then(|a| self.blocks.get_mut(&a)) {
            next.before = Some(behind);
        }
        self.free[usize::from(!small)].insert((rest, behind));
    }

    /// Takes a segment that the driver gave.
    pub fn add_segment(&mut self, address: Address, size: usize, small: bool) {
        self.blocks.insert(address, Block { size, free: true, before: None, after: None, small });
        self.free[usize::from(!small)].insert((size, address));
        self.held.reserved += size;
    }

    /// Takes a block back and merges it with free neighbours. Whether it was one that is in use.
    pub fn give(&mut self, address: Address) -> bool {
        let Some(block) = self.blocks.get_mut(&address).filter(|b| !b.free) else { return false };
        block.free = true;
        let (mut size, small, before, after) = (block.size, block.small, block.before, block.after);
        self.held.used -= size;
        self.held.buffers -= 1;
        let list = usize::from(!small);
        let mut start = address;
        if let Some(next) = after
            && self.blocks.get(&next).is_some_and(|b| b.free)
        {
            size += self.absorb(address, next, list);
        }
        if let Some(previous) = before
            && self.blocks.get(&previous).is_some_and(|b| b.free)
        {
            let own = self.blocks.get(&previous).map_or(0, |b| b.size);
            self.free[list].remove(&(own, previous));
            // `absorb` takes the later block out of the list of free ones, where this one is not yet.
            size = own + self.absorb(previous, address, list);
            start = previous;
        }
        self.free[list].insert((size, start));
        true
    }

    /// Makes `later`, which lies behind `earlier`, a part of it; its size.
    fn absorb(&mut self, earlier: Address, later: Address, list: usize) -> usize {
        let Some(gone) = self.blocks.remove(&later) else { return 0 };
        self.free[list].remove(&(gone.size, later));
        if let Some(block) = self.blocks.get_mut(&earlier) {
            block.size += gone.size;
            block.after = gone.after;
        }
        if let Some(next) = gone.after.and_then(|a| self.blocks.get_mut(&a)) {
            next.before = Some(earlier);
        }
        gone.size
    }

    /// Counts a buffer that is an allocation of its own.
    pub fn note_own(&mut self, address: Address, size: usize) {
        self.blocks.insert(address, Block { size, free: false, before: None, after: None, small: false });
        self.held.used += size;
        self.held.reserved += size;
        self.held.buffers += 1;
        self.held.peak = self.held.peak.max(self.held.used);
    }

    /// Forgets such a buffer. Whether it was one.
    pub fn forget_own(&mut self, address: Address) -> bool {
        let Some(block) = self.blocks.remove(&address) else { return false };
        self.held.used -= block.size;
        self.held.reserved -= block.size;
        self.held.buffers -= 1;
        true
    }

    /// Takes out all segments of which nothing is in use, for the driver to have back.
    pub fn unused_segments(&mut self) -> Vec<Address> {
        let whole = |b: &Block| b.free && b.before.is_none() && b.after.is_none();
        let unused: Vec<Address> = self.blocks.iter().filter(|(_, b)| whole(b)).map(|(&a, _)| a).collect();
        for address in &unused {
            if let Some(block) = self.blocks.remove(address) {
                self.free[usize::from(!block.small)].remove(&(block.size, *address));
                self.held.reserved -= block.size;
            }
        }
        unused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a segment serves whoever it suffices for: a full device has no other memory.
    #[test]
    fn what_is_left_of_a_large_segment_serves_much_smaller_blocks() {
        let mut blocks = Blocks::default();
        blocks.add_segment(1 << 32, 60 << 20, false);
        let first = blocks.take(rounded(3 << 20), true).unwrap();
        assert_eq!(blocks.take(rounded(25 << 20), true), None);
        let second = blocks.take(rounded(25 << 20), false).unwrap();
        assert_eq!((first, second), (1 << 32, (1 << 32) + (3 << 20)));
        assert_eq!(blocks.take(rounded(33 << 20), false), None);
    }

    /// Random requests against a list of what is in use: blocks never overlap, and all merges in the end.
    #[test]
    fn blocks_never_overlap_and_merge_again() {
        let (mut blocks, mut next) = (Blocks::default(), 1u64 << 32);
        let mut live: Vec<(Address, usize)> = Vec::new();
        let mut state = 1u64;
        let mut random = |n: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % n
        };
        for _ in 0..20_000 {
            if random(2) == 0 && !live.is_empty() {
                let (address, _) = live.swap_remove(random(live.len() as u64) as usize);
                assert!(blocks.give(address));
                assert!(!blocks.give(address) || live.iter().any(|(a, _)| *a == address));
                continue;
            }
            let size = rounded(match random(3) {
                0 => random(2000) as usize,
                1 => random(SMALL as u64 * 2) as usize,
                _ => random(64 << 20) as usize,
            });
            let address = blocks.take(size, true).unwrap_or_else(|| {
                let segment = segment_for(size);
                blocks.add_segment(next, segment, size <= SMALL);
                next += segment as u64 + (1 << 20);
                blocks.take(size, true).unwrap()
            });
            assert!(address % GRAIN as u64 == 0);
            assert!(live.iter().all(|&(a, s)| address + size as u64 <= a || a + s as u64 <= address));
            live.push((address, size));
            assert_eq!(blocks.held.buffers, live.len());
        }
        live.iter().for_each(|(a, _)| assert!(blocks.give(*a)));
        assert_eq!((blocks.held.used, blocks.held.buffers), (0, 0));
        let segments = blocks.blocks.len();
        assert_eq!(blocks.unused_segments().len(), segments);
        assert_eq!(blocks.held.reserved, 0);
        assert!(blocks.free.iter().all(BTreeSet::is_empty));
    }
}
