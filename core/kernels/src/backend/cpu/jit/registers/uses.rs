//! When each value of a round is read, and what that frees.
//! The walk of `registers.rs` asks before it gives out a register.

use super::{LoopBody, NO_REGISTER, NONE};
use crate::backend::cpu::jit::ops::{Line, Op};

impl LoopBody<'_> {
    pub(super) fn find_uses(&mut self) {
        let mut counts = vec![0u32; self.at.len()];
        for (line, vector) in &self.order {
            line.args().iter().for_each(|&arg| counts[self.number(arg, *vector)] += 1);
        }
        let mut sum = 0;
        for (v, count) in counts.iter().enumerate() {
            self.at[v] = sum;
            sum += count;
        }
        self.positions = vec![0; sum as usize];
        let mut fill = self.at.clone();
        for (position, (line, vector)) in self.order.iter().enumerate() {
            for &arg in line.args() {
                let v = self.number(arg, *vector);
                self.positions[fill[v] as usize] = position as u32;
                fill[v] += 1;
            }
        }
        fill.truncate(self.last.len());
        self.last = fill;
    }

    /// When a value is read next, from here on.
    pub(super) fn next_use(&self, v: usize) -> u32 {
        if self.at[v] < self.last[v] { self.positions[self.at[v] as usize] } else { NONE }
    }

    /// Frees the memory of values that are not read again: when their last line is written, since it may read from there.
    pub(super) fn free_slots(&mut self, args: &[usize]) {
        for &v in args {
            if self.slot[v] != NONE && self.next_use(v) == NONE && self.is_line(v) {
                self.free.push(std::mem::replace(&mut self.slot[v], NONE));
            }
        }
    }

    /// Counts the reads of the arguments at `position` and frees the registers of those that are not read again.
    pub fn consume(&mut self, position: u32, args: &[usize]) {
        for &v in args {
            while self.next_use(v) == position {
                self.at[v] += 1;
            }
            if self.next_use(v) == NONE && self.register[v] != NO_REGISTER && !self.is_held(v) {
                let register = std::mem::replace(&mut self.register[v], NO_REGISTER) as usize;
                if self.vectors[register] == v as u32 {
                    self.vectors[register] = NONE;
                } else {
                    self.masks[register & 7] = NONE;
                }
            }
        }
    }

    /// Whether an input may be read from its memory for as long as it is wanted.
    pub fn stays(&self, v: usize, vector: usize) -> bool {
        let stores = |(line, of): &(Line, usize)| *of == vector && matches!(line.op, Op::Store(_) | Op::StoreBytes(_));
        let reads = self.at[v]..self.last[v];
        let last = if reads.is_empty() { 0 } else { self.positions[reads.end as usize - 1] as usize };
        !self.order[..last].iter().any(stores)
    }

    /// Whether a value is not read again after a position, so that its place is free.
    pub fn dies(&self, v: usize, position: u32) -> bool {
        if self.is_held(v) {
            return false;
        }
        let mut at = self.at[v];
        while at < self.last[v] && self.positions[at as usize] == position {
            at += 1;
        }
        at == self.last[v]
    }
}
