//! Fused scalar programs: the meanings of many operations as one sequence of steps, with results stored or folded.
//! The planned executor of graphs makes one of every cluster that it runs as a single pass over memory.

use super::build::Node;
use super::program::{narrow, widen};
use super::{Code, Scalar, Slot, Step, Val};
use crate::dtype::DType;
use crate::op::Op;
use smallvec::SmallVec;

/// What happens to a result of the sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Root {
    /// Written to output number `n`.
    Store(u16),
    /// Given to fold number `n`.
    Fold(u16),
}

/// One thing done to a tile.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Action {
    Step(Step),
    /// Fold number `n` takes the values in a slot.
    Fold(u16, Slot),
}

/// Steps over slots, as `Program`; outputs may be read again by later steps.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Sequence {
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

    /// The result of an operation on values of storage dtypes, as its own program computes it.
    ///
    /// The meaning is built apart, over operands that are all different, and then brought in: a derivative by one of two
    /// equal operands must not see the other, nor what an operand was computed from.
    pub fn apply(&self, op: &dyn Op, operands: &[Val]) -> Val {
        let dtypes: SmallVec<[DType; 4]> = operands.iter().map(|&x| self.dtype(x)).collect();
        let own = Self::new();
        let xs: SmallVec<[Val; 4]> = dtypes.iter().enumerate().map(|(i, &d)| widen(&own, own.input(i, d))).collect();
        let root = narrow(&own, op.scalar(&own, &xs), &dtypes);
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
    /// The sequence that computes `roots`, in the order in which the values were made.
    pub fn new(s: &Scalar, roots: &[(Val, Root)]) -> Self {
        let nodes = s.nodes.borrow();
        let mut sequence = Self { widest: 1, ..Self::default() };
        let mut wanted = vec![false; nodes.len()];
        let mut last_use = vec![usize::MAX; nodes.len()];
        roots.iter().for_each(|(root, _)| wanted[root.0 as usize] = true);
        for i in (0..nodes.len()).rev() {
            if let (true, Some(code)) = (wanted[i], nodes[i].code) {
                for &arg in &nodes[i].args[..code.arity()] {
                    wanted[arg as usize] = true;
                    if last_use[arg as usize] == usize::MAX {
                        last_use[arg as usize] = i;
                    }
                }
            }
        }
        let mut slots: Vec<Option<Slot>> = vec![None; nodes.len()];
        let mut free: Vec<u16> = Vec::new();
        for (i, node) in nodes.iter().enumerate().filter(|(i, _)| wanted[*i]) {
            sequence.widest = sequence.widest.max(node.dtype.size());
            slots[i] = Some(match node.code {
                None => Slot::Input(node.payload as u16),
                Some(Code::Const) => {
                    sequence.constants.push((node.dtype, node.payload));
                    Slot::Const(sequence.constants.len() as u16 - 1)
                }
                Some(code) => sequence.step(&nodes, i, code, roots, &mut slots, &last_use, &mut free),
            });
            let slot = slots[i].unwrap_or(Slot::Const(0));
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
            if let (Slot::Temp(t), true) = (slot, last_use[i] == usize::MAX) {
                free.push(t);
            }
        }
        sequence
    }

    fn step(
        &mut self,
        nodes: &[Node],
        i: usize,
        code: Code,
        roots: &[(Val, Root)],
        slots: &mut [Option<Slot>],
        last_use: &[usize],
        free: &mut Vec<u16>,
    ) -> Slot {
        let node = &nodes[i];
        let sources = &node.args[..code.arity()];
        let mut args = [Slot::Const(0); 3];
        for (arg, &source) in args.iter_mut().zip(sources) {
            // Operands come before their users in the node list.
            *arg = slots[source as usize].unwrap_or(Slot::Const(0));
        }
        let operand = nodes[node.args[usize::from(code == Code::Select)] as usize].dtype;
        let stored = roots.iter().find_map(|(v, root)| match root {
            Root::Store(n) if v.0 as usize == i => Some(*n),
            _ => None,
        });
        // The result may not share a slot with an operand: loops take both as separate slices.
        let to = match stored {
            Some(n) => Slot::Output(n),
            None => Slot::Temp(free.pop().unwrap_or_else(|| {
                self.temps += 1;
                self.temps - 1
            })),
        };
        self.actions.push(Action::Step(Step { code, operand, result: node.dtype, args, to }));
        for (at, &source) in sources.iter().enumerate() {
            if let (Some(Slot::Temp(t)), true) = (slots[source as usize], last_use[source as usize] == i)
                && !sources[..at].contains(&source)
            {
                free.push(t);
            }
        }
        to
    }

    /// Whether output `n` may lie over input `i`: it is written when the input has been read for the last time.
    pub fn may_overlay(&self, n: u16, i: u16) -> bool {
        let reads = |action: &Action| match action {
            Action::Step(step) => step.args[..step.code.arity()].contains(&Slot::Input(i)),
            Action::Fold(_, from) => *from == Slot::Input(i),
        };
        let written = self.actions.iter().position(|a| matches!(a, Action::Step(s) if s.to == Slot::Output(n)));
        written.is_some_and(|w| !self.actions[w + 1..].iter().any(reads))
    }
}
