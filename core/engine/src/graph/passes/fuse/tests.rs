//! Clusters of random programs beside those that the plain way gives: look at every pair, and walk over the whole graph for each.
//! What makes fusion fast must not change what is fused.

use super::*;
use crate as tf;
use crate::Variable;
use crate::builder::Builder;
use crate::tensor::Tensor;

/// A small generator of its own.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }
}

fn random_graph(dice: &mut Dice, size: usize) -> Graph {
    let builder = Builder::function("f");
    let types = [[6, 6].as_slice(), &[6, 6], &[6], &[]].map(|dims| *tf::zeros(dims).ty());
    let w = Variable::new(tf::zeros([6, 6]));
    builder
        .record_in(|| {
            let mut values: Vec<Tensor> = types.iter().map(|ty| builder.param(ty)).collect();
            for _ in 0..size {
                // Mostly what is near, sometimes what is far away.
                let near = if dice.roll(4) == 0 { values.len() } else { values.len().min(6) };
                let first = values.len() - near;
                let [x, y] = [0; 2].map(|_| values[first + dice.roll(near)].clone());
                let value = match dice.roll(12) {
                    0..=2 => tf::tanh(&x),
                    3..=5 => &x + &y,
                    6 | 7 => &x * &y,
                    8 if x.rank() == 2 && y.rank() == 2 => tf::matmul(&x, &y),
                    8 | 9 if x.rank() > 0 => tf::reduce_sum(&x, dice.roll(x.rank()) as isize),
                    10 if x.rank() == 2 => tf::transpose(&x, []),
                    11 if x.rank() == 2 => {
                        w.assign_add(&x);
                        w.value()
                    }
                    _ => &x * 0.5,
                };
                values.push(value);
            }
            let last = values.len() - 1;
            let results = [values[last].clone(), values[dice.roll(last)].clone()];
            builder.finish(&results)
        })
        .unwrap()
        .graph
}

/// The clusters that the plain way joins: of each node the first of its cluster.
struct Plain<'a> {
    fresh: Clusters<'a>,
    of: Vec<usize>,
}

impl Plain<'_> {
    fn join(&mut self, p: usize, i: usize) {
        let (a, b) = (self.of[p], self.of[i]);
        if a != b && self.fits(a, b) && !self.goes_around(a, b) {
            self.of.iter_mut().filter(|of| **of == a || **of == b).for_each(|of| *of = a.min(b));
        }
    }

    fn members(&self, a: usize, b: usize) -> impl Iterator<Item = usize> {
        (0..self.of.len()).filter(move |&i| self.of[i] == a || self.of[i] == b)
    }

    fn fits(&self, a: usize, b: usize) -> bool {
        let mut walks: Vec<InOrder> = self.members(a, b).filter_map(|i| self.fresh.walks[i]).collect();
        walks.dedup();
        let mut inputs: Vec<Value> = self.members(a, b).flat_map(|i| self.fresh.inputs[i].to_vec()).collect();
        inputs.sort_unstable();
        inputs.dedup();
        let inside = |v: &Value| self.fresh.producer[v.index()].is_some_and(|p| [a, b].contains(&self.of[p]));
        inputs.retain(|v| !inside(v));
        walks.len() < 2 && self.members(a, b).count() <= MOST_NODES && inputs.len() <= MOST_INPUTS
    }

    fn goes_around(&self, a: usize, b: usize) -> bool {
        let inside = |i: usize| self.of[i] == a || self.of[i] == b;
        let mut seen = vec![false; self.of.len()];
        let mut open: Vec<usize> = Vec::new();
        for i in self.members(a, b) {
            for &next in &self.fresh.ways.after[i] {
                match inside(next) {
                    true if self.fresh.feeds(i, next) => {}
                    true => return true,
                    false => open.push(next),
                }
            }
        }
        while let Some(i) = open.pop() {
            if inside(i) {
                return true;
            }
            let cluster = self.of[i];
            for member in self.members(cluster, cluster) {
                if !std::mem::replace(&mut seen[member], true) {
                    open.extend(&self.fresh.ways.after[member]);
                }
            }
        }
        false
    }
}

/// All pairs that fusion asks about, in its order.
fn pairs(fresh: &Clusters<'_>) -> Vec<(usize, usize)> {
    let (graph, mut pairs) = (fresh.graph, Vec::new());
    let spaces = |i: usize, other: usize| fresh.classes[i].space() == fresh.classes[other].space();
    for (i, node) in graph.nodes.iter().enumerate().filter(|(i, _)| fresh.classes[*i].space().is_some()) {
        let makers = node.inputs.iter().filter_map(|v| fresh.producer[v.index()]);
        pairs.extend(makers.filter(|&p| fresh.feeds(p, i)).map(|p| (p, i)));
    }
    let simple = |i: &usize| matches!(fresh.classes[*i], Class::Elementwise(_));
    for i in (0..graph.nodes.len()).filter(simple) {
        for v in graph.nodes[i].inputs.iter().filter(|v| Some(&graph.ty(**v).shape) == fresh.classes[i].space()) {
            let later = (i + 1..graph.nodes.len()).filter(simple).filter(|&other| spaces(i, other));
            let reads = |other: &usize| graph.constant(*v).is_none() && graph.nodes[*other].inputs.contains(v);
            pairs.extend(later.filter(reads).map(|other| (i, other)));
        }
    }
    pairs
}

#[test]
fn clusters_are_those_that_looking_at_everything_gives() {
    let (mut joined, mut apart) = (0, 0);
    for seed in 0..150 {
        let mut dice = Dice(seed * 7919 + 3);
        let size = 10 + dice.roll(90);
        let graph = random_graph(&mut dice, size);
        let mut clusters = Clusters::new(&graph);
        clusters.along_edges();
        clusters.siblings();
        let mut plain = Plain { fresh: Clusters::new(&graph), of: (0..graph.nodes.len()).collect() };
        for (p, i) in pairs(&plain.fresh) {
            plain.join(p, i);
            let together = plain.of[p] == plain.of[i];
            joined += usize::from(together);
            apart += usize::from(!together);
        }
        let firsts: Vec<usize> = clusters.of.iter().map(|&c| clusters.members[c][0]).collect();
        assert_eq!(firsts, plain.of, "seed {seed}:\n{}", crate::ir::print::print(&graph));
    }
    assert!(joined > 500 && apart > 500, "{joined} pairs together, {apart} apart: not much was asked");
}
