//! What protocol objects do with state variables: list their tensors, keep copies, put others in, and say which variable
//! differs where two ways through the function do not agree.

use super::list_growth::Compared;
use super::mismatch::{Disagreement, Form};
use super::opaque_state::leads_elsewhere;
use crate::builder::Builder;
use crate::function::{names_matter, note_name};
use crate::structure::{BoxedState, Kind, LeafSink, Place};
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::error::Result;
use std::fmt;
use std::panic::Location;
use std::rc::Rc;

/// The state at some point.
pub(super) struct Captured {
    variables: Vec<Known>,
    pub tensors: Vec<Tensor>,
}

/// One variable.
struct Known {
    name: &'static str,
    /// Whether it has a value.
    set: bool,
    /// Where its tensors begin among all.
    first: usize,
    paths: Vec<String>,
    /// Everything about it that is not a tensor.
    words: Vec<(String, u64)>,
    forms: Vec<Form>,
    kept: Option<BoxedState>,
    leads: Option<Vec<*mut ()>>,
}

#[derive(Default)]
struct Sink {
    tensors: Vec<Tensor>,
    paths: Vec<String>,
    words: Vec<(String, u64)>,
    forms: Vec<Form>,
}

impl LeafSink for Sink {
    fn tensor(&mut self, path: &dyn fmt::Display, tensor: &Tensor) {
        self.tensors.push(tensor.clone());
        self.paths.push(path.to_string());
    }
    fn variable(&mut self, path: &dyn fmt::Display, variable: &Variable) {
        self.words.push((path.to_string(), variable.id()));
    }
    fn word(&mut self, path: &dyn fmt::Display, word: u64) {
        self.words.push((path.to_string(), word));
    }
    fn form(&mut self, path: &dyn fmt::Display, form: &dyn fmt::Display) {
        self.forms.push((path.to_string(), form.to_string()));
    }
}

