//! What a tape noted, in four growing lists: operations, the slots and types of their operands, and the tensors kept.
//! `record` writes it and the driver walks it backwards; the lists' memory serves one tape after the other.

use super::backward::CustomRule;
use crate::meaning::Derivatives;
use crate::op::{Mask, OpRef, Saves};
use crate::tensor::{Tensor, TensorType};
use smallvec::SmallVec;
use std::collections::HashSet;
use std::panic::Location;
use std::rc::Rc;

/// How an entry is differentiated.
pub(crate) enum Rule {
    /// By [`Op::backward`](crate::op::Op::backward).
    Op(OpRef),
    /// By the derivatives of the operation's meaning.
    Elementwise(Rc<Derivatives>),
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
            Self::Elementwise(of) => of.op.name(),
            Self::Read => "read_variable",
            Self::Custom(rule) => rule.name(),
            Self::Spent => "gradient",
        }
    }

    /// As [`name`](Self::name), for as long as the program runs.
    pub fn operation(&self) -> &'static str {
        match self {
            Self::Op(op) => op.name(),
            Self::Elementwise(of) => of.op.name(),
            Self::Read => "read_variable",
            Self::Custom(_) => "a function with a gradient of its own",
            Self::Spent => "gradient",
        }
    }
}

/// One operation that ran; its operands are those from `first` on, inputs before outputs, in the lists of the log.
struct Entry {
    rule: Rule,
    location: &'static Location<'static>,
    first: u32,
    inputs: u32,
    outputs: u32,
    /// The first tensor kept for it: inputs before outputs, those that `saves` names.
    saved: u32,
    saves: Saves,
}

/// What was kept for one entry, to be taken.
pub(crate) type Saved = SmallVec<[Option<Tensor>; 2]>;

/// The operations that ran, in order.
#[derive(Default)]
pub(crate) struct Log {
    entries: Vec<Entry>,
    slots: Vec<u32>,
    types: Vec<TensorType>,
    saved: Vec<Tensor>,
    /// The slots of values that were read from variables, among so many of the entries: found when somebody asks.
    reads: (usize, HashSet<u32>),
}

