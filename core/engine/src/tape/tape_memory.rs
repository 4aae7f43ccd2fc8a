//! The memory of one tape, and the list of the tapes that record on this thread.
//! Tapes start and end here; `record` writes to those that are active.

use super::log::Log;
use super::slot_table::{Slots, UNTRACKED};
use super::stopped_paths::Cuts;
use crate::tensor::local::{LOCAL, mode};
use crate::tensor::{Resource, Tensor};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;
use std::rc::Rc;

/// Ids are unique numbers: one multiplication spreads them.
#[derive(Default)]
pub struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {}
    fn write_u64(&mut self, id: u64) {
        self.0 = id.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

/// A map by the ids of tensors and handles.
pub type IdMap<V> = HashMap<u64, V, BuildHasherDefault<IdHasher>>;

/// The memory of one tape.
#[derive(Default)]
pub(crate) struct TapeData {
    /// Slot numbers of tracked tensors and watched handles, by id. All of them are floats, or variables of floats.
    pub slots: Slots,
    pub count: u32,
    pub log: Log,
    /// The operations that stopped the gradient, and what would be tracked had they not.
    pub cuts: Cuts,
    /// Handles of variables that were watched, in order.
    pub watched: Vec<Tensor>,
    pub watch_variables: bool,
    /// The number of the first tensor that its thread made since the tape began.
    pub began: u64,
    /// Whether tensors (not only variables) were watched.
    pub watched_values: bool,
    /// How many operations of the log are with a walk under way, which is recorded behind them.
    pub aside: usize,
    /// How many `stop_recording` guards are alive.
    pub paused: u32,
    /// The walks that the tape itself has recorded, for gradients of gradients.
    pub walks: Vec<Walked>,
}

/// A walk that a persistent tape has recorded.
pub(crate) struct Walked {
    /// Its entries in the log.
    pub entries: Range<usize>,
    pub answers: SmallVec<[Tensor; 4]>,
    /// How many slots, stops and watched handles there were before.
    slots: u32,
    stopped: usize,
    watched: usize,
}

impl Walked {
    /// A walk that begins now.
    pub fn beginning(tape: &TapeData) -> Self {
        let start = tape.log.len();
        let (slots, stopped, watched) = (tape.count, tape.cuts.len(), tape.watched.len());
        Self { entries: start..start, answers: SmallVec::new(), slots, stopped, watched }
    }

    /// Notes the walk that has ended with these answers, if the tape has recorded it.
    pub fn ended(mut self, tape: &mut TapeData, answers: SmallVec<[Tensor; 4]>) {
        self.entries.end = tape.log.len();
        if self.entries.end > self.entries.start {
            tape.walks.push(Self { answers, ..self });
        }
    }
}

/// What a tape lets go of; dropped when the tape can be looked at again, because it may hold what users wrote.
#[derive(Default)]
pub(crate) struct Unwanted {
    _walks: Vec<(Walked, Log)>,
    _watched: Vec<Tensor>,
}

impl TapeData {
    /// The slot of a tensor id, made if there is none.
    #[inline]
    pub fn slot(&mut self, id: u64) -> u32 {
        let slot = self.slots.find_or(id, self.count);
        self.count += u32::from(slot == self.count);
        slot
    }

    #[inline]
    pub fn find(&self, tensor: &Tensor) -> u32 {
        self.slots.find(tensor.id())
    }

    /// How many operations the tape has noted.
    #[inline]
    pub fn position(&self) -> usize {
        self.aside + self.log.len()
    }

    /// Makes the tape follow a tensor or a variable's handle; integers carry no gradient and are ignored.
    pub fn watch(&mut self, tensor: &Tensor) {
        if self.find(tensor) != UNTRACKED {
            return;
        }
        match tensor.as_object::<Resource>() {
            Some(resource) if resource.dtype.is_differentiable() => self.watched.push(tensor.clone()),
            None if tensor.dtype().is_differentiable() => self.watched_values = true,
            _ => return,
        }
        self.slot(tensor.id());
    }

    /// Follows a value of a graph, whatever it stands for.
    pub fn follow_always(&mut self, tensor: &Tensor) {
        self.watched_values |= tensor.dtype().is_differentiable();
        self.slot(tensor.id());
    }

    /// Follows (or not) `outer`, a new tensor, as it does `inner`.
    pub fn rename(&mut self, inner: &Tensor, outer: &Tensor) {
        match self.find(inner) {
            UNTRACKED => self.cuts.rename(inner, outer),
            slot => {
                self.slots.find_or(outer.id(), slot);
            }
        }
    }

    /// Takes the walks off the end of the log whose answers nobody else holds: nothing can depend on them any more.
    pub fn take_unwanted_walks(&mut self) -> Unwanted {
        let mut unwanted = Unwanted::default();
        while let Some(last) = self.walks.last()
            && last.entries.end == self.log.len()
            && last.answers.iter().all(Tensor::is_only_handle)
            && let Some(walk) = self.walks.pop()
        {
            let log = self.log.split_off(walk.entries.start);
            self.slots.forget_from(walk.slots);
            self.count = walk.slots;
            self.cuts.forget_from(walk.stopped, walk.entries.start);
            self.cuts.forget_reads(walk.slots);
            unwanted._watched.extend(self.watched.drain(walk.watched..));
            unwanted._walks.push((walk, log));
        }
        unwanted
    }

    pub fn clear(&mut self) {
        self.walks.clear();
        self.slots.clear();
        self.watched_values = false;
        self.log.clear();
        self.cuts.clear();
        self.watched.clear();
        self.count = 0;
    }
}

thread_local! {
    static TAPES: RefCell<Vec<Rc<RefCell<TapeData>>>> = const { RefCell::new(Vec::new()) };
    /// Memory of tapes that ended, so that a training loop makes its tapes for nothing.
    static SPARE: RefCell<Vec<Rc<RefCell<TapeData>>>> = const { RefCell::new(Vec::new()) };
}

/// Starts a tape on this thread.
pub(crate) fn push(watch_variables: bool) -> Rc<RefCell<TapeData>> {
    let tape = SPARE.with_borrow_mut(Vec::pop).unwrap_or_default();
    {
        let mut data = tape.borrow_mut();
        data.watch_variables = watch_variables;
        data.paused = 0;
        data.began = LOCAL.with(|local| local.upcoming_id());
    }
    TAPES.with_borrow_mut(|tapes| tapes.push(tape.clone()));
    LOCAL.with(|local| local.set_mode(mode::TAPE, true));
    tape
}

/// Ends a tape on this thread; it keeps what it noted.
pub(crate) fn remove(tape: &Rc<RefCell<TapeData>>) {
    // A tape in a thread-local may end after the list has.
    let _ = TAPES.try_with(|tapes| {
        let mut tapes = tapes.borrow_mut();
        if let Some(at) = tapes.iter().rposition(|other| Rc::ptr_eq(other, tape)) {
            tapes.remove(at);
            LOCAL.with(|local| local.set_mode(mode::TAPE, !tapes.is_empty()));
        }
    });
}

/// Keeps the memory of a tape that nobody but its owner, who is going, reads any more.
pub(crate) fn recycle(tape: &Rc<RefCell<TapeData>>) {
    // A guard that still pauses this tape must not pause the next one.
    if Rc::strong_count(tape) > 1 {
        return;
    }
    if let Ok(mut data) = tape.try_borrow_mut() {
        data.clear();
    }
    // The thread may be ending; then the memory is simply freed.
    let _ = SPARE.try_with(|spare| {
        if let Ok(mut spare) = spare.try_borrow_mut()
            && spare.len() < 8
        {
            spare.push(tape.clone());
        }
    });
}

/// The tapes of this thread, outermost first.
pub(crate) fn tapes() -> SmallVec<[Rc<RefCell<TapeData>>; 2]> {
    TAPES.try_with(|tapes| tapes.borrow().iter().cloned().collect()).unwrap_or_default()
}

/// Replaces the tapes of this thread; whoever does sets the mode word.
pub(crate) fn swap_tapes(tapes: Vec<Rc<RefCell<TapeData>>>) -> Vec<Rc<RefCell<TapeData>>> {
    TAPES.try_with(|all| all.replace(tapes)).unwrap_or_default()
}

/// Runs `visit` for every active tape that records. No operation may run inside.
#[inline]
pub(crate) fn for_each_tape(mut visit: impl FnMut(&mut TapeData)) {
    for_each_tape_and_last(|tape, _| visit(tape));
}

/// As [`for_each_tape`]; `visit` is told which one is the last, unless that one is paused.
#[inline]
pub(crate) fn for_each_tape_and_last(mut visit: impl FnMut(&mut TapeData, bool)) {
    // While a thread ends, other thread-locals may still run operations; nobody asks for their gradient.
    let _ = TAPES.try_with(|tapes| {
        let tapes = tapes.borrow();
        for (i, tape) in tapes.iter().enumerate() {
            let mut tape = tape.borrow_mut();
            if tape.paused == 0 {
                visit(&mut tape, i + 1 == tapes.len());
            }
        }
    });
}
