//! What each line reads and writes, and in which kind of register it wants that.
//! The choice of classes, the sets of what is alive, and the calls of helpers are made from it.

use super::ops::{Line, Number, Op, Request};
use smallvec::SmallVec;

/// A kind of registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    General = 0,
    Float = 1,
}

/// How a line wants an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Want {
    In(Class),
    /// As the other operands that are wanted like this.
    Like,
    /// In its home in memory.
    Home,
}

/// An operand: its word, and how it is wanted.
pub(super) type Use = (u32, Want);

pub(super) struct Uses {
    pub reads: SmallVec<[Use; 4]>,
    pub writes: SmallVec<[Use; 2]>,
}

/// The class of a number's register.
pub(super) fn class(number: Number) -> Class {
    if number.is_float() { Class::Float } else { Class::General }
}

impl Number {
    pub(super) fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// Whether it has 64 bits.
    pub(super) fn is_wide(self) -> bool {
        matches!(self, Self::F64 | Self::I64)
    }

    pub(super) fn size(self) -> u8 {
        if self.is_wide() { 8 } else { 4 }
    }
}

impl Line {
    /// What it reads and writes; lists by the word that holds their end.
    pub(super) fn uses(&self, request: &Request<'_>) -> Uses {
        let [to, a, b, c] = [self.to, self.a, self.b, self.c].map(u32::from);
        let truth = Want::In(Class::General);
        let list = |n: u16| (request.end(n), truth);
        let of = |reads: &[Use], writes: &[Use]| Uses { reads: reads.into(), writes: writes.into() };
        match self.op {
            Op::Unary(_, number) => {
                let want = Want::In(class(number));
                of(&[(a, want)], &[(to, want)])
            }
            Op::Binary(_, number) | Op::Division(_, number) => {
                let want = Want::In(class(number));
                of(&[(a, want), (b, want)], &[(to, want)])
            }
            Op::Pair { number, .. } => {
                let want = Want::In(class(number));
                of(&[(a, want), (b, want), (c, want)], &[(to, want)])
            }
            Op::Logic(_) => of(&[(a, truth), (b, truth)], &[(to, truth)]),
            Op::Not => of(&[(a, truth)], &[(to, truth)]),
            Op::Compare(_, number) => {
                let want = Want::In(class(number));
                of(&[(a, want), (b, want)], &[(to, truth)])
            }
            Op::Convert(from, into) => of(&[(a, Want::In(class(from)))], &[(to, Want::In(class(into)))]),
            Op::Move(_) => of(&[(a, Want::Like)], &[(to, Want::Like)]),
            Op::Select(_) => of(&[(a, truth), (b, Want::Like), (c, Want::Like)], &[(to, Want::Like)]),
            Op::Function(..) => of(&[(a, Want::In(Class::Float))], &[(to, Want::In(Class::Float))]),
            Op::Call(_) => of(&[(a, Want::Home), (b, Want::Home), (c, Want::Home)], &[(to, Want::Home)]),
            Op::Step(touched) => {
                let mut uses = of(&[], &[]);
                let reads = [a, b, c].into_iter().zip(touched.reads).filter(|(_, read)| *read);
                uses.reads.extend(reads.map(|(r, _)| (r, Want::Home)));
                uses.writes.extend(touched.writes.map(|_| (to, Want::Home)));
                let walked = |n: &u16| request.lists[*n as usize];
                for n in touched.lists.into_iter().flatten().filter(walked) {
                    let end = (request.end(n), Want::Home);
                    uses.reads.push(end);
                    uses.writes.push(end);
                }
                uses
            }
            Op::Jump => of(&[], &[]),
            Op::JumpIf | Op::JumpUnless => of(&[(a, truth)], &[]),
            Op::Branch { number, .. } => {
                let want = Want::In(class(number));
                of(&[(a, want), (b, want)], &[])
            }
            Op::Count { number, .. } => {
                let want = Want::In(class(number));
                of(&[(to, want), (b, want), (c, want)], &[(to, want)])
            }
            Op::Halt => {
                let mut uses = of(&[], &[]);
                uses.reads.extend(request.results.iter().map(|&r| (u32::from(r), Want::Home)));
                let lists = (0..request.lists.len() as u16).filter(|&n| request.lists[n as usize]);
                uses.reads.extend(lists.map(|n| (request.end(n), Want::Home)));
                uses
            }
            Op::Push(_) | Op::Store(_) => {
                let end = list(self.to);
                let writes: &[Use] = if matches!(self.op, Op::Push(_)) { &[end] } else { &[] };
                of(&[end, (a, Want::Like)], writes)
            }
            Op::PushRow | Op::PopRow | Op::PushCount | Op::PopCount => of(&[list(self.to)], &[list(self.to)]),
            Op::Pop(_) => of(&[list(self.a)], &[list(self.a), (to, Want::Like)]),
            Op::Load(_) => of(&[list(self.a)], &[(to, Want::Like)]),
        }
    }

    /// The line that it may jump to.
    pub(super) fn target(&self) -> Option<usize> {
        let jumps = matches!(self.op, Op::Jump | Op::JumpIf | Op::JumpUnless | Op::Branch { .. } | Op::Count { .. });
        jumps.then_some(self.imm as usize)
    }

    /// Whether the next line may follow it.
    pub(super) fn goes_on(&self) -> bool {
        !matches!(self.op, Op::Jump | Op::Halt)
    }

    /// Whether it calls a function each time, before which registers that calls change are kept.
    pub(super) fn calls(&self) -> bool {
        matches!(self.op, Op::Function(..) | Op::Call(_) | Op::Step(_))
    }

    /// The bytes of its result.
    pub(super) fn result_size(&self) -> u8 {
        match self.op {
            Op::Unary(_, n) | Op::Binary(_, n) | Op::Division(_, n) | Op::Convert(_, n) | Op::Function(_, n) => {
                n.size()
            }
            Op::Pair { number, .. } | Op::Count { number, .. } => number.size(),
            Op::Move(size) | Op::Select(size) | Op::Pop(size) | Op::Load(size) => size,
            Op::Step(touched) => touched.writes.unwrap_or(8),
            Op::Logic(_) | Op::Not | Op::Compare(..) => 1,
            _ => 8,
        }
    }
}
