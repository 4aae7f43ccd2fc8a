//! Sorted runs merged, a range of ranks at a time, so that threads merge parts of one row side by side.
//! [`Rows`](super::Rows) calls it when all pieces of a row are sorted.

use super::item::Word;
use std::ops::Range;

/// How many words of each run come before rank `rank` of all. Among equal words those of earlier runs come first.
fn split<W: Word>(runs: &[&[W]], rank: usize) -> Vec<usize> {
    let below = |word: W| runs.iter().map(|run| run.partition_point(|&w| w < word)).sum::<usize>();
    // The greatest word that at most `rank` words are less than.
    let (mut low, mut high) = (W::ZERO, W::ONES);
    while low < high {
        let middle = W::middle(low, high).next();
        if below(middle) <= rank { low = middle } else { high = middle.previous() }
    }
    let mut places: Vec<usize> = runs.iter().map(|run| run.partition_point(|&w| w < low)).collect();
    let mut left = rank - places.iter().sum::<usize>();
    for (run, place) in runs.iter().zip(&mut places) {
        let equal = run[*place..].partition_point(|&w| w == low).min(left);
        *place += equal;
        left -= equal;
    }
    places
}

/// # Safety
/// Room for all words of both at `to`.
unsafe fn two<W: Word>(a: &[W], b: &[W], to: *mut W) {
    let (mut i, mut j) = (0, 0);
    // SAFETY: `i` and `j` stay inside, and `i + j` below the room there is.
    unsafe {
        while i < a.len() && j < b.len() {
            let (x, y) = (*a.get_unchecked(i), *b.get_unchecked(j));
            let second = y < x;
            to.add(i + j).write(if second { y } else { x });
            i += usize::from(!second);
            j += usize::from(second);
        }
        let at = to.add(i + j);
        std::ptr::copy_nonoverlapping(a.as_ptr().add(i), at, a.len() - i);
        std::ptr::copy_nonoverlapping(b.as_ptr().add(j), at.add(a.len() - i), b.len() - j);
    }
}

/// The words of these ranks in order.
///
/// # Safety
/// Room for that many words at `a` and at `b`, which are nobody else's.
pub unsafe fn ranks<'a, W: Word>(runs: &[&'a [W]], ranks: Range<usize>, a: *mut W, b: *mut W) -> &'a [W] {
    let (from, to) = (split(runs, ranks.start), split(runs, ranks.end));
    let mut parts: Vec<&[W]> =
        runs.iter().zip(from.iter().zip(&to)).map(|(run, (&from, &to))| &run[from..to]).collect();
    let (mut room, mut other) = (a, b);
    while parts.len() > 1 {
        let mut at = 0;
        let mut merged = Vec::with_capacity(parts.len().div_ceil(2));
        for pair in parts.chunks(2) {
            let len: usize = pair.iter().map(|run| run.len()).sum();
            // SAFETY: by the caller's promise; what is merged lies in the other buffer, or in the runs.
            unsafe {
                let to = room.add(at);
                two(pair[0], pair.get(1).copied().unwrap_or(&[]), to);
                merged.push(std::slice::from_raw_parts(to, len));
            }
            at += len;
        }
        parts = merged;
        std::mem::swap(&mut room, &mut other);
    }
    parts.first().copied().unwrap_or(&[])
}
