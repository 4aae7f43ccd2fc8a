//! The least few words of a row without sorting all of it: candidates below a bound that falls while the row is read.
//! `top_k` calls it for few of many; long rows are searched in pieces whose best are searched once more.

use super::super::{Work, part};
use super::item::Word;

/// Elements of a piece of a long row, and pieces of a row, at most.
const PIECE: usize = 32 * 1024;
const MOST: usize = 16;
/// Elements that are worth a chunk.
const CHUNK: usize = 16 * 1024;

/// The least `k` words of each of `rows` rows of `len`.
#[derive(Clone, Copy)]
pub struct Best {
    pub rows: usize,
    pub len: usize,
    pub k: usize,
}

impl Best {
    /// Whether so few are wanted that the search is worth it; else rows are sorted.
    pub fn pays(len: usize, k: usize) -> bool {
        k <= len / 8
    }

    fn pieces(&self) -> usize {
        // Each piece has to have many more than are wanted.
        (self.len / PIECE.max(16 * self.k)).clamp(1, MOST)
    }

    fn groups(&self) -> usize {
        (self.rows * self.len).div_ceil(CHUNK).clamp(1, MOST).min(self.rows.max(1))
    }

    pub fn work(&self, word: usize) -> Work {
        let pieces = self.pieces();
        if pieces == 1 || self.rows * self.k == 0 {
            return Work::chunks(self.groups());
        }
        let scratch = (self.rows * pieces * self.k * word).next_multiple_of(64);
        Work { scratch, phases: [self.rows * pieces, self.rows, 0, 0, 0] }
    }

    /// One part of the work: `load` gives the word of a row's element, `emit` is given the row's best in order.
    ///
    /// # Safety
    /// Scratch as [`Best::work`] asked for; every chunk runs once, phase after phase.
    pub unsafe fn run<W: Word>(
        &self,
        scratch: *mut u8,
        phase: usize,
        chunk: usize,
        load: impl Fn(usize, usize) -> W,
        mut emit: impl FnMut(usize, &[W]),
    ) {
        if self.rows * self.k == 0 {
            return;
        }
        let (pieces, kept) = (self.pieces(), scratch.cast::<W>());
        let mut found = Candidates { k: self.k, bound: W::ONES, words: Vec::with_capacity(2 * self.k.max(32)) };
        if pieces == 1 {
            for row in part(self.rows, chunk, self.groups(), 1) {
                found.restart();
                (0..self.len).for_each(|i| found.see(load(row, i)));
                emit(row, found.finish());
            }
            return;
        }
        if phase == 0 {
            let (row, piece) = (chunk / pieces, chunk % pieces);
            part(self.len, piece, pieces, 1).for_each(|i| found.see(load(row, i)));
            // SAFETY: each piece has a place of its own, and as many words as are wanted.
            unsafe { std::ptr::copy_nonoverlapping(found.finish().as_ptr(), kept.add(chunk * self.k), self.k) };
            return;
        }
        // SAFETY: phase 0 wrote the best of all pieces.
        let all = unsafe { std::slice::from_raw_parts(kept.add(chunk * pieces * self.k), pieces * self.k) };
        all.iter().for_each(|&word| found.see(word));
        emit(chunk, found.finish());
    }
}

/// The least words seen so far, and some more.
struct Candidates<W> {
    k: usize,
    /// Words that are greater are not among the least.
    bound: W,
    words: Vec<W>,
}

impl<W: Word> Candidates<W> {
    fn restart(&mut self) {
        self.bound = W::ONES;
        self.words.clear();
    }

    #[inline(always)]
    fn see(&mut self, word: W) {
        if word <= self.bound {
            self.take(word);
        }
    }

    fn take(&mut self, word: W) {
        self.words.push(word);
        if self.words.len() == 2 * self.k.max(32) {
            let (_, &mut bound, _) = self.words.select_nth_unstable(self.k - 1);
            self.bound = bound;
            self.words.truncate(self.k);
        }
    }

    /// The least words in order.
    fn finish(&mut self) -> &[W] {
        self.words.sort_unstable();
        &self.words[..self.k.min(self.words.len())]
    }
}
