//! Buffer planning: which part of the arena each value has, by when it is written first and read last.
//! Buffers that live at the same time never overlap; a result may lie over an operand that its step reads last.

use super::free_ranges::Gaps;
use crate::ir::steps::count;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Between buffers, so that each starts on a cache line.
const LINE: usize = 64;

#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub bytes: usize,
    /// First and last step that touches it.
    pub start: usize,
    pub end: usize,
    /// The buffer whose memory it may take over at its start, if that one ends there.
    pub over: Option<usize>,
    pub offset: usize,
}

/// All buffers, and who used them when.
#[derive(Default)]
pub(super) struct Arena {
    pub buffers: Vec<Buffer>,
    uses: Vec<(usize, usize)>,
    loops: Vec<(usize, usize)>,
}

impl Arena {
    pub fn add(&mut self, bytes: usize, at: usize) -> usize {
        self.buffers.push(Buffer { bytes: bytes.next_multiple_of(LINE), start: at, end: at, over: None, offset: 0 });
        self.buffers.len() - 1
    }

    pub fn touch(&mut self, buffer: usize, at: usize) {
        self.buffers[buffer].end = self.buffers[buffer].end.max(at);
        self.uses.push((buffer, at));
    }

    /// Notes that the steps from `start` to `end` run again and again: what they read of outside must outlive them.
    pub fn repeat(&mut self, start: usize, end: usize) {
        self.loops.push((start, end));
    }

    /// Gives every buffer its place; answers the bytes of all.
    pub fn plan(&mut self) -> usize {
        self.outlive_loops();
        let mut order: Vec<usize> = (0..self.buffers.len()).collect();
        order.sort_by_key(|&b| self.buffers[b].start);
        let mut total = 0;
        let mut placed = Placed::new(self.buffers.len());
        for b in order {
            count(1);
            placed.leave(&self.buffers, self.buffers[b].start);
            let offset = placed.enter(&self.buffers, b);
            self.buffers[b].offset = offset;
            total = total.max(offset + self.buffers[b].bytes);
        }
        total
    }

    /// What a loop reads of outside lives until the loop's last step.
    fn outlive_loops(&mut self) {
        // Steps are compiled in order, so that this has nothing to do.
        self.uses.sort_by_key(|&(_, at)| at);
        // Inner loops were noted before outer ones.
        for &(start, end) in &self.loops {
            let [first, behind] = [start, end + 1].map(|step| self.uses.partition_point(|&(_, at)| at < step));
            count(behind - first);
            for &(buffer, _) in &self.uses[first..behind] {
                let buffer = &mut self.buffers[buffer];
                if buffer.start < start {
                    buffer.end = buffer.end.max(end);
                }
            }
        }
    }
}

/// The buffers that have places, and what they leave free: those that begin later are asked for later.
struct Placed {
    gaps: Gaps,
    /// Those that live, by their last step.
    alive: BinaryHeap<Reverse<(usize, usize)>>,
    has_place: Vec<bool>,
    /// By buffer the one that took its memory over, and the one from which it has its own.
    heir: Vec<Option<usize>>,
    before: Vec<Option<usize>>,
}

impl Placed {
    fn new(n: usize) -> Self {
        Self {
            gaps: Gaps::new(),
            alive: BinaryHeap::new(),
            has_place: vec![false; n],
            heir: vec![None; n],
            before: vec![None; n],
        }
    }

    /// Frees what is not touched from this step on.
    fn leave(&mut self, buffers: &[Buffer], step: usize) {
        while let Some(&Reverse((end, b))) = self.alive.peek()
            && end < step
        {
            count(1);
            self.alive.pop();
            if self.heir[b].is_none() {
                self.gaps.give_back(buffers[b].offset, buffers[b].bytes);
            }
        }
    }

    /// The place of a buffer: over the one that it may take over, or the lowest that is free.
    fn enter(&mut self, buffers: &[Buffer], b: usize) -> usize {
        let own = &buffers[b];
        self.has_place[b] = true;
        if own.bytes == 0 {
            return 0;
        }
        self.alive.push(Reverse((own.end, b)));
        match self.inherited(buffers, b) {
            Some(under) => {
                self.heir[under] = Some(b);
                self.before[b] = Some(under);
                buffers[under].offset
            }
            None => self.gaps.take(own.bytes),
        }
    }