/// The tensors of all places, in order.
pub(super) fn tensors(places: &[Place<'_>]) -> Vec<Tensor> {
    let mut sink = Sink::default();
    places.iter().for_each(|place| place.visit(&mut sink));
    sink.tensors
}

/// The tensors that a jump takes along, by place; those that are to be lists as values of the graph, since another way
/// there may have pushed more. The variables stay as they are.
pub(super) fn taken_along(places: &mut [Place<'_>], as_lists: &[bool]) -> Result<Vec<Vec<Tensor>>> {
    let taken = places.iter_mut().zip(as_lists).map(|(place, as_list)| {
        let kept = place.keep();
        let changed = *as_list && place.stage(true)?;
        let taken = tensors(std::slice::from_ref(place));
        kept.iter().filter(|_| changed).for_each(|kept| place.restore(kept));
        Ok(taken)
    });
    taken.collect()
}

/// Puts tensors into all places, in the order in which [`tensors`] lists them.
pub(super) fn put(places: &mut [Place<'_>], tensors: &[Tensor]) {
    let mut next = tensors.iter();
    for place in &mut *places {
        place.replace(&mut |old| next.next().unwrap_or(old).clone());
    }
    if names_matter() {
        places.iter().for_each(note_names);
    }
}

/// Tells the trace what the user calls the tensors of a variable.
fn note_names(place: &Place<'_>) {
    // What has no name of the user's is described in words.
    if place.name.contains(' ') {
        return;
    }
    let mut sink = Sink::default();
    place.visit(&mut sink);
    for (tensor, path) in sink.tensors.iter().zip(sink.paths) {
        note_name(tensor.id(), || format!("{}{path}", place.name));
    }
}

impl Captured {
    pub fn of(places: &[Place<'_>]) -> Self {
        let mut all = Self { variables: Vec::new(), tensors: Vec::new() };
        places.iter().for_each(|place| all.add(place));
        all
    }

    pub fn add(&mut self, place: &Place<'_>) {
        let (known, tensors) = Known::of(place, self.tensors.len());
        self.variables.push(known);
        self.tensors.extend(tensors);
    }

    /// Where a list has another length here than in `places`, makes it a value of the graph on both sides, each in its own
    /// body; whether there was one.
    pub fn stage_both(&mut self, own: &Rc<Builder>, places: &mut [Place<'_>], other: &Rc<Builder>) -> Result<bool> {
        let mut changed = false;
        let before = std::mem::replace(self, Self { variables: Vec::new(), tensors: Vec::new() });
        for (place, known) in places.iter_mut().zip(before.variables) {
            let (now, mut here) = (place.keep(), Sink::default());
            place.visit(&mut here);
            let differs = here.paths != known.paths || here.words != known.words;
            known.kept.iter().for_each(|kept| place.restore(kept));
            if differs {
                changed |= own.record_again(|| place.stage(true))?;
            }
            self.add(place);
            now.iter().for_each(|now| place.restore(now));
            if differs {
                changed |= other.record_again(|| place.stage(true))?;
            }
        }
        Ok(changed)
    }

    /// How a variable that may be a list compares with what it was here.
    pub fn compare(&self, place: &mut Place<'_>) -> Result<Compared> {
        let Some(known) = self.variables.iter().find(|known| known.name == place.name) else {
            return Ok(Compared::Unknown);
        };
        let mut now = Sink::default();
        place.visit(&mut now);
        if now.paths == known.paths && now.words == known.words {
            return Ok(Compared::Same);
        }
        let (Some(before), Some(now)) = (&known.kept, place.keep()) else { return Ok(Compared::Other) };
        place.restore(before);
        let was_plain = place.stage(false);
        place.restore(&now);
        Ok(if was_plain? { Compared::Longer } else { Compared::Other })
    }

    /// A plain list with other items than it had here, as a value of the graph; the variable stays as it is.
    pub fn staged_as(&self, place: &mut Place<'_>, items: &[Tensor]) -> Result<Vec<Tensor>> {
        let now = place.keep();
        self.restore_one(place);
        put(std::slice::from_mut(place), items);
        let list = place.stage(true).map(|_| tensors(std::slice::from_ref(place)));
        now.iter().for_each(|now| place.restore(now));
        list
    }

    /// Puts one variable back to what it was.
    pub fn restore_one(&self, place: &mut Place<'_>) {
        let known = self.variables.iter().find(|known| known.name == place.name);
        if let Some(kept) = known.and_then(|known| known.kept.as_ref()) {
            place.restore(kept);
        }
    }

    /// The same of a variable of which the tensors are to stay as they are, where there are as many.
    pub fn restore_host(&self, place: &mut Place<'_>) {
        let now = tensors(std::slice::from_ref(place));
        self.restore_one(place);
        if tensors(std::slice::from_ref(place)).len() == now.len() {
            put(std::slice::from_mut(place), &now);
        }
    }

    /// Puts every variable back to what it was.
    pub fn restore(&self, places: &mut [Place<'_>]) {
        for (place, known) in places.iter_mut().zip(&self.variables) {
            if let Some(kept) = &known.kept {
                place.restore(kept);
            }
        }
    }

    /// The name of the variable, with the path inside it, that has tensor `index`.
    pub fn name_of(&self, index: usize) -> String {
        let owner = self.variables.iter().rev().find(|v| v.first <= index && index < v.first + v.paths.len());
        owner.map_or_else(String::new, |v| {
            let path = &v.paths[index - v.first];
            if path.is_empty() { v.name.to_owned() } else { format!("{}.{}", v.name, path.replace('/', ".")) }
        })
    }

    /// The number of a variable's first tensor.
    pub fn first_of(&self, name: &str) -> Option<usize> {
        self.variables.iter().find(|v| v.name == name).map(|v| v.first)
    }

    /// Whether the state has a variable.
    pub fn has(&self, name: &str) -> bool {
        self.first_of(name).is_some()
    }

    /// Whether a place has the structure, and the host values, that the one variable here had.
    pub fn same_structure(&self, place: &Place<'_>) -> bool {
        let mut sink = Sink::default();
        place.visit(&mut sink);
        self.variables.iter().all(|known| {
            let words = known.words.iter().map(|(_, word)| word);
            sink.paths == known.paths && words.eq(sink.words.iter().map(|(_, word)| word))
        })
    }

    /// An error naming the variable that leads elsewhere now, which cannot be put back.
    pub fn leads_here(
        &self,
        places: &[Place<'_>],
        op: &'static str,
        location: &'static Location<'static>,
    ) -> Result<()> {
        let moved = places.iter().zip(&self.variables).find(|(place, known)| known.leads != place.leads());
        moved.map_or(Ok(()), |(place, _)| Err(leads_elsewhere(op, place.name, &place.type_name(), location)))
    }

    /// An error naming the variable if what is not a tensor differs from the state in `places`.
    pub fn agree(&self, places: &[Place<'_>], whose: &Disagreement) -> Result<()> {
        places.iter().zip(&self.variables).try_for_each(|(place, known)| known.agrees(place, whose))
    }

    /// The same of the variables that have a value here and there, by their names; but for
    /// lists, which may be values of the graph where ways meet.
    pub fn meets(&self, places: &[Place<'_>], whose: &Disagreement) -> Result<()> {
        for place in places.iter().filter(|place| place.is_set()) {
            let Some(known) = self.variables.iter().find(|known| known.name == place.name && known.set) else {
                continue;
            };
            if !place.is_list() {
                known.agrees(place, whose)?;
            }
        }
        Ok(())
    }
}

impl Known {
    fn of(place: &Place<'_>, first: usize) -> (Self, Vec<Tensor>) {
        let mut sink = Sink::default();
        place.visit(&mut sink);
        let Sink { tensors, paths, words, forms, .. } = sink;
        let (name, set) = (place.name, place.is_set());
        (Self { name, set, first, paths, words, forms, kept: place.keep(), leads: place.leads() }, tensors)
    }

    /// An error naming the variable if what is not a tensor is another in `place`.
    fn agrees(&self, place: &Place<'_>, whose: &Disagreement) -> Result<()> {
        let mut sink = Sink::default();
        place.visit(&mut sink);
        let other = self.forms.iter().zip(&sink.forms).find(|(a, b)| a != b);
        if sink.paths != self.paths || other.is_some() {
            return Err(whose.structure(place, [self.paths.len(), sink.paths.len()], other));
        }
        let differs = self.words.iter().zip(&sink.words).find(|(a, b)| a.1 != b.1);
        if differs.is_some() || self.words.len() != sink.words.len() {
            return Err(whose.host_value(place, differs.map(|(a, _)| a.0.as_str())));
        }
        if self.leads != place.leads() {
            return Err(leads_elsewhere(whose.op, place.name, &place.type_name(), whose.location));
        }
        if place.kind() == Kind::Compared
            && let Some(kept) = &self.kept
            && place.equals(kept) == Some(false)
        {
            return Err(whose.host_value(place, None));
        }
        Ok(())
    }
}
