//! The parts in which a partitioned variable was saved: what each covers, and that together they cover the whole once.
//! The index checks them when a bundle is opened; the reader puts them together.

use crate::messages::TensorSliceProto;

/// Of parts that are not simply rows, each is compared with each other; no more than these.
const MOST_BLOCKS: usize = 2000;

/// The part of one dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    pub start: i64,
    /// `None` for all.
    pub length: Option<i64>,
}

/// A part of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Slice {
    pub extents: Vec<Extent>,
}

/// A part with numbers in place of "all": in each dimension, the first index and how many.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub starts: Vec<u64>,
    pub lengths: Vec<u64>,
}

impl Slice {
    pub(super) fn new(proto: &TensorSliceProto) -> Self {
        let extents = proto.extent.iter().map(|e| Extent { start: e.start, length: e.length });
        // TensorFlow takes a length of -1 for all, too.
        Self { extents: extents.map(|e| Extent { length: e.length.filter(|&l| l != -1), ..e }).collect() }
    }

    /// What it covers of a tensor; `None` if it is no part of it.
    pub(super) fn block(&self, shape: &[u64]) -> Option<Block> {
        if self.extents.len() != shape.len() {
            return None;
        }
        let mut block = Block { starts: Vec::new(), lengths: Vec::new() };
        for (extent, &size) in self.extents.iter().zip(shape) {
            let start = u64::try_from(extent.start).ok()?;
            let length = match extent.length {
                None if start == 0 => size,
                None => return None,
                Some(length) => u64::try_from(length).ok()?,
            };
            if start.checked_add(length)? > size {
                return None;
            }
            block.starts.push(start);
            block.lengths.push(length);
        }
        Some(block)
    }
}

impl Block {
    /// Elements in it.
    pub(super) fn volume(&self) -> u64 {
        self.lengths.iter().product()
    }

    /// The first element of the tensor that it covers, if those that it covers lie together.
    pub(super) fn together(&self, shape: &[u64]) -> Option<u64> {
        let rows = (0..shape.len()).find(|&d| self.lengths[d] != 1).unwrap_or(shape.len());
        let whole = (rows + 1..shape.len()).all(|d| self.lengths[d] == shape[d]);
        whole.then(|| self.first(shape))
    }

    fn first(&self, shape: &[u64]) -> u64 {
        // A shape without elements may have sizes whose product is too large; of what lies nowhere, the place does not matter.
        let place = |at: u64, (start, size): (&u64, &u64)| at.wrapping_mul(*size).wrapping_add(*start);
        self.starts.iter().zip(shape).fold(0, place)
    }

    fn overlaps(&self, other: &Self) -> bool {
        (0..self.starts.len()).all(|d| {
            self.starts[d] < other.starts[d] + other.lengths[d] && other.starts[d] < self.starts[d] + self.lengths[d]
        })
    }

    /// Calls `take` with every run of elements that lie together: where it begins in the tensor, where in the block, how long it is.
    pub(super) fn runs(&self, shape: &[u64], mut take: impl FnMut(usize, usize, usize)) {
        let Some((&run, outer)) = self.lengths.split_last() else { return take(0, 0, 1) };
        if self.volume() == 0 {
            return;
        }
        let mut at = vec![0; outer.len()];
        let mut within = 0;
        loop {
            let index = at.iter().zip(&self.starts).map(|(at, start)| at + start);
            let row = index.zip(shape).fold(0, |row, (index, size)| row * size + index);
            let begin = row * shape[outer.len()] + self.starts[outer.len()];
            take(begin as usize, within as usize, run as usize);
            within += run;
            let Some(turned) = (0..outer.len()).rev().find(|&d| at[d] + 1 < outer[d]) else { return };
            at[turned] += 1;
            at[turned + 1..].fill(0);
        }
    }
}

/// What is wrong with the parts of a tensor, if they do not cover each element once. Its elements are counted in a `u64`.
pub(super) fn fault(blocks: &[Block], shape: &[u64]) -> Option<&'static str> {
    let elements: u64 = shape.iter().product();
    let covered = blocks.iter().try_fold(0u64, |sum, block| sum.checked_add(block.volume()));
    if covered != Some(elements) {
        return Some("has slices that do not make up the whole");
    }
    let mut ranges: Option<Vec<(u64, u64)>> =
        blocks.iter().map(|block| Some((block.together(shape)?, block.volume()))).collect();
    if let Some(ranges) = &mut ranges {
        ranges.sort_unstable();
        let meet = |pair: &[(u64, u64)]| pair[0].1 > 0 && pair[0].0 + pair[0].1 > pair[1].0;
        return ranges.windows(2).any(meet).then_some("has slices that overlap");
    }
    if blocks.len() > MOST_BLOCKS {
        return Some("has more slices in several dimensions than are supported");
    }
    let overlap = blocks.iter().enumerate().any(|(i, a)| blocks[i + 1..].iter().any(|b| a.overlaps(b)));
    overlap.then_some("has slices that overlap")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(starts: &[u64], lengths: &[u64]) -> Block {
        Block { starts: starts.into(), lengths: lengths.into() }
    }

    #[test]
    fn runs_go_through_a_block() {
        let mut seen = Vec::new();
        block(&[1, 0, 1], &[2, 2, 2]).runs(&[3, 2, 4], |to, from, len| seen.push((to, from, len)));
        assert_eq!(seen, [(9, 0, 2), (13, 2, 2), (17, 4, 2), (21, 6, 2)]);
        seen.clear();
        block(&[], &[]).runs(&[], |to, from, len| seen.push((to, from, len)));
        block(&[0, 0], &[0, 3]).runs(&[2, 3], |to, from, len| seen.push((to, from, len)));
        assert_eq!(seen, [(0, 0, 1)]);
    }

    #[test]
    fn blocks_that_lie_together_are_found() {
        assert_eq!(block(&[2, 0], &[3, 4]).together(&[6, 4]), Some(8));
        assert_eq!(block(&[2, 1], &[1, 2]).together(&[6, 4]), Some(9));
        assert_eq!(block(&[2, 1], &[2, 2]).together(&[6, 4]), None);
        assert_eq!(block(&[], &[]).together(&[]), Some(0));
    }

    #[test]
    fn faults_are_found() {
        let shape = [4, 4];
        let rows = [block(&[0, 0], &[2, 4]), block(&[2, 0], &[2, 4])];
        assert_eq!(fault(&rows, &shape), None);
        let columns = [block(&[0, 0], &[4, 1]), block(&[0, 1], &[4, 3])];
        assert_eq!(fault(&columns, &shape), None);
        assert!(fault(&rows[..1], &shape).unwrap().contains("whole"));
        let twice = [block(&[0, 0], &[2, 4]), block(&[1, 0], &[2, 4])];
        assert!(fault(&twice, &shape).unwrap().contains("overlap"));
        let crossed = [block(&[0, 0], &[4, 2]), block(&[0, 1], &[4, 2])];
        assert!(fault(&crossed, &shape).unwrap().contains("overlap"));
    }
}
