//! Gradients of a tape that are asked for inside of a loop of the graph which the tape is older than: a round's state is a
//! parameter there, so what earlier rounds did to it is not seen. Tapes [`note`] such questions, and the loop answers for them.

use crate::builder::Builder;
use crate::builder::{self, Reached};
use crate::tape::Marks;
use crate::tape::slot_table::UNTRACKED;
use crate::tape::tape_memory::TapeData;
use crate::tensor::Tensor;
use crate::tensor::local::user_line;
use std::cell::RefCell;
use std::panic::Location;
use std::rc::Rc;

/// A gradient that was asked for inside of loops, by way of their state.
struct Asked {
    /// Whether the tape follows the tensor or variable of this id.
    follows: Box<dyn Fn(u64) -> bool>,
    /// The state that the target depends on.
    reached: Vec<Reached>,
    location: &'static Location<'static>,
}

thread_local! {
    static ASKED: RefCell<Vec<Asked>> = const { RefCell::new(Vec::new()) };
}

/// Notes that a tape is asked for the gradient of `targets` by `sources`.
#[track_caller]
pub(super) fn note(tape: &Rc<RefCell<TapeData>>, targets: &[&Tensor], sources: &[&Tensor]) {
    let (tape, reached) = (tape.clone(), reached(tape, targets, sources));
    let follows = move |id| tape.try_borrow().is_ok_and(|tape| tape.slots.find(id) != UNTRACKED);
    keep(Box::new(follows), reached);
}

/// Whether `targets` depend on what earlier rounds did since the tape began.
pub(super) fn is_behind(tape: &Rc<RefCell<TapeData>>, targets: &[&Tensor], sources: &[&Tensor]) -> bool {
    !reached(tape, targets, sources).is_empty()
}

fn reached(tape: &Rc<RefCell<TapeData>>, targets: &[&Tensor], sources: &[&Tensor]) -> Vec<Reached> {
    builder::reached(targets, sources, &|_, marks: &Marks| marks.knows(tape))
}

/// As [`note`] for something else that follows tensors, and began while `inner` was recorded.
#[track_caller]
pub(super) fn note_since(inner: Option<&Rc<Builder>>, follows: Box<dyn Fn(u64) -> bool>, target: &Tensor) {
    let older = |body: &Rc<Builder>| !inner.is_some_and(|inner| inner.is_within(body));
    keep(follows, builder::reached(&[target], &[], &|body, _| older(body)));
}

#[track_caller]
fn keep(follows: Box<dyn Fn(u64) -> bool>, reached: Vec<Reached>) {
    if reached.is_empty() {
        return;
    }
    let location = user_line();
    ASKED.with_borrow_mut(|asked| {
        // What a trace that failed has left behind.
        asked.retain(|asked| asked.reached.iter().any(|r| r.body.strong_count() > 0));
        asked.push(Asked { follows, reached, location });
    });
}

/// A loop as it ends, with what tells how the state of a round comes about.
pub(crate) struct Rounds<'a> {
    pub condition: Option<&'a Rc<Builder>>,
    pub body: &'a Rc<Builder>,
    /// The state before the loop.
    pub first: &'a [Tensor],
    /// The state after a round, if another may follow.
    pub next: Option<&'a [Tensor]>,
}

/// A gradient that misses what earlier rounds did.
pub(crate) struct Missed {
    /// The number of the tensor of the state through which it goes.
    pub state: usize,
    /// Where it was asked for.
    pub location: &'static Location<'static>,
}

/// The first gradient, if there is one, that was asked for inside of this loop and depends on earlier rounds.
pub(crate) fn missed(rounds: &Rounds<'_>) -> Option<Missed> {
    let asked = ASKED.take();
    let (mut missed, mut kept) = (None, Vec::new());
    for mut asked in asked {
        let (of_this, others): (Vec<Reached>, Vec<Reached>) =
            std::mem::take(&mut asked.reached).into_iter().partition(|r| rounds.has(r));
        missed = missed.or_else(|| rounds.through(&of_this, &*asked.follows, asked.location));
        asked.reached = others;
        kept.extend((!asked.reached.is_empty()).then_some(asked));
    }
    ASKED.set(kept);
    missed
}

impl Rounds<'_> {
    /// Whether a parameter is one of this loop's.
    fn has(&self, reached: &Reached) -> bool {
        let is = |body: &Rc<Builder>| std::ptr::eq(reached.body.as_ptr(), &raw const **body);
        is(self.body) || self.condition.is_some_and(is)
    }

    /// The first one of these tensors of the state that depends, in some round, on what is followed.
    fn through(
        &self,
        reached: &[Reached],
        follows: &dyn Fn(u64) -> bool,
        location: &'static Location<'static>,
    ) -> Option<Missed> {
        if reached.is_empty() {
            return None;
        }
        let next = self.next.unwrap_or_default();
        let behind: Vec<_> = next.iter().map(|t| self.body.behind(std::slice::from_ref(t), &[])).collect();
        let mut depends: Vec<bool> = self.first.iter().map(|t| follows(t.id())).collect();
        for (depends, behind) in depends.iter_mut().zip(&behind) {
            *depends |= self.body.any_tensor(behind, follows);
        }
        // What depends on state that depends: each pass settles at least one more.
        for _ in 0..depends.len() {
            let before = depends.clone();
            for (i, behind) in behind.iter().enumerate() {
                depends[i] |= before.iter().enumerate().any(|(j, &d)| d && self.body.param_in(behind, j));
            }
        }
        let state = reached.iter().map(|r| r.index).find(|&i| depends.get(i) == Some(&true))?;
        Some(Missed { state, location })
    }
}
