//! Whether two clusters can be one: not if a value leaves them and comes back by way of something that is not part of the pass.
//! Fusion asks before it joins; the answer is found without walking over the whole graph.
//!
//! What it costs: a node asks once for each of its operands, and about so many further readers of each (`MOST_READERS`). An answer
//! looks at the members of two clusters, at most [`MOST_EDGES`] edges on either side, and moves what it met there past the
//! other end, log n steps each. So n nodes take n log n steps at worst, and mostly far fewer: bounds of a cluster, or the tree,
//! tell before anything is walked over, and what stands between two clusters that are neighbours is little.

use super::Clusters;
use super::sequence::Sequence;
use crate::ir::steps;

/// The most edges that one question looks at. Where that does not tell, the clusters stay apart, which is never wrong.
const MOST_EDGES: usize = 2000;

/// The order of the clusters, and what questions about ways between them need.
pub(super) struct Ways {
    /// By node: the nodes that must come before it, and after it.
    pub before: Vec<Vec<usize>>,
    pub after: Vec<Vec<usize>>,
    /// The clusters in an order that their edges allow.
    line: Sequence,
    tree: Tree,
    /// By cluster: the question that met it last, walking forwards (even) or backwards (odd).
    met: Vec<usize>,
    questions: usize,
}

/// By node the latest of those before it: a tree, of which two numbers per node tell who is behind whom.
struct Tree {
    parent: Vec<Option<usize>>,
    number: Vec<usize>,
    size: Vec<usize>,
}

impl Tree {
    fn new(before: &[Vec<usize>]) -> Self {
        let n = before.len();
        let parent: Vec<Option<usize>> = before.iter().map(|list| list.iter().copied().max()).collect();
        let mut size = vec![1; n];
        for i in (0..n).rev() {
            if let Some(p) = parent[i] {
                size[p] += size[i];
            }
        }
        // Where the next child of each node begins, and the next root.
        let (mut number, mut next, mut roots) = (vec![0; n], vec![0; n], 0);
        for i in 0..n {
            let begin = parent[i].map_or(&mut roots, |p| &mut next[p]);
            number[i] = *begin;
            *begin += size[i];
            next[i] = number[i] + 1;
        }
        Self { parent, number, size }
    }

    /// Whether `b` follows from `a` along the tree.
    fn leads(&self, a: usize, b: usize) -> bool {
        (self.number[a]..self.number[a] + self.size[a]).contains(&self.number[b])
    }
}

/// A walk from one cluster in one direction.
struct Reach {
    open: Vec<usize>,
    met: Vec<usize>,
    edges: usize,
    mark: usize,
}

/// How a walk looks at the edge to a cluster.
enum Edge {
    Around,
    New,
    Known,
}

impl Ways {
    pub fn new(after: Vec<Vec<usize>>) -> Self {
        let n = after.len();
        let mut before = vec![Vec::new(); n];
        for (i, list) in after.iter().enumerate() {
            list.iter().for_each(|&next| before[next].push(i));
        }
        let tree = Tree::new(&before);
        Self { before, after, line: Sequence::new(n), tree, met: vec![0; n], questions: 0 }
    }
}

impl Clusters<'_> {
    /// The two clusters as first and second in the order.
    pub(super) fn in_order(&self, a: usize, b: usize) -> [usize; 2] {
        if self.ways.line.is_before(a, b) { [a, b] } else { [b, a] }
    }

    /// Whether an edge between the clusters is more than a value that goes from element to element.
    pub(super) fn is_cut(&self, [first, second]: [usize; 2]) -> bool {
        let all = self.members[second].iter();
        let mut edges = all.flat_map(|&i| self.ways.before[i].iter().map(move |&p| (p, i)));
        edges.any(|(p, i)| self.of[p] == first && !self.feeds(p, i))
    }

    /// Whether the tree shows a way from the first cluster to node `to` of the second one through another. A way may be missed.
    pub(super) fn is_led_around(&self, [first, second]: [usize; 2], to: usize) -> bool {
        let tree = &self.ways.tree;
        let mut at = tree.parent[to];
        while let Some(i) = at.filter(|&i| self.of[i] == first || self.of[i] == second) {
            steps::count(1);
            at = tree.parent[i];
        }
        steps::count(self.members[first].len());
        at.is_some_and(|outside| self.members[first].iter().any(|&i| tree.leads(i, outside)))
    }

    /// Makes room for the two as one, if no way leads from the first to the second through others; answers which of them stands
    /// where both can.
    ///
    /// Walks from the first forwards and from the second backwards, always on the side that has cost less, over clusters between
    /// them in the order: the smaller of both sides decides. The clusters on that side move past the other end, which keeps the
    /// order one that the edges allow.
    pub(super) fn between(&mut self, [first, second]: [usize; 2]) -> Option<usize> {
        self.ways.questions += 2;
        let mark = self.ways.questions;
        let walk = |from, mark| Reach { open: vec![from], met: Vec::new(), edges: 0, mark };
        let mut sides = [walk(first, mark), walk(second, mark + 1)];
        loop {
            if let Some(done) = sides.iter().position(|side| side.open.is_empty()) {
                let met = std::mem::take(&mut sides[done].met);
                return Some(self.move_past([first, second], done, met));
            }
            let cost = |side: usize| sides[side].edges + sides[side].open.last().map_or(0, |&c| self.edges[c][side]);
            let side = usize::from(cost(1) < cost(0));
            if cost(side) > MOST_EDGES || !self.go_on([first, second], side, &mut sides[side]) {
                return None;
            }
        }
    }

    /// One cluster further; false where the way leads around.
    fn go_on(&mut self, ends: [usize; 2], side: usize, walk: &mut Reach) -> bool {
        let Some(at) = walk.open.pop() else { return true };
        walk.edges += self.edges[at][side];
        steps::count(self.edges[at][side] + 1);
        for &i in &self.members[at] {
            let list = if side == 0 { &self.ways.after[i] } else { &self.ways.before[i] };
            for &next in list {
                let next = self.of[next];
                match look(&self.ways.line, &self.ways.met, ends, side, walk.mark, at, next) {
                    Edge::Around => return false,
                    Edge::Known => {}
                    Edge::New => {
                        self.ways.met[next] = walk.mark;
                        walk.open.push(next);
                        walk.met.push(next);
                    }
                }
            }
        }
        true
    }

    /// Moves what the walk on one side met past the end that it was walking to; answers that end.
    fn move_past(&mut self, ends: [usize; 2], side: usize, mut met: Vec<usize>) -> usize {
        let line = &mut self.ways.line;
        met.sort_unstable_by_key(|&c| line.place(c));
        steps::count(met.len());
        match side {
            0 => met.iter().rev().for_each(|&c| line.move_behind(c, ends[1])),
            _ => met.iter().for_each(|&c| line.move_before(c, ends[0])),
        }
        line.remove(ends[side]);
        ends[1 - side]
    }
}

/// What an edge from a cluster that was met to another one means.
fn look(line: &Sequence, met: &[usize], ends: [usize; 2], side: usize, mark: usize, at: usize, next: usize) -> Edge {
    let (from, to) = (ends[side], ends[1 - side]);
    if next == to {
        // From end to end it is the value that both share.
        return if at == from { Edge::Known } else { Edge::Around };
    }
    let past = if side == 0 { line.is_before(to, next) } else { line.is_before(next, to) };
    if next == at || past || met[next] == mark {
        return Edge::Known;
    }
    // The other side's mark differs in the last bit alone.
    if met[next] == mark ^ 1 { Edge::Around } else { Edge::New }
}
