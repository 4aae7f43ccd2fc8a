//! Which registers are alive where, and what follows from it: instructions that nobody needs, moves that need not be made,
//! and whether a list is moved or copied.

use super::code::{Ins, Opcode, Role};

/// A set of registers.
#[derive(Clone, PartialEq)]
struct Set(Vec<u64>);

impl Set {
    fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn has(&self, register: u32) -> bool {
        self.0[register as usize / 64] >> (register % 64) & 1 == 1
    }

    fn add(&mut self, register: u32) {
        self.0[register as usize / 64] |= 1 << (register % 64);
    }

    fn remove(&mut self, register: u32) {
        self.0[register as usize / 64] &= !(1 << (register % 64));
    }

    fn join(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    fn each(&self, mut f: impl FnMut(u32)) {
        for (i, &word) in self.0.iter().enumerate() {
            let mut word = word;
            while word != 0 {
                f(i as u32 * 64 + word.trailing_zeros());
                word &= word - 1;
            }
        }
    }
}

/// Code under rewriting: jumps name labels, and the last instruction is `Halt`.
pub(super) struct Flow {
    pub code: Vec<Ins>,
    pub labels: Vec<usize>,
    pub roles: Vec<Role>,
    /// Registers that are read after the end.
    pub results: Vec<u32>,
    /// The register that each virtual one became.
    pub homes: Vec<u32>,
}

/// What is alive before and after each instruction.
struct Live {
    before: Vec<Set>,
    after: Vec<Set>,
}

impl Flow {
    /// Leaves instructions out.
    pub fn retain(&mut self, keep: &[bool]) {
        let mut moved = Vec::with_capacity(self.code.len() + 1);
        let mut next = 0;
        for &kept in keep {
            moved.push(next);
            next += usize::from(kept);
        }
        moved.push(next);
        self.labels.iter_mut().for_each(|at| *at = moved[*at]);
        let mut keep = keep.iter();
        self.code.retain(|_| keep.next().is_some_and(|k| *k));
    }

    /// Whether each instruction is where a jump goes.
    pub fn targets(&self) -> Vec<bool> {
        let mut targets = vec![false; self.code.len() + 1];
        self.labels.iter().for_each(|&at| targets[at] = true);
        targets
    }

    fn live(&self) -> Live {
        let count = self.code.len();
        let mut before = vec![Set::new(self.roles.len()); count + 1];
        let mut after = vec![Set::new(self.roles.len()); count];
        loop {
            let mut changed = false;
            for i in (0..count).rev() {
                let ins = &self.code[i];
                let mut set = Set::new(self.roles.len());
                match ins.op {
                    Opcode::Halt => self.results.iter().for_each(|&r| set.add(r)),
                    Opcode::Jump => set = before[self.labels[ins.imm as usize]].clone(),
                    _ => {
                        set = before[i + 1].clone();
                        if ins.op.shape().jumps {
                            set.join(&before[self.labels[ins.imm as usize]]);
                        }
                    }
                }
                if set != after[i] {
                    after[i] = set.clone();
                }
                if !dead(ins, &set) {
                    ins.writes().for_each(|(_, r)| set.remove(r));
                    ins.reads().for_each(|(_, r)| set.add(r));
                }
                if set != before[i] {
                    before[i] = set;
                    changed = true;
                }
            }
            if !changed {
                return Live { before, after };
            }
        }
    }

    /// Leaves out what nobody reads.
    pub fn drop_dead(&mut self) {
        let live = self.live();
        let keep: Vec<bool> = self.code.iter().zip(&live.after).map(|(ins, after)| !dead(ins, after)).collect();
        self.retain(&keep);
    }

    /// Gives values that are moves of each other one register, and decides which lists are copied.
    pub fn simplify(&mut self) {
        self.coalesce();
        let live = self.live();
        for (ins, after) in self.code.iter_mut().zip(&live.after) {
            if ins.op == Opcode::MoveList && after.has(ins.a) {
                ins.op = Opcode::CopyList;
            }
        }
    }

    fn coalesce(&mut self) {
        let live = self.live();
        let mut conflicts = vec![Set::new(self.roles.len()); self.roles.len()];
        let mut conflict = |a: u32, b: u32| {
            if a != b {
                conflicts[a as usize].add(b);
                conflicts[b as usize].add(a);
            }
        };
        live.before[0].each(|a| live.before[0].each(|b| conflict(a, b)));
        for (ins, after) in self.code.iter().zip(&live.after) {
            let from = is_move(ins.op).then_some(ins.a);
            for (_, to) in ins.writes() {
                after.each(|other| {
                    if Some(other) != from {
                        conflict(to, other);
                    }
                });
            }
        }
        let depth = self.depths();
        let mut moves: Vec<usize> = (0..self.code.len()).filter(|&i| is_move(self.code[i].op)).collect();
        moves.sort_by_key(|&i| std::cmp::Reverse(depth[i]));
        let mut home: Vec<u32> = (0..self.roles.len() as u32).collect();
        for i in moves {
            let (a, b) = (find(&home, self.code[i].to), find(&home, self.code[i].a));
            if a == b || conflicts[a as usize].has(b) {
                continue;
            }
            home[b as usize] = a;
            // Conflicts are kept for the registers that stand for their whole class.
            let more = std::mem::replace(&mut conflicts[b as usize], Set::new(0));
            more.each(|other| {
                let other = find(&home, other);
                conflicts[other as usize].add(a);
                conflicts[a as usize].add(other);
            });
        }
        for ins in &mut self.code {
            for register in [&mut ins.to, &mut ins.a, &mut ins.b, &mut ins.c] {
                *register = find(&home, *register);
            }
        }
        self.results.iter_mut().for_each(|r| *r = find(&home, *r));
        let keep: Vec<bool> = self.code.iter().map(|ins| !(is_move(ins.op) && ins.to == ins.a)).collect();
        self.retain(&keep);
        self.homes = (0..home.len() as u32).map(|r| find(&home, r)).collect();
    }

    /// How many loops each instruction is in.
    fn depths(&self) -> Vec<u32> {
        let mut depths = vec![0; self.code.len()];
        for (i, ins) in self.code.iter().enumerate() {
            let target = self.labels.get(ins.imm as usize).copied().unwrap_or(usize::MAX);
            if ins.op.shape().jumps && target <= i {
                depths[target..=i].iter_mut().for_each(|d| *d += 1);
            }
        }
        depths
    }
}

/// Whether an instruction can be left out, given what is alive after it.
fn dead(ins: &Ins, after: &Set) -> bool {
    ins.op.is_pure() && !after.has(ins.to)
}

fn is_move(op: Opcode) -> bool {
    matches!(op, Opcode::Move1 | Opcode::Move2 | Opcode::Move4 | Opcode::Move8 | Opcode::MoveList)
}

fn find(home: &[u32], mut register: u32) -> u32 {
    while home[register as usize] != register {
        register = home[register as usize];
    }
    register
}
