//! Where operations without a gradient cut the paths of a tape: what such an operation read, and what its results went into.
//! `record` notes them; a gradient that is missing asks which cut lies on the way from its source to the target.

use super::data::IdMap;
use super::log::Log;
use super::slots::UNTRACKED;
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

/// An operation that cut a path, or read what lies behind cuts.
struct Event {
    /// How many operations the tape had noted.
    position: u32,
    cut: Option<Cut>,
    /// The slots that it read.
    inputs: SmallVec<[u32; 2]>,
    /// Earlier events whose results it read.
    behind: SmallVec<[u32; 2]>,
    /// The slots of its results, where the tape follows them by way of other operands.
    leads: SmallVec<[u32; 1]>,
}

/// The cuts of one tape.
#[derive(Default)]
pub(crate) struct Cuts {
    events: Vec<Event>,
    /// The event behind which a tensor lies that the tape does not follow.
    of: IdMap<u32>,
}

impl Cuts {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    pub fn clear(&mut self) {
        self.events.clear();
        self.of.clear();
    }

    /// Notes an operation that stops the gradient of what it read in these slots.
    pub fn stop(&mut self, cut: Cut, position: usize, slots: &[u32], inputs: &[&Tensor], outputs: &[Tensor]) {
        let inputs_followed = slots.iter().copied().filter(|&slot| slot != UNTRACKED).collect();
        self.push(Event {
            position: position as u32,
            cut: Some(cut),
            inputs: inputs_followed,
            behind: self.behind(inputs),
            leads: SmallVec::new(),
        });
        self.put(outputs, self.events.len() - 1);
    }

    /// Results of tensors behind cuts are behind them too, where the tape follows none of the operands.
    pub fn pass_on(&mut self, position: usize, inputs: &[&Tensor], outputs: &[Tensor]) {
        let behind = self.behind(inputs);
        match behind[..] {
            [] => {}
            [only] => self.put(outputs, only as usize),
            _ => {
                let (inputs, leads) = (SmallVec::new(), SmallVec::new());
                self.push(Event { position: position as u32, cut: None, inputs, behind, leads });
                self.put(outputs, self.events.len() - 1);
            }
        }
    }

    /// Notes the slots of results that the tape follows, some of whose operands may lie behind cuts.
    pub fn join(&mut self, position: usize, inputs: &[&Tensor], leads: impl Iterator<Item = u32>) {
        let behind = self.behind(inputs);
        if !behind.is_empty() {
            let leads = leads.filter(|&slot| slot != UNTRACKED).collect();
            self.push(Event { position: position as u32, cut: None, inputs: SmallVec::new(), behind, leads });
        }
    }

    /// The tape forgets all but the first `length` operations: one that comes next stands for the others.
    pub fn rewind(&mut self, length: usize) {
        for event in self.events.iter_mut().rev().take_while(|event| event.position as usize > length) {
            event.position = length as u32;
        }
    }

    /// Puts `outer`, a new tensor, where `inner` is.
    pub fn rename(&mut self, inner: &Tensor, outer: &Tensor) {
        if let Some(&event) = self.of.get(&inner.id()) {
            self.of.insert(outer.id(), event);
        }
    }

    fn push(&mut self, event: Event) {
        self.events.push(event);
    }

    fn put(&mut self, outputs: &[Tensor], event: usize) {
        for output in outputs {
            self.of.insert(output.id(), event as u32);
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

    /// Which slots depend on `source`, by way of cuts too.
    fn reached_from(&self, log: &Log, count: u32, source: u32) -> Vec<bool> {
        let (mut slots, mut events) = (vec![false; count as usize], vec![false; self.events.len()]);
        slots[source as usize] = true;
        for position in 0..=log.len() {
            for (i, event) in self.at(position, log.len()) {
                events[i] = event.inputs.iter().any(|&s| slots[s as usize])
                    || event.behind.iter().any(|&earlier| events[earlier as usize]);
                if events[i] {
                    event.leads.iter().for_each(|&s| slots[s as usize] = true);
                }
            }
            if position == log.len() {
                break;
            }
            let noted = log.at(position);
            if noted.input_slots().iter().any(|&s| s != UNTRACKED && slots[s as usize]) {
                let outputs = noted.output_slots().iter().filter(|&&s| s != UNTRACKED);
                outputs.for_each(|&s| slots[s as usize] = true);
            }
        }
        slots
    }

    /// Which events the targets depend on.
    fn needed_for(&self, log: &Log, count: u32, targets: &[&Tensor], target_slots: &[u32]) -> Vec<bool> {
        let (mut slots, mut events) = (vec![false; count as usize], vec![false; self.events.len()]);
        target_slots.iter().filter(|&&s| s != UNTRACKED).for_each(|&s| slots[s as usize] = true);
        targets.iter().filter_map(|t| self.of.get(&t.id())).for_each(|&event| events[event as usize] = true);
        for position in (0..=log.len()).rev() {
            if position < log.len() {
                let noted = log.at(position);
                if noted.output_slots().iter().any(|&s| s != UNTRACKED && slots[s as usize]) {
                    let inputs = noted.input_slots().iter().filter(|&&s| s != UNTRACKED);
                    inputs.for_each(|&s| slots[s as usize] = true);
                }
            }
            for (i, event) in self.at(position, log.len()).rev() {
                events[i] |= event.leads.iter().any(|&s| slots[s as usize]);
                if events[i] {
                    event.inputs.iter().for_each(|&s| slots[s as usize] = true);
                    event.behind.iter().for_each(|&earlier| events[earlier as usize] = true);
                }
            }
        }
        events
    }
}
