//! What a sequence is written from: which slots are free, and which two values are computed at once.
//! [`Sequence::new`](super::Sequence::new) calls it.

use super::{Joins, Root};
use crate::dtype::DType;
use crate::scalar::build::Node;
use crate::scalar::{Code, Slot, Val};

/// What is known while steps are written.
pub(super) struct Work<'a> {
    pub nodes: &'a [Node],
    pub roots: &'a [(Val, Root)],
    /// The last value that is computed from each value.
    pub last_use: Vec<Option<usize>>,
    pub slots: Vec<Option<Slot>>,
    pub free: Vec<u16>,
}

impl Work<'_> {
    pub fn operands(&self, sources: &[u32]) -> [Slot; 3] {
        let mut args = [Slot::Const(0); 3];
        for (arg, &source) in args.iter_mut().zip(sources) {
            // Operands come before their users in the node list.
            *arg = self.slots[source as usize].unwrap_or(Slot::Const(0));
        }
        args
    }

    /// Gives the temporaries of operands back that value `i` was the last to read.
    pub fn release(&mut self, i: usize, sources: &[u32]) {
        for (at, &source) in sources.iter().enumerate() {
            if let (Some(Slot::Temp(t)), true) =
                (self.slots[source as usize], self.last_use[source as usize] == Some(i))
                && !sources[..at].contains(&source)
            {
                self.free.push(t);
            }
        }
    }
}

/// Values that are computed together with the one value that reads them.
pub(super) struct Parts {
    /// For each value, the value that it is a part of.
    pub into: Vec<Option<usize>>,
    /// For each value, its part.
    pub of: Vec<Option<usize>>,
}

/// The pairs among the values that are used, as `joins` allows them.
pub(super) fn paired(nodes: &[Node], uses: &[u32], is_root: &dyn Fn(usize) -> bool, joins: Joins<'_>) -> Parts {
    let mut parts = Parts { into: vec![None; nodes.len()], of: vec![None; nodes.len()] };
    let single = |i: usize| {
        let code = nodes[i].code.filter(|&code| code != Code::Const)?;
        let all = nodes[i].args[..code.arity()].iter().all(|&arg| nodes[arg as usize].dtype == DType::F32);
        (all && nodes[i].dtype == DType::F32).then_some(code)
    };
    for i in (0..nodes.len()).filter(|&i| uses[i] > 0) {
        let Some(second) = single(i) else { continue };
        for (at, &arg) in nodes[i].args[..second.arity()].iter().enumerate() {
            let arg = arg as usize;
            if uses[arg] != 1 || is_root(arg) || parts.of[arg].is_some() {
                continue;
            }
            if single(arg).is_some_and(|first| joins(first, second, at == 1)) {
                (parts.into[arg], parts.of[i]) = (Some(i), Some(arg));
                break;
            }
        }
    }
    parts
}
