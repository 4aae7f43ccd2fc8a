//! Where operations without a gradient, and reads on the host, cut the paths of a tape: what they read, and what became of it.
//! `record` and `elements` note them; a gradient that is missing asks which cut lies on the way from its source to the target.

use super::log::Log;
use super::slot_table::UNTRACKED;
use super::tape_memory::IdMap;
use crate::tensor::Tensor;
use smallvec::SmallVec;
use std::panic::Location;

/// Where and why a path was cut.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    pub op: &'static str,
    pub reason: &'static str,
    pub location: &'static Location<'static>,
}

/// An operation that cut a path, or brought several together.
struct Event {
    /// How many operations the tape had noted.
    position: u32,
    cut: Option<Cut>,
    /// The slots that it read.
    inputs: SmallVec<[u32; 2]>,
    /// Earlier events whose results it read.
    behind: SmallVec<[u32; 2]>,
}

/// The cuts of one tape.
#[derive(Default)]
pub(crate) struct Cuts {
    events: Vec<Event>,
    /// The event behind which a tensor lies that the tape does not follow.
    of: IdMap<u32>,
    /// Operations of the log, by position, that read what lies behind an event and are followed by way of other operands.
    joins: Vec<Join>,
    /// The slots whose elements the program read, the first [`MOST_READS`] of them.
    reads: Vec<(u32, Cut)>,
}

/// A loop may read in every round; the first reads tell enough.
const MOST_READS: usize = 64;

struct Join {
    position: u32,
    event: u32,
}

