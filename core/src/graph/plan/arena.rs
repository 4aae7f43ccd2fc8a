//! Buffer planning: which part of the arena each value has, by when it is written first and read last.
//! Buffers that live at the same time never overlap; a result may lie over an operand that its step reads last.

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
        // Inner loops were noted before outer ones.
        for &(start, end) in &self.loops {
            for &(buffer, at) in &self.uses {
                let buffer = &mut self.buffers[buffer];
                if (start..=end).contains(&at) && buffer.start < start {
                    buffer.end = buffer.end.max(end);
                }
            }
        }
        let mut order: Vec<usize> = (0..self.buffers.len()).collect();
        order.sort_by_key(|&b| self.buffers[b].start);
        let mut total = 0;
        let mut placed: Vec<usize> = Vec::new();
        for b in order {
            let offset = self.inherited(b, &placed).unwrap_or_else(|| self.first_gap(b, &placed));
            self.buffers[b].offset = offset;
            total = total.max(offset + self.buffers[b].bytes);
            placed.push(b);
        }
        total
    }

    /// The place of the buffer that this one may lie over, if nothing else is there.
    fn inherited(&self, b: usize, placed: &[usize]) -> Option<usize> {
        let own = &self.buffers[b];
        let under = own.over?;
        let before = &self.buffers[under];
        if before.end != own.start || before.bytes != own.bytes || !placed.contains(&under) {
            return None;
        }
        let free = |other: &usize| *other == under || !self.collide(b, before.offset, *other);
        placed.iter().all(free).then_some(before.offset)
    }

    /// Whether buffer `b` at an offset would share bytes with a placed one at the same time.
    fn collide(&self, b: usize, offset: usize, other: usize) -> bool {
        let (own, other) = (&self.buffers[b], &self.buffers[other]);
        let in_time = own.start <= other.end && other.start <= own.end;
        in_time && offset < other.offset + other.bytes && other.offset < offset + own.bytes
    }

    /// The lowest place that is free while the buffer lives.
    fn first_gap(&self, b: usize, placed: &[usize]) -> usize {
        let own = &self.buffers[b];
        let mut taken: Vec<(usize, usize)> = placed
            .iter()
            .map(|&p| &self.buffers[p])
            .filter(|other| own.start <= other.end && other.start <= own.end)
            .map(|other| (other.offset, other.offset + other.bytes))
            .collect();
        taken.sort_unstable();
        let mut at = 0;
        for (start, end) in taken {
            if at + own.bytes <= start {
                break;
            }
            at = at.max(end);
        }
        at
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
}
