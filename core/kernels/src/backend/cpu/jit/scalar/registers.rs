//! Gives registers to the words that are used most: those that are never alive together may share one.
//! Everything else stays in the caller's array, where the code finds it.

use super::super::encode::general::{R8, R9, R10, R11, R12, R13, R14, R15, RBP, RDI, RSI};
use super::alive::{Alive, members};
use super::classes::Classes;
use super::ops::{Op, Request};
use super::uses::Class;

/// General registers to give out: those that calls keep, and those that they change.
const KEPT: [u8; 5] = [RBP, R12, R13, R14, R15];
const CHANGED: [u8; 6] = [RSI, RDI, R8, R9, R10, R11];
/// Registers of each class, the emitters' own included.
const REGISTERS: usize = 16;
/// Vector registers from here on are the emitters' own.
pub(super) const FLOATS: u8 = 13;

/// Whether a called function leaves the register as it is.
pub(super) fn kept_by_calls(class: Class, register: u8) -> bool {
    class == Class::General && KEPT.contains(&register)
}

/// Where everything lies.
pub(super) struct Registers {
    pub classes: Classes,
    pub alive: Alive,
    /// Of each candidate.
    of: Vec<Option<u8>>,
    /// General registers in use that belong to the caller.
    pub saved: Vec<u8>,
}

impl Registers {
    pub fn new(request: &Request<'_>) -> Self {
        let classes = Classes::new(request);
        let alive = Alive::new(request, &classes);
        let of = colour(request, &classes, &alive);
        let used = |register: &u8| {
            alive.candidates.iter().zip(&of).any(|(c, r)| c.class == Class::General && *r == Some(*register))
        };
        let saved = KEPT.into_iter().filter(used).collect();
        Self { classes, alive, of, saved }
    }

    pub fn of_candidate(&self, number: usize) -> Option<u8> {
        self.of[number]
    }

    pub fn register(&self, word: u32, class: Class) -> Option<u8> {
        self.alive.number(word, class).and_then(|number| self.of[number])
    }
}

/// Which candidates are alive where each is written or comes in, as rows of bits.
fn conflicts(request: &Request<'_>, classes: &Classes, alive: &Alive) -> Vec<Vec<u64>> {
    let width = alive.entry.len();
    let mut rows = vec![vec![0u64; width]; alive.candidates.len()];
    for i in members(&alive.entry) {
        rows[i].iter_mut().zip(&alive.entry).for_each(|(row, set)| *row |= set);
    }
    for (i, line) in request.lines.iter().enumerate() {
        let uses = line.uses(request);
        let number = |usage: &(u32, _)| classes.of(line, *usage).and_then(|class| alive.number(usage.0, class));
        let writes: Vec<usize> = uses.writes.iter().filter_map(number).collect();
        for &n in &writes {
            rows[n].iter_mut().zip(alive.after(i)).for_each(|(row, set)| *row |= set);
            writes.iter().for_each(|other| rows[n][other / 64] |= 1 << (other % 64));
        }
    }
    rows
}

/// Registers for candidates, the weightiest first.
fn colour(request: &Request<'_>, classes: &Classes, alive: &Alive) -> Vec<Option<u8>> {
    let rows = conflicts(request, classes, alive);
    let mut partners: Vec<Vec<usize>> = vec![Vec::new(); alive.candidates.len()];
    for line in request.lines.iter().filter(|line| matches!(line.op, Op::Move(_) | Op::Select(_))) {
        let uses = line.uses(request);
        let number = |usage: &(u32, _)| classes.of(line, *usage).and_then(|class| alive.number(usage.0, class));
        let Some(to) = uses.writes.first().and_then(number) else { continue };
        for from in uses.reads.iter().filter_map(number) {
            partners[to].push(from);
            partners[from].push(to);
        }
    }
    let mut of: Vec<Option<u8>> = vec![None; alive.candidates.len()];
    // Who has each register of a class, and who is alive where they are written.
    let width = alive.entry.len();
    let mut owners = vec![[vec![0u64; width], vec![0u64; width]]; 2 * REGISTERS];
    for (i, candidate) in alive.candidates.iter().enumerate() {
        let place = |register: u8| candidate.class as usize * REGISTERS + register as usize;
        let free = |register: &u8| {
            let [members, conflicts] = &owners[place(*register)];
            conflicts[i / 64] >> (i % 64) & 1 == 0 && rows[i].iter().zip(members).all(|(row, set)| row & set == 0)
        };
        let wished = partners[i].iter().filter(|&&n| alive.candidates[n].class == candidate.class);
        // A move between two words that share a register is none.
        let wished = wished.filter_map(|&n| of[n]).find(free);
        of[i] = wished.or_else(|| match candidate.class {
            Class::Float => (0..FLOATS).find(free),
            Class::General if candidate.over_calls => KEPT.into_iter().chain(CHANGED).find(free),
            Class::General => CHANGED.into_iter().chain(KEPT).find(free),
        });
        if let Some(register) = of[i] {
            let [members, conflicts] = &mut owners[place(register)];
            members[i / 64] |= 1 << (i % 64);
            conflicts.iter_mut().zip(&rows[i]).for_each(|(set, row)| *set |= row);
        }
    }
    of
}
