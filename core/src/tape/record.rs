//! What a tape notes of each operation: who fed whom, and only those tensors that the gradient rule reads.
//! The door calls [`observe`] after every operation while a tape is active.

use super::backward::CustomRule;
use super::driver;
use crate::dtype::DType;
use crate::error::Result;
use crate::op::{Gradient, Kind, Op, OpRef};
use crate::scalar::PartialInfo;
use crate::tensor::local::{LOCAL, mode};
use crate::tensor::{Resource, Tensor, TensorType};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::panic::Location;
use std::rc::Rc;

/// The number of a tensor that no tape slot stands for.
pub(crate) const UNTRACKED: u32 = u32::MAX;

/// How an entry is differentiated.
pub(crate) enum Rule {
    Op(OpRef),
    /// A read of a variable: the cotangent of the value is the variable's.
    Read,
    /// The closure of a `#[custom_gradient]` function, with the function's name.
    Custom(Rc<dyn CustomRule>),
    /// The walk has passed and freed it.
    Spent,
}

impl Rule {
    /// The operation's or the custom function's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Op(op) => op.name(),
            Self::Read => "read_variable",
            Self::Custom(rule) => rule.name(),
            Self::Spent => "gradient",
        }
    }
}

/// A tensor that went into or came out of an operation.
pub(crate) struct Port {
    pub slot: u32,
    pub ty: TensorType,
}

/// One operation that ran.
pub(crate) struct Entry {
    pub rule: Rule,
    pub inputs: SmallVec<[Port; 2]>,
    pub outputs: SmallVec<[Port; 1]>,
    pub saved_inputs: SmallVec<[(u32, Tensor); 2]>,
    pub saved_outputs: SmallVec<[(u32, Tensor); 1]>,
    /// For element-wise operations, the derivative by each input that needs one.
    pub partials: Partials,
    pub location: &'static Location<'static>,
}

impl Entry {
    /// Whether it is a read or an element-wise operation: one output, no rule of its own.
    pub fn is_short(&self) -> bool {
        matches!(self.rule, Rule::Read) || !self.partials.is_empty()
    }

    fn new(
        rule: Rule,
        slots: &[u32],
        inputs: &[&Tensor],
        outputs: SmallVec<[Port; 1]>,
        location: &'static Location<'static>,
    ) -> Self {
        let mut ports = SmallVec::new();
        slots.iter().zip(inputs).for_each(|(&slot, t)| ports.push(Port { slot, ty: *t.ty() }));
        Self {
            rule,
            inputs: ports,
            outputs,
            saved_inputs: SmallVec::new(),
            saved_outputs: SmallVec::new(),
            partials: Partials::new(),
            location,
        }
    }
}

impl Entry {
    /// Frees the tensors that the rule reads.
    pub fn spend(&mut self) {
        self.saved_inputs.clear();
        self.saved_outputs.clear();
        if let Rule::Custom(_) = self.rule {
            self.rule = Rule::Spent;
        }
    }
}

pub(crate) type Partials = SmallVec<[Option<Rc<PartialInfo>>; 2]>;

/// Where and why a path was cut.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    pub op: &'static str,
    pub reason: &'static str,
    pub location: &'static Location<'static>,
}

