//! Candidates for registers, how much each would gain, and which are alive behind each line.
//! `registers.rs` gives out registers by it, and calls of helpers keep what it says is needed afterwards.

use super::classes::Classes;
use super::ops::Request;
use super::uses::Class;

/// A word in a class of registers: what may get a register.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub word: u32,
    pub class: Class,
    /// How often it is used, by loops that the uses are in.
    pub weight: u64,
    /// Whether it lives on over a call that is made in every round of a loop.
    pub over_calls: bool,
}

/// Candidates that are looked at; the words used least stay in memory.
const MOST_CANDIDATES: usize = 512;
/// What a round of a loop counts more than a line outside of it.
const ROUND: u64 = 8;
/// Loops in loops that are told apart.
const DEEPEST: u32 = 8;

pub(super) struct Alive {
    pub candidates: Vec<Candidate>,
    /// By word and class.
    numbers: Vec<[u16; 2]>,
    /// Words of bits in a set.
    width: usize,
    after: Vec<u64>,
    /// What is alive before the first line.
    pub entry: Vec<u64>,
}

const NO_NUMBER: u16 = u16::MAX;

/// The numbers in a set of bits.
pub(super) fn members(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    set.iter().enumerate().flat_map(|(i, &word)| {
        let next = |w: &u64| Some(w & w.wrapping_sub(1)).filter(|_| *w != 0);
        std::iter::successors(Some(word), next)
            .take_while(|w| *w != 0)
            .map(move |w| i * 64 + w.trailing_zeros() as usize)
    })
}

/// In how many loops each line is.
fn depths(request: &Request<'_>) -> Vec<u32> {
    let mut changes = vec![0i32; request.lines.len() + 1];
    for (i, line) in request.lines.iter().enumerate() {
        if let Some(target) = line.target().filter(|&target| target <= i) {
            changes[target] += 1;
            changes[i + 1] -= 1;
        }
    }
    let mut depth = 0;
    changes
        .iter()
        .map(|change| {
            depth += change;
            depth as u32
        })
        .collect()
}

impl Alive {
    pub fn new(request: &Request<'_>, classes: &Classes) -> Self {
        let words = request.words();
        let depths = depths(request);
        let mut weights = vec![[0u64; 2]; words];
        for (line, &depth) in request.lines.iter().zip(&depths) {
            let uses = line.uses(request);
            let often = ROUND.pow(depth.min(DEEPEST));
            for usage in uses.reads.iter().chain(&uses.writes) {
                if let Some(class) = classes.of(line, *usage) {
                    // What nobody writes is an operand in memory as well as in a register.
                    let gain = if classes.written[usage.0 as usize] { 4 } else { 1 };
                    let weight = &mut weights[usage.0 as usize][class as usize];
                    *weight = weight.saturating_add(gain * often);
                }
            }
        }
        let mut candidates = Vec::new();
        for (word, both) in weights.iter().enumerate() {
            for class in [Class::General, Class::Float] {
                let weight = both[class as usize];
                if weight > 0 {
                    candidates.push(Candidate { word: word as u32, class, weight, over_calls: false });
                }
            }
        }
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.weight));
        candidates.truncate(MOST_CANDIDATES);
        let mut numbers = vec![[NO_NUMBER; 2]; words];
        for (i, candidate) in candidates.iter().enumerate() {
            numbers[candidate.word as usize][candidate.class as usize] = i as u16;
        }
        let width = candidates.len().div_ceil(64);
        let mut alive = Self { candidates, numbers, width, after: Vec::new(), entry: Vec::new() };
        alive.flow(request, classes);
        for (i, line) in request.lines.iter().enumerate() {
            if line.calls() && depths[i] > 0 {
                let (candidates, after) = (&mut alive.candidates, &alive.after[i * width..(i + 1) * width]);
                members(after).for_each(|n| candidates[n].over_calls = true);
            }
        }
        alive
    }

    pub fn number(&self, word: u32, class: Class) -> Option<usize> {
        let number = self.numbers[word as usize][class as usize];
        (number != NO_NUMBER).then_some(number as usize)
    }

    /// The set that is alive after a line.
    pub fn after(&self, line: usize) -> &[u64] {
        &self.after[line * self.width..(line + 1) * self.width]
    }

    /// Goes backwards over the lines until nothing changes.
    fn flow(&mut self, request: &Request<'_>, classes: &Classes) {
        let (count, width) = (request.lines.len(), self.width);
        let mut before = vec![0u64; (count + 1) * width];
        self.after = vec![0u64; count * width];
        let steps: Vec<(Vec<usize>, Vec<usize>)> = request
            .lines
            .iter()
            .map(|line| {
                let uses = line.uses(request);
                let number = |usage: &(u32, _)| {
                    let class = classes.of(line, *usage)?;
                    self.number(usage.0, class)
                };
                (uses.reads.iter().filter_map(number).collect(), uses.writes.iter().filter_map(number).collect())
            })
            .collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (i, line) in request.lines.iter().enumerate().rev() {
                for w in 0..width {
                    let next = if line.goes_on() { before[(i + 1) * width + w] } else { 0 };
                    let there = line.target().map_or(0, |target| before[target * width + w]);
                    self.after[i * width + w] = next | there;
                }
                let mut set = self.after[i * width..(i + 1) * width].to_vec();
                let (reads, writes) = &steps[i];
                writes.iter().for_each(|n| set[n / 64] &= !(1 << (n % 64)));
                reads.iter().for_each(|n| set[n / 64] |= 1 << (n % 64));
                let known = &mut before[i * width..(i + 1) * width];
                if known != set {
                    known.copy_from_slice(&set);
                    changed = true;
                }
            }
        }
        self.entry = before[..width].to_vec();
    }
}
