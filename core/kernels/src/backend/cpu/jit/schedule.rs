//! Another order of the same lines, in which chains that do not depend on each other take turns.
//! `mod.rs` asks for it before registers are given out; results are the same bits, since every line stays what it is.

use super::ops::{List, Op, Source};

/// Lists longer than this keep their order: looking for the best line each time would cost more than it gains.
const MOST: usize = 600;

/// Cycles until the result of an operation may be used, roughly.
fn latency(op: Op) -> u32 {
    match op {
        Op::Load(_) | Op::LoadBytes(_) => 8,
        Op::Div | Op::Sqrt => 20,
        Op::And | Op::Or | Op::Xor | Op::Bits | Op::Flip | Op::ShlI(_) | Op::ShrI(_) | Op::SarI(_) => 1,
        Op::AddI | Op::SubI | Op::MinI | Op::MaxI | Op::AbsI | Op::Choose => 1,
        _ => 4,
    }
}

impl List {
    /// Puts the lines into an order for `streams` vectors side by side with `room` registers for each.
    pub fn schedule(&mut self, streams: usize, room: usize) {
        if self.lines.len() > MOST {
            return;
        }
        let order = Schedule::new(self, streams as u32, room).run();
        self.lines = order.into_iter().map(|at| self.lines[at]).collect();
    }
}

struct Schedule<'a> {
    list: &'a List,
    streams: u32,
    room: usize,
    /// The line that computes each value.
    makers: Vec<Option<usize>>,
    /// Cycles from a line's begin to the end of all that follows from it.
    path: Vec<u32>,
    /// Reads of each value that are still to come.
    reads: Vec<u32>,
    /// When each value may be used.
    done: Vec<Option<u32>>,
    /// Lines that read operands, in order: a result that is stored may lie over one.
    readers: Vec<usize>,
    alive: usize,
}

impl<'a> Schedule<'a> {
    fn new(list: &'a List, streams: u32, room: usize) -> Self {
        let mut makers = vec![None; list.values.len()];
        let mut reads = vec![0; list.values.len()];
        let mut readers = Vec::new();
        for (at, line) in list.lines.iter().enumerate() {
            makers[line.to.0 as usize] = Some(at);
            line.args().iter().for_each(|arg| reads[arg.0 as usize] += 1);
            let loads = |at: usize| matches!(list.lines[at].op, Op::Load(_) | Op::LoadBytes(_));
            let of_load = line.args().iter().any(|arg| makers[arg.0 as usize].is_some_and(loads));
            if loads(at) || of_load {
                readers.push(at);
            }
        }
        let mut path = vec![0; list.lines.len()];
        for (at, line) in list.lines.iter().enumerate().rev() {
            path[at] += latency(line.op);
            for arg in line.args() {
                if let Some(maker) = makers[arg.0 as usize] {
                    path[maker] = path[maker].max(path[at]);
                }
            }
        }
        let done = list.values.iter().map(|source| (*source != Source::Line).then_some(0)).collect();
        Self { list, streams, room, makers, path, reads, done, readers, alive: 0 }
    }

    fn run(mut self) -> Vec<usize> {
        let mut left: Vec<usize> = (0..self.list.lines.len()).collect();
        let mut order = Vec::with_capacity(left.len());
        // In thirds of a cycle, since about three operations begin in one.
        let mut now = 0;
        while let Some(at) = self.choose(&left, now / 3) {
            let line = self.list.lines[left[at]];
            let number = left.remove(at);
            now = now.max(self.ready(number).unwrap_or(0) * 3);
            self.alive = self.alive.wrapping_add_signed(self.growth(number));
            line.args().iter().for_each(|arg| self.reads[arg.0 as usize] -= 1);
            self.done[line.to.0 as usize] = Some(now / 3 + latency(line.op));
            now += self.streams;
            order.push(number);
            self.readers.retain(|&reader| reader != number);
        }
        order
    }

    /// When the arguments of a line are there; `None` if one is not even begun.
    fn ready(&self, number: usize) -> Option<u32> {
        let line = &self.list.lines[number];
        if matches!(line.op, Op::Store(_) | Op::StoreBytes(_)) && self.readers.first().is_some_and(|&r| r < number) {
            return None;
        }
        line.args().iter().map(|arg| self.done[arg.0 as usize]).try_fold(0, |most, done| Some(most.max(done?)))
    }

    /// How many more registers are taken after a line.
    fn growth(&self, number: usize) -> isize {
        let line = &self.list.lines[number];
        let mut growth = isize::from(self.reads[line.to.0 as usize] > 0);
        let args = line.args();
        for (i, arg) in args.iter().enumerate() {
            let times = args.iter().filter(|a| *a == arg).count() as u32;
            let first = !args[..i].contains(arg);
            if first && self.makers[arg.0 as usize].is_some() && self.reads[arg.0 as usize] == times {
                growth -= 1;
            }
        }
        growth
    }

    /// The line to go on with, as a place among those left.
    fn choose(&self, left: &[usize], now: u32) -> Option<usize> {
        let full = self.alive + 1 >= self.room;
        let mut best: Option<(usize, (bool, u32, u32))> = None;
        for (at, &number) in left.iter().enumerate() {
            let Some(ready) = self.ready(number) else { continue };
            // With few registers left, lines that free some; then those that need not wait, the longest path first.
            let frees = !full || self.growth(number) <= 0;
            let key = (frees, u32::MAX - ready.saturating_sub(now), self.path[number]);
            if best.is_none_or(|(_, other)| key > other) {
                best = Some((at, key));
            }
        }
        best.map(|(at, _)| at)
    }
}