/// Ids are unique numbers: one multiplication spreads them.
#[derive(Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {}
    fn write_u64(&mut self, id: u64) {
        self.0 = id.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

pub(crate) type IdMap<V> = HashMap<u64, V, BuildHasherDefault<IdHasher>>;

/// The memory of one tape.
#[derive(Default)]
pub(crate) struct TapeData {
    /// Slot numbers of tracked tensors and watched handles, by id.
    pub slots: IdMap<u32>,
    pub count: u32,
    pub entries: Vec<Entry>,
    /// Tensors that would be tracked had an operation not stopped the gradient.
    pub cuts: IdMap<Cut>,
    /// The slots that went into an operation which stops the gradient.
    pub stopped: Vec<(SmallVec<[u32; 4]>, Cut)>,
    /// Handles of variables that were watched, in order.
    pub watched: Vec<Tensor>,
    pub watch_variables: bool,
    /// Whether tensors (not only variables) were watched.
    pub watched_values: bool,
    /// How many `stop_recording` guards are alive.
    pub paused: u32,
}

impl TapeData {
    /// The slot of a tensor id, made if there is none.
    pub fn slot(&mut self, id: u64) -> u32 {
        *self.slots.entry(id).or_insert_with(|| {
            self.count += 1;
            self.count - 1
        })
    }

    pub fn find(&self, tensor: &Tensor) -> u32 {
        self.slots.get(&tensor.id()).copied().unwrap_or(UNTRACKED)
    }

    /// Notes that no gradient can come from these tensors, and why.
    fn cut(&mut self, outputs: &[Tensor], cut: Cut) {
        for output in outputs {
            self.cuts.insert(output.id(), cut);
        }
    }

    /// Follows (or not) `outer` as it does `inner`.
    fn rename(&mut self, inner: &Tensor, outer: &Tensor) {
        if let Some(&slot) = self.slots.get(&inner.id()) {
            self.slots.insert(outer.id(), slot);
        } else if let Some(&cut) = self.cuts.get(&inner.id()) {
            self.cuts.insert(outer.id(), cut);
        }
    }

    pub fn clear(&mut self) {
        // Emptying a map takes as long as it is large: one huge tape must not slow all later ones down.
        if self.slots.capacity() > 8 * self.slots.len() + 1024 {
            self.slots = IdMap::default();
        }
        self.slots.clear();
        self.stopped.clear();
        self.watched_values = false;
        self.entries.clear();
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
    tape.borrow_mut().watch_variables = watch_variables;
    tape.borrow_mut().paused = 0;
    TAPES.with_borrow_mut(|tapes| tapes.push(tape.clone()));
    LOCAL.with(|local| local.set_mode(mode::TAPE, true));
    tape
}

/// Ends a tape on this thread; it keeps what it noted.
pub(crate) fn remove(tape: &Rc<RefCell<TapeData>>) {
    // A tape in a thread-local may end after the list has.
    let _ = TAPES.try_with(|tapes| {
        let mut tapes = tapes.borrow_mut();
        tapes.retain(|other| !Rc::ptr_eq(other, tape));
        LOCAL.with(|local| local.set_mode(mode::TAPE, !tapes.is_empty()));
    });
}

/// Keeps the memory of a tape that nobody reads any more.
pub(crate) fn recycle(tape: Rc<RefCell<TapeData>>) {
    // A guard that still pauses this tape must not pause the next one.
    if Rc::strong_count(&tape) > 1 {
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
            spare.push(tape);
        }
    });
}

/// The tapes of this thread, outermost first.
pub(super) fn tapes() -> SmallVec<[Rc<RefCell<TapeData>>; 2]> {
    TAPES.try_with(|tapes| tapes.borrow().iter().cloned().collect()).unwrap_or_default()
}

/// Replaces the tapes of this thread; whoever does sets the mode word.
pub(super) fn swap_tapes(tapes: Vec<Rc<RefCell<TapeData>>>) -> Vec<Rc<RefCell<TapeData>>> {
    TAPES.try_with(|all| all.replace(tapes)).unwrap_or_default()
}

/// Runs `visit` for every active tape that records. No operation may run inside.
fn for_each_tape(mut visit: impl FnMut(&mut TapeData)) {
    // While a thread ends, other thread-locals may still run operations; nobody asks for their gradient.
    let _ = TAPES.try_with(|tapes| {
        for tape in tapes.borrow().iter() {
            let mut tape = tape.borrow_mut();
            if tape.paused == 0 {
                visit(&mut tape);
            }
        }
    });
}

/// Tells the tapes of this thread that an operation ran.
pub(crate) fn observe(
    op: &dyn Op,
    inputs: &[&Tensor],
    outputs: &[Tensor],
    location: &'static Location<'static>,
) -> Result<()> {
    if matches!(op.kind(), Kind::Read) {
        Watcher::see(inputs[0]);
    }
    if LOCAL.with(|local| local.has(mode::TAPE)) {
        for_each_tape(|tape| note(tape, op, inputs, outputs, location));
    }
    if LOCAL.with(|local| local.has(mode::FORWARD)) {
        super::forward::follow(op, inputs, outputs, location)?;
    }
    Ok(())
}

