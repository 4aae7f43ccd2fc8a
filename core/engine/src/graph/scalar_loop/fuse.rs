//! Two or three instructions as one: a product and the sum that takes it, a comparison and the jump, and the step of a
//! counter with both. Each keeps the roundings of its parts.

use super::code::{Ins, Opcode, Role, comparing_jump, counting_jump, pair};
use super::flow::Flow;

/// Where values come from within a straight piece of code.
struct Straight {
    /// For each register, the last instruction that wrote it, and whether that was in this piece.
    written: Vec<Option<usize>>,
    piece: usize,
}

impl Straight {
    /// The instruction of this piece that computed a register last.
    fn source(&self, register: u32) -> Option<usize> {
        self.written[register as usize].filter(|&at| at >= self.piece)
    }

    /// Whether an operand still has the value that it had at `since`.
    fn unchanged(&self, register: u32, since: usize) -> bool {
        self.written[register as usize].is_none_or(|at| at < since)
    }
}

/// Joins pairs of instructions, the first of which only feeds the second. Registers are still written once per round.
pub(super) fn pairs(flow: &mut Flow) {
    let mut uses = vec![0u32; flow.roles.len()];
    flow.code.iter().flat_map(Ins::reads).for_each(|(_, r)| uses[r as usize] += 1);
    flow.results.iter().for_each(|&r| uses[r as usize] += 1);
    let targets = flow.targets();
    let mut keep = vec![true; flow.code.len()];
    let mut straight = Straight { written: vec![None; flow.roles.len()], piece: 0 };
    for (i, &starts) in targets.iter().enumerate().take(flow.code.len()) {
        if starts {
            straight.piece = i;
        }
        let second = flow.code[i];
        // Operands that repeat count as two uses, so such instructions stay apart.
        let first = |register: u32| {
            let at = straight.source(register).filter(|_| uses[register as usize] == 1)?;
            let first = flow.code[at];
            let same = keep[at] && first.op.shape().to == Role::Word && first.to == register;
            (same && first.reads().all(|(_, r)| straight.unchanged(r, at))).then_some((at, first))
        };
        let joined = match second.op {
            Opcode::JumpIf | Opcode::JumpUnless => first(second.a).and_then(|(at, compare)| {
                let op = comparing_jump(compare.op, second.op == Opcode::JumpUnless)?;
                Some((at, Ins { op, a: compare.a, b: compare.b, ..second }))
            }),
            _ if second.op.shape().b == Role::Word => {
                let by_first = first(second.a).and_then(|(at, one)| {
                    let op = pair(one.op, second.op, false)?;
                    Some((at, Ins { op, a: one.a, b: one.b, c: second.b, ..second }))
                });
                by_first.or_else(|| {
                    let (at, one) = first(second.b)?;
                    let op = pair(one.op, second.op, true)?;
                    Some((at, Ins { op, a: one.a, b: one.b, c: second.a, ..second }))
                })
            }
            _ => None,
        };
        if let Some((at, ins)) = joined {
            keep[at] = false;
            flow.code[i] = ins;
        }
        flow.code[i].writes().for_each(|(_, r)| straight.written[r as usize] = Some(i));
        if flow.code[i].op.shape().jumps {
            straight.piece = i + 1;
        }
    }
    flow.retain(&keep);
}

/// Joins the step of a counter with the comparing jump at the end of its loop. Registers are the final ones.
pub(super) fn counters(flow: &mut Flow) {
    let targets = flow.targets();
    let mut keep = vec![true; flow.code.len()];
    for i in 0..flow.code.len() {
        let jump = flow.code[i];
        let shape = jump.op.shape();
        if !shape.jumps || shape.b != Role::Word || targets[i] {
            continue;
        }
        for (counter, limit, first) in [(jump.a, jump.b, true), (jump.b, jump.a, false)] {
            let Some(at) = step_before(flow, &targets, i, counter) else { continue };
            let step = flow.code[at];
            let by = if step.a == counter { step.b } else { step.a };
            if step.a != counter && step.op.is_difference() || by == counter || limit == counter {
                continue;
            }
            let between = &flow.code[at + 1..i];
            let writes = |register| between.iter().flat_map(Ins::writes).any(|(_, r)| r == register);
            if writes(by) {
                continue;
            }
            if let Some(op) = counting_jump(step.op, jump.op, first) {
                keep[at] = false;
                flow.code[i] = Ins { op, to: counter, a: counter, b: limit, c: by, ..jump };
                break;
            }
        }
    }
    flow.retain(&keep);
}

/// The instruction in straight code before `end` that steps `counter` in place, if nothing after it looks at the counter.
fn step_before(flow: &Flow, targets: &[bool], end: usize, counter: u32) -> Option<usize> {
    for at in (0..end).rev() {
        let ins = &flow.code[at];
        if ins.op.shape().jumps {
            return None;
        }
        if ins.to == counter && ins.writes().any(|(_, r)| r == counter) {
            let in_place = ins.op.shape().b == Role::Word && (ins.a == counter || ins.b == counter);
            return in_place.then_some(at);
        }
        if ins.reads().any(|(_, r)| r == counter) || targets[at] {
            return None;
        }
    }
    None
}
