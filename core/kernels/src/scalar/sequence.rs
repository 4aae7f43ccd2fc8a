//! Fused scalar programs: the meanings of many operations as one sequence of steps, with results stored or folded.
//! The planned executor of graphs makes one of every cluster that it runs as a single pass over memory.

mod parts;

use super::build::Node;
use super::program::{Meaning, narrow, widen};
use super::{Code, Scalar, Slot, Step, Val};
use crate::dtype::DType;
use parts::{Work, paired};
use smallvec::SmallVec;

/// What happens to a result of the sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Root {
    /// Written to output number `n`.
    Store(u16),
    /// Given to fold number `n`.
    Fold(u16),
}

/// One thing done to a tile.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Action {
    Step(Step),
    Pair(Pair),
    /// Fold number `n` takes the values in a slot.
    Fold(u16, Slot),
}

/// Two steps of `f32` at once, the first of which only feeds the second.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pair {
    pub first: Code,
    pub second: Code,
    /// What the first gives is the second operand of the second.
    pub swapped: bool,
    /// The operands of the first, then the other one of the second.
    pub args: [Slot; 3],
    pub arity: usize,
    pub to: Slot,
}

impl Action {
    /// The slots that are read.
    pub fn reads(&self) -> &[Slot] {
        match self {
            Self::Step(step) => &step.args[..step.code.arity()],
            Self::Pair(pair) => &pair.args[..pair.arity],
            Self::Fold(_, from) => std::slice::from_ref(from),
        }
    }

    /// The slot that is written.
    pub fn writes(&self) -> Option<Slot> {
        match self {
            Self::Step(step) => Some(step.to),
            Self::Pair(pair) => Some(pair.to),
            Self::Fold(..) => None,
        }
    }
}

/// Whether there is a loop for two codes at once, the result of the first being the second's first operand, or else its
/// second.
pub type Joins<'a> = &'a dyn Fn(Code, Code, bool) -> bool;

/// Steps over slots, as `Program`; outputs may be read again by later steps.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sequence {
    pub actions: Vec<Action>,
    /// Dtype and bits of each constant.
    pub constants: Vec<(DType, u64)>,
    pub temps: u16,
    /// Bytes of the widest value.
    pub widest: usize,
}

impl Scalar {
    /// Input number `index` of a sequence, in its storage dtype.
    pub fn operand(&self, index: usize, dtype: DType) -> Val {
        self.input(index, dtype)
    }

    /// A constant by its bits.
    pub fn bits(&self, dtype: DType, bits: u64) -> Val {
        self.add_node(Node { code: Some(Code::Const), dtype, args: super::build::NO_ARGS, payload: bits })
    }

    /// What a meaning makes of values of storage dtypes, as a program of its own computes it.
    ///
    /// The meaning is built apart, over operands that are all different, and then brought in: a derivative by one of two
    /// equal operands must not see the other, nor what an operand was computed from.
    pub fn apply(&self, meaning: Meaning<'_>, operands: &[Val]) -> Val {
        let dtypes: SmallVec<[DType; 4]> = operands.iter().map(|&x| self.dtype(x)).collect();
        let own = Self::new(self.evaluate);
        let xs: SmallVec<[Val; 4]> = dtypes.iter().enumerate().map(|(i, &d)| widen(&own, own.input(i, d))).collect();
        let root = narrow(&own, meaning(&own, &xs), &dtypes);
        self.bring_in(&own, root, operands)
    }

    fn bring_in(&self, other: &Self, root: Val, operands: &[Val]) -> Val {
        let nodes = other.nodes.borrow();
        let mut wanted = vec![false; nodes.len()];
        wanted[root.0 as usize] = true;
        for i in (0..nodes.len()).rev() {
            if let (true, Some(code)) = (wanted[i], nodes[i].code) {
                nodes[i].args[..code.arity()].iter().for_each(|&a| wanted[a as usize] = true);
            }
        }
        let mut here = vec![Val(u32::MAX); nodes.len()];
        for (i, node) in nodes.iter().enumerate().filter(|(i, _)| wanted[*i]) {
            here[i] = match node.code {
                None => operands[node.payload as usize],
                Some(Code::Const) => self.add_node(*node),
                Some(code) => {
                    let mut args = super::build::NO_ARGS;
                    for (arg, &source) in args.iter_mut().zip(&node.args[..code.arity()]) {
                        *arg = here[source as usize].0;
                    }
                    self.op(code, node.dtype, args)
                }
            };
        }
        here[root.0 as usize]
    }
}