pub(super) fn note(
    tape: &mut TapeData,
    op: &dyn Op,
    inputs: &[&Tensor],
    outputs: &[Tensor],
    location: &'static Location<'static>,
) {
    if let Kind::Read = op.kind() {
        return note_read(tape, inputs[0], &outputs[0], location);
    }
    if tape.slots.is_empty() {
        return;
    }
    let mut slots: SmallVec<[u32; 4]> = SmallVec::new();
    inputs.iter().for_each(|t| slots.push(tape.find(t)));
    if slots.iter().all(|&s| s == UNTRACKED) {
        return pass_cut_on(tape, inputs, outputs);
    }
    let stop = match op.gradient() {
        Gradient::Stops(reason) => Some(reason),
        _ if !outputs.iter().any(carries) => Some("its result is not floating-point"),
        _ => None,
    };
    if let Some(reason) = stop {
        let cut = Cut { op: op.name(), reason, location };
        tape.stopped.push((slots, cut));
        return tape.cut(outputs, cut);
    }
    let mut needs: SmallVec<[bool; 4]> = SmallVec::new();
    slots.iter().zip(inputs).for_each(|(&s, t)| needs.push(s != UNTRACKED && flows(t)));
    let (saves, partials) = driver::saves_of(op, inputs, &needs);
    let outgoing = output_ports(tape, outputs);
    let mut entry = Entry::new(Rule::Op(op.keep()), &slots, inputs, outgoing, location);
    entry.partials = partials;
    (0u32..)
        .zip(inputs)
        .filter(|(i, _)| saves.inputs.has(*i as usize))
        .for_each(|(i, &t)| entry.saved_inputs.push((i, t.clone())));
    (0u32..)
        .zip(outputs)
        .filter(|(i, _)| saves.outputs.has(*i as usize))
        .for_each(|(i, t)| entry.saved_outputs.push((i, t.clone())));
    tape.entries.push(entry);
}

/// Tells the tapes of this thread that a variable was read: most steps read many, so this way is short.
pub(crate) fn observe_read(handle: &Tensor, value: &Tensor, location: &'static Location<'static>) {
    Watcher::see(handle);
    for_each_tape(|tape| note_read(tape, handle, value, location));
}

fn note_read(tape: &mut TapeData, handle: &Tensor, value: &Tensor, location: &'static Location<'static>) {
    if tape.watch_variables && handle.as_object::<Resource>().is_some_and(|r| r.trainable) {
        watch(tape, handle);
    }
    let slot = tape.find(handle);
    if slot == UNTRACKED || was_read(tape, value) {
        return;
    }
    let outgoing = output_ports(tape, std::slice::from_ref(value));
    tape.entries.push(Entry::new(Rule::Read, &[slot], &[handle], outgoing, location));
}

/// Whether the same value was read before, so that one entry leads to the variable already.
fn was_read(tape: &TapeData, value: &Tensor) -> bool {
    let slot = tape.find(value);
    if slot == UNTRACKED || !tape.watched_values {
        return slot != UNTRACKED;
    }
    // The value may be followed because it was watched itself.
    tape.entries.iter().any(|e| e.outputs[0].slot == slot && matches!(e.rule, Rule::Read))
}

/// Results of tensors behind a cut are behind it too.
fn pass_cut_on(tape: &mut TapeData, inputs: &[&Tensor], outputs: &[Tensor]) {
    if !tape.cuts.is_empty()
        && let Some(cut) = inputs.iter().find_map(|t| tape.cuts.get(&t.id()).copied())
    {
        tape.cut(outputs, cut);
    }
}

/// Whether a cotangent can flow into the tensor: floats, lists, and handles of variables.
fn flows(tensor: &Tensor) -> bool {
    carries(tensor) || tensor.dtype() == DType::Resource
}

/// Whether a result can have a cotangent: floats and lists.
pub(crate) fn carries(tensor: &Tensor) -> bool {
    tensor.dtype().is_floating() || tensor.dtype() == DType::Variant
}

fn output_ports(tape: &mut TapeData, outputs: &[Tensor]) -> SmallVec<[Port; 1]> {
    let mut ports = SmallVec::new();
    for output in outputs {
        let slot = if carries(output) { tape.slot(output.id()) } else { UNTRACKED };
        ports.push(Port { slot, ty: *output.ty() });
    }
    ports
}

/// Makes a tape follow a tensor or a variable's handle; integers carry no gradient and are ignored.
pub(crate) fn watch(tape: &mut TapeData, tensor: &Tensor) {
    if tape.slots.contains_key(&tensor.id()) {
        return;
    }
    match tensor.as_object::<Resource>() {
        Some(resource) if resource.dtype.is_floating() => tape.watched.push(tensor.clone()),
        None if tensor.dtype().is_floating() => tape.watched_values = true,
        _ => return,
    }
    tape.slot(tensor.id());
}

/// Makes a tape follow a value of a graph, whatever it stands for.
pub(super) fn follow_always(tape: &mut TapeData, tensor: &Tensor) {
    tape.watched_values |= tensor.dtype().is_floating();
    tape.slot(tensor.id());
}