impl Log {
    /// Number of operations.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    #[inline]
    pub fn at(&self, position: usize) -> Noted<'_> {
        Noted { log: self, entry: &self.entries[position] }
    }

    /// Whether the value in this slot was read from a variable. However often that is asked, each entry is looked at once.
    pub fn was_read(&mut self, slot: u32) -> bool {
        let (seen, reads) = &mut self.reads;
        for entry in &self.entries[*seen..] {
            if let Rule::Read = entry.rule {
                reads.insert(self.slots[(entry.first + entry.inputs) as usize]);
            }
        }
        *seen = self.entries.len();
        reads.contains(&slot)
    }

    fn forget_reads(&mut self) {
        if self.reads.0 > 0 {
            self.reads = Default::default();
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = Noted<'_>> {
        self.entries.iter().map(|entry| Noted { log: self, entry })
    }

    /// Starts an entry: its slots are pushed before it is known whether there will be one.
    #[inline]
    pub fn open(&mut self) -> &mut Vec<u32> {
        // What an entry that came to nothing left behind.
        self.slots.truncate(self.types.len());
        &mut self.slots
    }

    /// The list in which the outputs' slots follow those of the inputs.
    #[inline]
    pub fn slots_mut(&mut self) -> &mut Vec<u32> {
        &mut self.slots
    }

    /// The slots of the entry that was started.
    #[inline]
    pub fn opened(&self) -> &[u32] {
        &self.slots[self.types.len()..]
    }

    /// Ends an entry whose slots, inputs before outputs, were pushed.
    #[inline]
    pub fn close(&mut self, rule: Rule, inputs: &[&Tensor], outputs: &[Tensor], location: &'static Location<'static>) {
        let (first, saved) = (self.types.len() as u32, self.saved.len() as u32);
        let (ins, outs) = (inputs.len() as u32, outputs.len() as u32);
        self.entries.push(Entry { rule, location, first, inputs: ins, outputs: outs, saved, saves: Saves::NOTHING });
        inputs.iter().for_each(|t| self.types.push(*t.ty()));
        outputs.iter().for_each(|t| self.types.push(*t.ty()));
        debug_assert_eq!(self.slots.len(), self.types.len());
    }

    /// Changes the type of an input of the latest entry: what its cotangent has.
    pub fn set_input_type(&mut self, index: usize, ty: TensorType) {
        if let Some(entry) = self.entries.last() {
            self.types[entry.first as usize + index] = ty;
        }
    }

    /// Keeps the tensors that the latest entry's rule reads.
    #[inline]
    pub fn keep(&mut self, saves: Saves, inputs: &[&Tensor], outputs: &[Tensor]) {
        each(saves.inputs, |i| self.saved.push(inputs[i].clone()));
        self.keep_outputs(saves, outputs);
    }

    /// Keeps the next one of the inputs that the latest entry's rule reads; the outputs follow.
    #[inline]
    pub fn keep_input(&mut self, input: Tensor) {
        self.saved.push(input);
    }

    /// Keeps the outputs that the latest entry's rule reads, the inputs being kept.
    #[inline]
    pub fn keep_outputs(&mut self, saves: Saves, outputs: &[Tensor]) {
        if let Some(entry) = self.entries.last_mut() {
            entry.saves = saves;
        }
        each(saves.outputs, |i| self.saved.push(outputs[i].clone()));
    }

    /// Takes out what was kept for the entry at `position`, all later ones being spent.
    #[inline]
    pub fn take_saved(&mut self, position: usize) -> Saved {
        self.saved.drain(self.entries[position].saved as usize..).map(Some).collect()
    }

    /// Frees what the last entries from `position` on hold, at the last use of their activations. Who fed whom stays, to
    /// explain missing gradients.
    #[inline]
    pub fn spend(&mut self, position: usize) {
        let entry = &mut self.entries[position];
        self.saved.truncate(entry.saved as usize);
        if let Rule::Custom(_) = entry.rule {
            entry.rule = Rule::Spent;
        }
    }

    /// Puts the entries of another log behind those of this one.
    pub fn append(&mut self, mut other: Self) {
        self.forget_reads();
        self.open();
        other.open();
        let (first, saved) = (self.types.len() as u32, self.saved.len() as u32);
        for entry in &mut other.entries {
            entry.first += first;
            entry.saved += saved;
        }
        self.entries.append(&mut other.entries);
        self.slots.append(&mut other.slots);
        self.types.append(&mut other.types);
        self.saved.append(&mut other.saved);
    }

    /// Takes the entries from `position` on away, as a log of their own.
    pub fn split_off(&mut self, position: usize) -> Self {
        self.forget_reads();
        self.open();
        let Some(entry) = self.entries.get(position) else { return Self::default() };
        let (first, saved) = (entry.first, entry.saved);
        let mut entries = self.entries.split_off(position);
        for entry in &mut entries {
            entry.first -= first;
            entry.saved -= saved;
        }
        Self {
            entries,
            slots: self.slots.split_off(first as usize),
            types: self.types.split_off(first as usize),
            saved: self.saved.split_off(saved as usize),
            reads: Default::default(),
        }
    }

    pub fn clear(&mut self) {
        self.forget_reads();
        self.entries.clear();
        self.slots.clear();
        self.types.clear();
        self.saved.clear();
    }
}

/// Calls `visit` with each number of a set.
#[inline]
fn each(set: Mask, mut visit: impl FnMut(usize)) {
    let mut bits = set.0;
    while bits != 0 {
        visit(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

/// One operation of a log.
#[derive(Clone, Copy)]
pub(crate) struct Noted<'a> {
    log: &'a Log,
    entry: &'a Entry,
}

impl<'a> Noted<'a> {
    #[inline]
    pub fn rule(self) -> &'a Rule {
        &self.entry.rule
    }

    /// The user's line that ran it.
    pub fn location(self) -> &'static Location<'static> {
        self.entry.location
    }

    #[inline]
    pub fn input_slots(self) -> &'a [u32] {
        let first = self.entry.first as usize;
        &self.log.slots[first..first + self.entry.inputs as usize]
    }

    #[inline]
    pub fn output_slots(self) -> &'a [u32] {
        let first = (self.entry.first + self.entry.inputs) as usize;
        &self.log.slots[first..first + self.entry.outputs as usize]
    }

    #[inline]
    pub fn input_type(self, index: usize) -> &'a TensorType {
        &self.log.types[self.entry.first as usize..][..self.entry.inputs as usize][index]
    }

    pub fn output_type(self, index: usize) -> &'a TensorType {
        &self.log.types[(self.entry.first + self.entry.inputs) as usize..][..self.entry.outputs as usize][index]
    }

    /// The tensors that were kept from this entry on, its own first.
    #[inline]
    pub fn saved(self) -> &'a [Tensor] {
        &self.log.saved[self.entry.saved as usize..]
    }

    /// Input `index`, if it was kept.
    pub fn saved_input(self, index: usize) -> Option<&'a Tensor> {
        let saves = self.entry.saves;
        if saves.inputs.has(index) { self.saved().get(saves.place_of_input(index)) } else { None }
    }

    /// Output `index`, if it was kept.
    pub fn saved_output(self, index: usize) -> Option<&'a Tensor> {
        let saves = self.entry.saves;
        if saves.outputs.has(index) { self.saved().get(saves.place_of_output(index)) } else { None }
    }
}
