//! Tapes and graphs: which operands of a branch, loop or call are followed, and how tapes forget what a closed body recorded.
//! `execute` asks [`needed`] before it records such an operation; builders keep [`Marks`] while they are open.

use super::forward_mode::has_tangent;
use super::log::Log;
use super::slot_table::UNTRACKED;
use super::tape_memory::{self, TapeData};
use crate::op::Op;
use crate::tensor::local::{LOCAL, mode};
use crate::tensor::{Resource, Tensor};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;

/// How many entries each tape of this thread had at some moment.
pub(crate) struct Marks(SmallVec<[(Rc<RefCell<TapeData>>, usize); 1]>);

impl Marks {
    /// Whether the tape was there at that moment.
    pub fn knows(&self, tape: &Rc<RefCell<TapeData>>) -> bool {
        self.0.iter().any(|(other, _)| Rc::ptr_eq(other, tape))
    }
}

/// Notes how far the tapes of this thread have come.
pub(crate) fn marks() -> Marks {
    Marks(tape_memory::tapes().into_iter().map(|tape| (tape.clone(), tape.borrow().log.len())).collect())
}

/// What tapes noted inside a body that is closed for now.
#[derive(Default)]
pub(crate) struct Seen(Vec<(Rc<RefCell<TapeData>>, Log)>);

/// Makes tapes forget what they noted since: it was inside a body that one operation stands for from now on.
pub(crate) fn rewind(marks: &Marks) -> Seen {
    let mut seen = Vec::new();
    for (tape, length) in &marks.0 {
        let Ok(mut data) = tape.try_borrow_mut() else { continue };
        if data.log.len() > *length {
            let log = data.log.split_off(*length);
            let position = data.aside + *length;
            data.cuts.rewind(position);
            drop(data);
            seen.push((tape.clone(), log));
        }
    }
    Seen(seen)
}

/// Makes tapes remember what they noted in a body that is open again.
pub(crate) fn replace(seen: Seen) {
    for (tape, log) in seen.0 {
        if let Ok(mut tape) = tape.try_borrow_mut() {
            tape.log.append(log);
        }
    }
}

/// Which inputs some tape or accumulator follows, or `None` if there are none. Trainable variables that the operation
/// reads are watched from here on, as by a read of their own.
pub(crate) fn needed(op: &dyn Op, inputs: &[&Tensor]) -> Option<SmallVec<[bool; 8]>> {
    let mut needs: SmallVec<[bool; 8]> = SmallVec::from_elem(false, inputs.len());
    for tape in tape_memory::tapes() {
        let mut tape = tape.borrow_mut();
        if tape.paused > 0 {
            continue;
        }
        for (i, &input) in inputs.iter().enumerate() {
            if tape.watch_variables
                && input.as_object::<Resource>().is_some_and(|r| r.trainable() && r.dtype.is_differentiable())
                && op.reads(i)
            {
                tape.watch(input);
            }
            needs[i] |= tape.find(input) != UNTRACKED;
        }
    }
    if LOCAL.with(|local| local.has(mode::FORWARD)) {
        inputs.iter().zip(&mut needs).for_each(|(t, need)| *need |= has_tangent(t));
    }
    needs.contains(&true).then_some(needs)
}

/// While it lives, the tapes and accumulators of this thread see nothing.
pub(crate) struct Unseen {
    tapes: Vec<Rc<RefCell<TapeData>>>,
    mode: u32,
}

impl Unseen {
    pub fn start() -> Self {
        let mode = LOCAL.with(|local| local.mode.get()) & (mode::TAPE | mode::FORWARD);
        LOCAL.with(|local| local.set_mode(mode::TAPE | mode::FORWARD, false));
        Self { tapes: tape_memory::swap_tapes(Vec::new()), mode }
    }
}

impl Drop for Unseen {
    fn drop(&mut self) {
        drop(tape_memory::swap_tapes(std::mem::take(&mut self.tapes)));
        LOCAL.with(|local| {
            local.set_mode(mode::TAPE | mode::FORWARD, false);
            local.set_mode(self.mode, true);
        });
    }
}