impl Cuts {
    /// How many operations cut paths, or brought some together.
    #[inline]
    pub fn len(&self) -> usize {
        self.events.len()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn clear(&mut self) {
        self.forget_from(0, 0);
        self.reads.clear();
    }

    /// Notes that the program reads the elements of what is in a slot.
    pub fn read(&mut self, slot: u32, cut: Cut) {
        let known = |read: &(u32, Cut)| read.1.location == cut.location && read.0 == slot;
        if self.reads.len() < MOST_READS && !self.reads.iter().any(known) {
            self.reads.push((slot, cut));
        }
    }

    /// The first read of something that depends on the slot `source`.
    pub fn read_of(&self, log: &Log, count: u32, source: u32) -> Option<Cut> {
        if self.reads.is_empty() {
            return None;
        }
        let from = self.reached_from(log, count, source);
        self.reads.iter().find(|(slot, _)| from.get(*slot as usize) == Some(&true)).map(|(_, cut)| *cut)
    }

    /// Forgets the reads of slots from `count` on.
    pub fn forget_reads(&mut self, count: u32) {
        self.reads.retain(|(slot, _)| *slot < count);
    }

    /// Forgets all but the first `count` of them, and what came of the operations of the log from `position` on.
    pub fn forget_from(&mut self, count: usize, position: usize) {
        self.events.truncate(count);
        match count {
            0 => self.of.clear(),
            _ => self.of.retain(|_, event| (*event as usize) < count),
        }
        self.drop_joins(position);
    }

    fn drop_joins(&mut self, position: usize) {
        let kept = self.joins.partition_point(|join| (join.position as usize) < position);
        self.joins.truncate(kept);
    }

    /// Notes an operation that stops the gradient of what it read in these slots.
    pub fn stop(&mut self, cut: Cut, position: usize, slots: &[u32], inputs: &[&Tensor], outputs: &[Tensor]) {
        let followed = slots.iter().copied().filter(|&slot| slot != UNTRACKED).collect();
        let behind = if self.is_empty() { SmallVec::new() } else { self.behind(inputs) };
        self.push(Event { position: position as u32, cut: Some(cut), inputs: followed, behind }, outputs);
    }

    /// Results of tensors behind cuts are behind them too, where the tape follows none of the operands.
    pub fn pass_on(&mut self, position: usize, inputs: &[&Tensor], outputs: &[Tensor]) {
        let behind = self.behind(inputs);
        match behind[..] {
            [] => {}
            [only] => self.put(outputs, only),
            _ => self.push(Event { position: position as u32, cut: None, inputs: SmallVec::new(), behind }, outputs),
        }
    }

    /// Notes that the operation of the log at `position` reads this tensor too, which the tape does not follow.
    #[inline]
    pub fn join(&mut self, position: usize, input: &Tensor) {
        if let Some(&event) = self.of.get(&input.id()) {
            self.joins.push(Join { position: position as u32, event });
        }
    }

    /// The tape forgets all but the first `length` operations: one that comes next stands for the others.
    pub fn rewind(&mut self, length: usize) {
        for event in self.events.iter_mut().rev().take_while(|event| event.position as usize > length) {
            event.position = length as u32;
        }
        self.drop_joins(length);
    }

    /// Puts `outer`, a new tensor, where `inner` is.
    pub fn rename(&mut self, inner: &Tensor, outer: &Tensor) {
        if let Some(&event) = self.of.get(&inner.id()) {
            self.of.insert(outer.id(), event);
        }
    }

    fn push(&mut self, event: Event, outputs: &[Tensor]) {
        self.events.push(event);
        self.put(outputs, self.events.len() as u32 - 1);
    }

    fn put(&mut self, outputs: &[Tensor], event: u32) {
        for output in outputs {
            self.of.insert(output.id(), event);
        }
    }

    /// The events behind which the tensors lie, each once.
    fn behind(&self, tensors: &[&Tensor]) -> SmallVec<[u32; 2]> {
        let mut found = SmallVec::new();
        for &event in tensors.iter().filter_map(|t| self.of.get(&t.id())) {
            if !found.contains(&event) {
                found.push(event);
            }
        }
        found
    }

    /// Whether a tensor lies behind a cut.
    pub fn has(&self, tensor: &Tensor) -> bool {
        self.of.contains_key(&tensor.id())
    }

    /// The first cut, if there is one, on a way from the slot `source` to a target: one of the slots or tensors.
    pub fn between(&self, log: &Log, count: u32, source: u32, targets: &[&Tensor], slots: &[u32]) -> Option<Cut> {
        let from = self.reached_from(log, count, source);
        let needed = self.needed_for(log, count, targets, slots);
        let fed = |event: &Event| event.inputs.iter().any(|&slot| from[slot as usize]);
        let on_the_way = |(event, needed): (&Event, bool)| event.cut.filter(|_| needed && fed(event));
        self.events.iter().zip(needed).find_map(on_the_way)
    }

    /// The events that were noted when the tape had so many of its `len` operations.
    fn at(&self, position: usize, len: usize) -> impl DoubleEndedIterator<Item = (usize, &Event)> {
        let place = |event: &Event| (event.position as usize).min(len);
        let start = self.events.partition_point(|e| place(e) < position);
        let end = self.events.partition_point(|e| place(e) <= position);
        self.events[start..end].iter().enumerate().map(move |(i, event)| (start + i, event))
    }

    /// The events whose results the operation at `position` of the log read.
    fn joined(&self, position: usize) -> impl Iterator<Item = usize> {
        let start = self.joins.partition_point(|join| (join.position as usize) < position);
        let own = self.joins[start..].iter().take_while(move |join| join.position as usize == position);
        own.map(|join| join.event as usize)
    }

    /// Which slots depend on `source`, by way of cuts too.
    fn reached_from(&self, log: &Log, count: u32, source: u32) -> Vec<bool> {
        let (mut slots, mut events) = (vec![false; count as usize], vec![false; self.events.len()]);
        slots[source as usize] = true;
        for position in 0..=log.len() {
            for (i, event) in self.at(position, log.len()) {
                events[i] = event.inputs.iter().any(|&s| slots[s as usize])
                    || event.behind.iter().any(|&earlier| events[earlier as usize]);
            }
            if position == log.len() {
                break;
            }
            let noted = log.at(position);
            let reads = |&s: &u32| s != UNTRACKED && slots[s as usize];
            if noted.input_slots().iter().any(reads) || self.joined(position).any(|event| events[event]) {
                mark(&mut slots, noted.output_slots());
            }
        }
        slots
    }

    /// Which events the targets depend on.
    fn needed_for(&self, log: &Log, count: u32, targets: &[&Tensor], target_slots: &[u32]) -> Vec<bool> {
        let (mut slots, mut events) = (vec![false; count as usize], vec![false; self.events.len()]);
        mark(&mut slots, target_slots);
        targets.iter().filter_map(|t| self.of.get(&t.id())).for_each(|&event| events[event as usize] = true);
        for position in (0..=log.len()).rev() {
            if position < log.len() {
                let noted = log.at(position);
                if noted.output_slots().iter().any(|&s| s != UNTRACKED && slots[s as usize]) {
                    mark(&mut slots, noted.input_slots());
                    self.joined(position).for_each(|event| events[event] = true);
                }
            }
            for (i, event) in self.at(position, log.len()).rev() {
                if events[i] {
                    mark(&mut slots, &event.inputs);
                    event.behind.iter().for_each(|&earlier| events[earlier as usize] = true);
                }
            }
        }
        events
    }
}

fn mark(slots: &mut [bool], which: &[u32]) {
    which.iter().filter(|&&slot| slot != UNTRACKED).for_each(|&slot| slots[slot as usize] = true);
}