impl Sequence {
    /// The sequence that computes `roots`, in the order in which the values were made, with the pairs that `joins` allows.
    pub fn new(s: &Scalar, roots: &[(Val, Root)], joins: Joins<'_>) -> Self {
        let nodes = s.nodes.borrow();
        let mut sequence = Self { widest: 1, ..Self::default() };
        let mut uses = vec![0u32; nodes.len()];
        roots.iter().for_each(|(root, _)| uses[root.0 as usize] += 1);
        for i in (0..nodes.len()).rev() {
            if let (true, Some(code)) = (uses[i] > 0, nodes[i].code) {
                nodes[i].args[..code.arity()].iter().for_each(|&arg| uses[arg as usize] += 1);
            }
        }
        let is_root = |i: usize| roots.iter().any(|(root, _)| root.0 as usize == i);
        let parts = paired(&nodes, &uses, &is_root, joins);
        let mut last_use = vec![None; nodes.len()];
        for i in (0..nodes.len()).filter(|&i| uses[i] > 0) {
            let at = parts.into[i].unwrap_or(i);
            let args = nodes[i].code.map_or(&[][..], |code| &nodes[i].args[..code.arity()]);
            args.iter().for_each(|&arg| last_use[arg as usize] = last_use[arg as usize].max(Some(at)));
        }
        let mut work = Work { nodes: &nodes, roots, last_use, slots: vec![None; nodes.len()], free: Vec::new() };
        for (i, node) in nodes.iter().enumerate().filter(|(i, _)| uses[*i] > 0 && parts.into[*i].is_none()) {
            sequence.widest = sequence.widest.max(node.dtype.size());
            let slot = match node.code {
                None => Slot::Input(node.payload as u16),
                Some(Code::Const) => {
                    sequence.constants.push((node.dtype, node.payload));
                    Slot::Const(sequence.constants.len() as u16 - 1)
                }
                Some(code) => match parts.of[i] {
                    Some(first) => sequence.pair(&mut work, i, first, code),
                    None => sequence.step(&mut work, i, code),
                },
            };
            work.slots[i] = Some(slot);
            for (_, root) in roots.iter().filter(|(v, _)| v.0 as usize == i) {
                match *root {
                    Root::Fold(n) => sequence.actions.push(Action::Fold(n, slot)),
                    Root::Store(n) if slot != Slot::Output(n) => {
                        let (args, to) = ([slot; 3], Slot::Output(n));
                        let copy = Step { code: Code::Cast, operand: node.dtype, result: node.dtype, args, to };
                        sequence.actions.push(Action::Step(copy));
                    }
                    Root::Store(_) => {}
                }
            }
            // A result that is folded and nothing else is done with.
            if let (Slot::Temp(t), None) = (slot, work.last_use[i]) {
                work.free.push(t);
            }
        }
        sequence
    }

    fn step(&mut self, work: &mut Work<'_>, i: usize, code: Code) -> Slot {
        let node = &work.nodes[i];
        let sources = &node.args[..code.arity()];
        let args = work.operands(sources);
        let operand = work.nodes[node.args[usize::from(code == Code::Select)] as usize].dtype;
        let to = self.result(work, i);
        self.actions.push(Action::Step(Step { code, operand, result: node.dtype, args, to }));
        work.release(i, sources);
        to
    }

    /// Value `i`, of which `first` is one operand and is computed with it.
    fn pair(&mut self, work: &mut Work<'_>, i: usize, first: usize, code: Code) -> Slot {
        let (node, one) = (&work.nodes[i], &work.nodes[first]);
        let first_code = one.code.unwrap_or(Code::Const);
        let others = node.args[..code.arity()].iter().filter(|&&arg| arg as usize != first);
        let sources: SmallVec<[u32; 3]> = one.args[..first_code.arity()].iter().chain(others).copied().collect();
        let args = work.operands(&sources);
        let swapped = node.args[0] as usize != first;
        let to = self.result(work, i);
        let pair = Pair { first: first_code, second: code, swapped, args, arity: sources.len(), to };
        self.actions.push(Action::Pair(pair));
        work.release(i, &sources);
        to
    }

    /// Where value `i` is written: not over an operand, since loops take both as separate slices.
    fn result(&mut self, work: &mut Work<'_>, i: usize) -> Slot {
        let stored = work.roots.iter().find_map(|(v, root)| match root {
            Root::Store(n) if v.0 as usize == i => Some(*n),
            _ => None,
        });
        match stored {
            Some(n) => Slot::Output(n),
            None => Slot::Temp(work.free.pop().unwrap_or_else(|| {
                self.temps += 1;
                self.temps - 1
            })),
        }
    }

    /// Whether output `n` may lie over input `i`: it is written when the input has been read for the last time.
    pub fn may_overlay(&self, n: u16, i: u16) -> bool {
        let written = self.actions.iter().position(|action| action.writes() == Some(Slot::Output(n)));
        let reads = |action: &Action| action.reads().contains(&Slot::Input(i));
        written.is_some_and(|w| !self.actions[w + 1..].iter().any(reads))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// max(a - b, 0) * c, and with `twice` the difference too.
    fn sequence(twice: bool, joins: Joins<'_>) -> Sequence {
        let s = Scalar::new(crate::backend::cpu::vector::evaluate);
        let [a, b, c] = [0, 1, 2].map(|i| s.operand(i, DType::F32));
        let difference = s.sub(a, b);
        let product = s.mul(s.max(difference, s.number(difference, 0.0)), c);
        let roots = [(product, Root::Store(0)), (difference, Root::Store(1))];
        Sequence::new(&s, &roots[..1 + usize::from(twice)], joins)
    }

    #[test]
    fn a_value_that_one_other_reads_is_computed_with_it() {
        let together = sequence(false, &|_, _, _| true);
        let [Action::Pair(pair), Action::Step(product)] = &together.actions[..] else { panic!("{together:?}") };
        assert_eq!((pair.first, pair.second, pair.swapped, pair.arity), (Code::Sub, Code::Max, false, 3));
        assert_eq!(pair.args, [Slot::Input(0), Slot::Input(1), Slot::Const(0)]);
        assert_eq!((product.code, product.args[0], product.to), (Code::Mul, pair.to, Slot::Output(0)));
        assert!(together.may_overlay(0, 0) && together.may_overlay(0, 2));
        // Without loops for two, and where the difference is wanted for itself, it stays alone.
        assert_eq!(sequence(false, &|_, _, _| false).actions.len(), 3);
        let twice = sequence(true, &|_, _, _| true);
        let [Action::Step(difference), Action::Pair(pair)] = &twice.actions[..] else { panic!("{twice:?}") };
        assert_eq!((difference.code, difference.to), (Code::Sub, Slot::Output(1)));
        assert_eq!((pair.first, pair.second, pair.to), (Code::Max, Code::Mul, Slot::Output(0)));
        assert!(!twice.may_overlay(1, 2));
    }
}
