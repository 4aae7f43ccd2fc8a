//! Rows put in order: keys and pairs of key and place, sorted by digits, long rows in pieces that threads merge.
//! `sort`, `argsort` and `top_k` run here; `distinct` and `bins` beside it find equal elements and count them.

pub mod best;
pub mod distinct;
pub mod item;
mod merge;
mod radix;
#[cfg(test)]
mod tests;

use super::{Work, part};
pub use item::{Item, Word};

/// Words of a piece: rows that are longer are cut, and pieces fit the second-level cache.
const PIECE: usize = 64 * 1024;
/// Pieces of a row, and groups of rows, at most.
const MOST: usize = 16;
/// Elements that are worth a chunk.
const CHUNK: usize = 16 * 1024;

/// Rows of equal length that are sorted each on its own.
#[derive(Clone, Copy)]
pub struct Rows {
    pub rows: usize,
    pub len: usize,
}

impl Rows {
    fn pieces(&self) -> usize {
        self.len.div_ceil(PIECE).clamp(1, MOST)
    }

    fn groups(&self) -> usize {
        (self.rows * self.len).div_ceil(CHUNK).clamp(1, MOST).min(self.rows.max(1))
    }

    /// The work of sorting words of so many bytes.
    pub fn work(&self, word: usize) -> Work {
        if self.rows * self.len == 0 {
            return Work::SERIAL;
        }
        let (pieces, groups) = (self.pieces(), self.groups());
        let (words, phases) = match pieces {
            1 => (2 * groups * self.len, [groups, 0, 0, 0, 0]),
            // What is sorted, and two buffers that take turns while it is merged.
            _ => (3 * self.rows * self.len, [self.rows * pieces, self.rows * pieces, 0, 0, 0]),
        };
        Work { scratch: (words * word).next_multiple_of(64), phases }
    }

    /// One part of the work: `load` gives the word of a row's element, `emit` is given sorted words and the rank of their first.
    /// Digits are those of the words' own type.
    ///
    /// # Safety
    /// Scratch as [`Rows::work`] asked for; every chunk runs once, phase after phase.
    pub unsafe fn run<W: Word>(
        &self,
        scratch: *mut u8,
        phase: usize,
        chunk: usize,
        digits: Digits,
        load: impl Fn(usize, usize) -> W,
        mut emit: impl FnMut(usize, usize, &[W]),
    ) {
        let (len, words) = (self.len, scratch.cast::<W>());
        if self.rows * len == 0 {
            return;
        }
        let pieces = self.pieces();
        // SAFETY: chunks use disjoint parts of the scratch memory, which has room for them.
        unsafe {
            if pieces == 1 {
                let groups = self.groups();
                let own = words.add(chunk * 2 * len);
                for row in part(self.rows, chunk, groups, 1) {
                    for i in 0..len {
                        own.add(i).write(load(row, i));
                    }
                    emit(row, 0, radix::sort(own, own.add(len), len, digits));
                }
                return;
            }
            let (row, piece) = (chunk / pieces, chunk % pieces);
            let (all, total) = (words.add(row * len), self.rows * len);
            let own = part(len, piece, pieces, 1);
            if phase == 0 {
                for i in own.clone() {
                    all.add(i).write(load(row, i));
                }
                let (from, spare) = (all.add(own.start), all.add(total + own.start));
                let sorted = radix::sort(from, spare, own.len(), digits).as_ptr();
                if !std::ptr::eq(sorted, from) {
                    std::ptr::copy_nonoverlapping(sorted, from, own.len());
                }
                return;
            }
            let runs: Vec<&[W]> = (0..pieces)
                .map(|i| part(len, i, pieces, 1))
                .map(|run| std::slice::from_raw_parts(all.add(run.start), run.len()))
                .collect();
            // Ranks are cut as elements are.
            let (a, b) = (all.add(total + own.start), all.add(2 * total + own.start));
            emit(row, own.start, merge::ranks(&runs, own.clone(), a, b));
        }
    }
}

/// Which bits of a word order it: `bits` from bit `low` on. Words that are equal in them are in order already, or equal.
#[derive(Clone, Copy)]
pub struct Digits {
    pub low: u32,
    pub bits: u32,
}

impl Digits {
    /// Those of keys alone.
    pub fn of_keys<T: Item>() -> Self {
        Self { low: 0, bits: T::KEY_BITS }
    }

    /// Those of the keys in pairs; the places behind them keep equal keys in order.
    pub fn of_pairs<T: Item>() -> Self {
        Self { low: T::Key::BITS, bits: T::KEY_BITS }
    }
}