    /// The buffer that this one may lie over, if nothing else is there.
    fn inherited(&self, buffers: &[Buffer], b: usize) -> Option<usize> {
        let own = &buffers[b];
        let under = own.over?;
        let ends_here = buffers[under].end == own.start && buffers[under].bytes == own.bytes;
        let still_there = self.before[under].is_some_and(|first| buffers[first].end >= own.start);
        let alone = self.has_place[under] && self.heir[under].is_none() && !still_there;
        (ends_here && alone).then_some(under)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_share_memory_when_they_do_not_live_together() {
        let mut arena = Arena::default();
        let a = arena.add(100, 0);
        let b = arena.add(64, 1);
        arena.touch(a, 1);
        let c = arena.add(128, 2);
        arena.touch(b, 2);
        arena.touch(c, 3);
        assert_eq!(arena.plan(), 192);
        let at = |i: usize| arena.buffers[i].offset;
        assert_eq!([at(a), at(b), at(c)], [0, 128, 0]);
    }

    #[test]
    fn what_a_loop_reads_outlives_it() {
        let mut arena = Arena::default();
        let outside = arena.add(64, 0);
        arena.touch(outside, 2);
        let inside = arena.add(64, 3);
        arena.touch(inside, 4);
        arena.repeat(2, 5);
        let after = arena.add(64, 6);
        assert_eq!(arena.plan(), 128);
        assert_ne!(arena.buffers[outside].offset, arena.buffers[inside].offset);
        assert_eq!(arena.buffers[after].offset, 0);
    }

    #[test]
    fn a_result_takes_the_place_of_its_last_operand() {
        let mut arena = Arena::default();
        let a = arena.add(256, 0);
        arena.touch(a, 1);
        let b = arena.add(256, 1);
        arena.buffers[b].over = Some(a);
        arena.touch(b, 2);
        assert_eq!((arena.plan(), arena.buffers[b].offset), (256, 0));
    }

    /// Places found by looking at all buffers that were placed before, which is what the words say and takes n² steps.
    fn plainly(arena: &Arena) -> Vec<usize> {
        let mut buffers = arena.buffers.clone();
        let mut order: Vec<usize> = (0..buffers.len()).collect();
        order.sort_by_key(|&b| buffers[b].start);
        for (nth, &b) in order.iter().enumerate() {
            let own = buffers[b].clone();
            let meets = |other: &Buffer| own.start <= other.end && other.start <= own.end;
            let others: Vec<&Buffer> = order[..nth].iter().map(|&p| &buffers[p]).filter(|p| meets(p)).collect();
            let free = |at: usize| others.iter().all(|o| at + own.bytes <= o.offset || o.offset + o.bytes <= at);
            let over = own.over.filter(|&under| {
                let before = &buffers[under];
                let same = |o: &&&Buffer| std::ptr::eq(**o, before);
                let alone = others
                    .iter()
                    .filter(|o| !same(o))
                    .all(|o| before.offset + own.bytes <= o.offset || o.offset + o.bytes <= before.offset);
                order[..nth].contains(&under) && before.end == own.start && before.bytes == own.bytes && alone
            });
            let ends = others.iter().map(|o| o.offset + o.bytes);
            let lowest = std::iter::once(0).chain(ends).filter(|&at| free(at)).min();
            buffers[b].offset = over.map_or_else(|| lowest.unwrap(), |under| buffers[under].offset);
        }
        buffers.iter().map(|b| b.offset).collect()
    }

    #[test]
    fn places_are_those_that_looking_at_all_buffers_gives() {
        let mut state = 3u64;
        let mut dice = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for _ in 0..300 {
            let mut arena = Arena::default();
            for step in 0..40 {
                for _ in 0..dice(3) {
                    let b = arena.add(64 * dice(5), step);
                    let longest = if dice(4) == 0 { 30 } else { 3 };
                    arena.touch(b, step + dice(longest));
                    let ending = |o: &usize| arena.buffers[*o].end == step && *o != b;
                    if let Some(under) = (0..b).filter(ending).nth(dice(2)) {
                        arena.buffers[b].over = Some(under);
                    }
                }
            }
            let expected = plainly(&arena);
            arena.plan();
            assert_eq!(arena.buffers.iter().map(|b| b.offset).collect::<Vec<_>>(), expected);
        }
    }
}