/// Notes a function with a gradient of its own: `inner` are its results as the body made them, `outer` the same under
/// the identity that callers get. Observers that follow none of the inputs see the body's own operations instead.
pub(crate) fn record_custom(
    inputs: &[&Tensor],
    inner: &[Tensor],
    outer: &[Tensor],
    rule: Rc<dyn CustomRule>,
    location: &'static Location<'static>,
) -> Result<()> {
    for_each_tape(|tape| {
        if !note_custom(tape, inputs, outer, &rule, location) {
            for (inner, outer) in inner.iter().zip(outer) {
                tape.rename(inner, outer);
            }
        }
    });
    if LOCAL.with(|local| local.has(mode::FORWARD)) {
        super::forward::rename(inner, outer);
        super::forward::each(inputs, outer, |scratch| {
            note_custom(scratch, inputs, outer, &rule, location);
        })?;
    }
    Ok(())
}

/// Notes the function on one tape, if the tape follows one of its inputs.
fn note_custom(
    tape: &mut TapeData,
    inputs: &[&Tensor],
    outputs: &[Tensor],
    rule: &Rc<dyn CustomRule>,
    location: &'static Location<'static>,
) -> bool {
    let slots: SmallVec<[u32; 4]> = inputs.iter().map(|t| tape.find(t)).collect();
    if slots.iter().all(|&s| s == UNTRACKED) {
        return false;
    }
    let outgoing = output_ports(tape, outputs);
    let mut entry = Entry::new(Rule::Custom(rule.clone()), &slots, inputs, outgoing, location);
    for (port, input) in entry.inputs.iter_mut().zip(inputs) {
        // The cotangent of a variable has its value's type.
        port.ty = input.as_object::<Resource>().map_or(port.ty, Resource::ty);
    }
    tape.entries.push(entry);
    true
}

/// The same elements under a new identity, unseen by tapes and accumulators.
#[track_caller]
pub(super) fn renamed(tensor: &Tensor) -> Result<Tensor> {
    if !tensor.is_symbol() {
        return Ok(tensor.alias());
    }
    // A graph needs a node that makes the new value.
    let _unseen = Unobserved::start();
    crate::ops::reshape_always(tensor, tensor.shape())
}

/// Keeps operations of this thread from all tapes and accumulators while it lives.
struct Unobserved(u32);

impl Unobserved {
    fn start() -> Self {
        LOCAL.with(|local| {
            let before = local.mode.get();
            local.set_mode(mode::TAPE | mode::FORWARD, false);
            Self(before & (mode::TAPE | mode::FORWARD))
        })
    }
}

impl Drop for Unobserved {
    fn drop(&mut self) {
        LOCAL.with(|local| local.set_mode(self.0, true));
    }
}

thread_local! {
    /// Trainable variables read since each watcher started.
    static WATCHERS: RefCell<Vec<(u64, Vec<Tensor>)>> = const { RefCell::new(Vec::new()) };
}

/// Collects the trainable variables that are read while it lives and tapes or accumulators are active.
pub(super) struct Watcher(u64);

impl Watcher {
    pub fn start() -> Self {
        let id = LOCAL.with(|local| local.fresh_id());
        WATCHERS.with_borrow_mut(|all| all.push((id, Vec::new())));
        Self(id)
    }

    /// The handles, each once, in the order of the first read.
    pub fn finish(self) -> Vec<Tensor> {
        WATCHERS.with_borrow_mut(|all| {
            all.iter_mut().find(|(id, _)| *id == self.0).map(|(_, seen)| std::mem::take(seen)).unwrap_or_default()
        })
    }

    /// Tells the watchers that a variable is read.
    fn see(handle: &Tensor) {
        let _ = WATCHERS.try_with(|all| {
            let mut all = all.borrow_mut();
            if all.is_empty() || !handle.as_object::<Resource>().is_some_and(|r| r.trainable) {
                return;
            }
            for (_, seen) in all.iter_mut() {
                if seen.iter().all(|other| other.id() != handle.id()) {
                    seen.push(handle.clone());
                }
            }
        });
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // Dropped handles may free a variable, so they leave the list before they go.
        let _gone = WATCHERS.try_with(|all| {
            let mut all = all.borrow_mut();
            let at = all.iter().position(|(id, _)| *id == self.0);
            at.map(|at| all.remove(at))
        });
    }
}
