//! The free parts of an arena, and the lowest of them that is long enough, found without looking at all.
//! Buffer planning takes parts and gives them back.

use crate::ir::steps::count;

/// Free parts that do not touch each other; the last one has no end.
pub(super) struct Gaps {
    root: Tree,
    ranks: u64,
}

/// Gaps in the order of their starts, as a heap of random ranks: a treap, so that log n are on the way to any of them.
type Tree = Option<Box<Gap>>;

struct Gap {
    start: usize,
    len: usize,
    /// The longest of this one and those below.
    longest: usize,
    rank: u64,
    left: Tree,
    right: Tree,
}

fn longest(tree: &Tree) -> usize {
    tree.as_ref().map_or(0, |gap| gap.longest)
}

impl Gap {
    /// Looks at what is below anew.
    fn seen(mut self: Box<Self>) -> Box<Self> {
        count(1);
        self.longest = self.len.max(longest(&self.left)).max(longest(&self.right));
        self
    }
}

/// Two trees, of which all of the first lies in front of all of the second, as one.
fn joined(a: Tree, b: Tree) -> Tree {
    match (a, b) {
        (None, tree) | (tree, None) => tree,
        (Some(mut a), Some(b)) if a.rank > b.rank => {
            a.right = joined(a.right.take(), Some(b));
            Some(a.seen())
        }
        (a, Some(mut b)) => {
            b.left = joined(a, b.left.take());
            Some(b.seen())
        }
    }
}

/// What starts before `at`, and the rest.
fn split(tree: Tree, at: usize) -> (Tree, Tree) {
    match tree {
        None => (None, None),
        Some(mut gap) if gap.start < at => {
            let (left, right) = split(gap.right.take(), at);
            gap.right = left;
            (Some(gap.seen()), right)
        }
        Some(mut gap) => {
            let (left, right) = split(gap.left.take(), at);
            gap.left = right;
            (left, Some(gap.seen()))
        }
    }
}

/// The first gap, or the last one.
fn end(tree: &Tree, first: bool) -> Option<(usize, usize)> {
    let mut at = tree.as_ref()?;
    while let Some(next) = if first { &at.left } else { &at.right } {
        count(1);
        at = next;
    }
    Some((at.start, at.len))
}

impl Gaps {
    /// All is free.
    pub fn new() -> Self {
        let mut gaps = Self { root: None, ranks: 0x9e37_79b9_7f4a_7c15 };
        gaps.root = gaps.one(0, usize::MAX);
        gaps
    }

    fn one(&mut self, start: usize, len: usize) -> Tree {
        // Any numbers will do that have nothing to do with the order.
        self.ranks ^= self.ranks << 13;
        self.ranks ^= self.ranks >> 7;
        self.ranks ^= self.ranks << 17;
        (len > 0).then(|| Box::new(Gap { start, len, longest: len, rank: self.ranks, left: None, right: None }))
    }

    /// Takes the begin of the lowest gap that has so many bytes; answers where it is.
    pub fn take(&mut self, bytes: usize) -> usize {
        let mut at = &self.root;
        let start = loop {
            count(1);
            // The last gap has room for everything.
            let Some(gap) = at else { return usize::MAX };
            at = match gap {
                gap if longest(&gap.left) >= bytes => &gap.left,
                gap if gap.len >= bytes => break gap.start,
                gap => &gap.right,
            };
        };
        let (before, rest) = split(self.root.take(), start);
        let (gap, behind) = split(rest, start + 1);
        let len = gap.map_or(0, |gap| gap.len);
        let rest = self.one(start + bytes, len - bytes);
        self.root = joined(joined(before, rest), behind);
        start
    }

    /// Frees a part that was taken.
    pub fn give_back(&mut self, start: usize, bytes: usize) {
        let (mut before, mut behind) = split(self.root.take(), start);
        let (mut first, mut end_of) = (start, start + bytes);
        if let Some((at, _)) = end(&before, false).filter(|(at, len)| at + len == start) {
            before = split(before, at).0;
            first = at;
        }
        if let Some((at, len)) = end(&behind, true).filter(|(at, _)| *at == end_of) {
            behind = split(behind, at + 1).1;
            end_of = at + len;
        }
        let gap = self.one(first, end_of - first);
        self.root = joined(joined(before, gap), behind);
    }
}
