//! The walk backwards over a tape: one rule per entry, sums of cotangents, and un-broadcasting in one place.
//! The tapes call [`backprop`]; nothing here knows an operation. What one entry does is in `driver/entry.rs`.

mod entry;
pub(crate) mod inspect;

use crate::execute::{InGradient, observed};
use crate::meaning::PartialInfo;
use crate::ops;
use crate::tape::Contribution;
use crate::tape::Cotangent;
use crate::tape::log::{Log, Rule, Saved};
use crate::tape::slot_table::UNTRACKED;
use crate::tensor::local::InName;
use crate::tensor::{Tensor, TensorType};
use entry::{factors, step};
use kernels::error::Result;
use smallvec::SmallVec;

/// Where the walk takes its entries from: freed as they are used, or kept for another walk.
pub(super) enum Entries<'a> {
    Consumed(&'a mut Log),
    Kept(&'a Log),
}

impl Entries<'_> {
    #[inline]
    pub fn log(&self) -> &Log {
        match self {
            Self::Consumed(log) => log,
            Self::Kept(log) => log,
        }
    }

    /// What was kept for the entry at `position`, if it made slot `slot` and all its derivatives are products of the slot's
    /// cotangent and a tensor of its type that was kept. The entry is then spent.
    #[inline]
    fn factors(&mut self, position: usize, slot: u32) -> Option<Saved> {
        let Self::Consumed(log) = self else { return None };
        let noted = log.at(position);
        let Rule::Elementwise(derivatives) = noted.rule() else { return None };
        let (saved, ty) = (noted.saved(), noted.output_type(0));
        let is_factor = |info: &PartialInfo| info.times && saved[info.operands[0] as usize].ty() == ty;
        let all = noted.output_slots()[0] == slot && derivatives.by.iter().flatten().all(is_factor);
        all.then(|| log.take_saved(position))
    }

    #[inline]
    fn spend(&mut self, position: usize) {
        if let Self::Consumed(log) = self {
            log.spend(position);
        }
    }
}

/// What a slot is in one walk, as bits: something that depends on a source, a source itself.
mod part {
    pub const WANTED: u8 = 1;
    pub const SOURCE: u8 = 2;
}

/// What a walk starts from at a target.
pub(super) enum Seed<'a> {
    Given(Tensor),
    /// Ones of this type, which are only made where somebody reads them.
    Ones(&'a TensorType),
}

/// The state of one walk, by slot.
struct BackwardPass<'a> {
    parts: &'a [u8],
    cotangents: &'a mut [Option<Contribution>],
    /// A slot whose cotangent is ones that were not made yet.
    ones: Option<(u32, &'a TensorType)>,
    /// Whether a cotangent may be a tensor that somebody else holds under the same identity.
    shares: bool,
}

impl BackwardPass<'_> {
    #[inline]
    fn wants(&self, slot: u32) -> bool {
        slot != UNTRACKED && self.parts[slot as usize] & part::WANTED != 0
    }

    #[inline]
    fn is_source(&self, slot: u32) -> bool {
        self.parts[slot as usize] & part::SOURCE != 0
    }

    /// Whether a slot's cotangent is ones that were not made yet.
    #[inline]
    fn has_ones(&self, slot: u32) -> bool {
        self.ones.is_some_and(|(ones, _)| ones == slot)
    }

    #[cold]
    fn make_ones(&mut self) -> Result<()> {
        if let Some((slot, ty)) = self.ones.take() {
            self.accumulate(slot, Contribution::Dense(ops::ones_of(ty)?))?;
        }
        Ok(())
    }

    /// What has flowed into a slot; it stays there only if it is an answer.
    #[inline]
    fn incoming(&mut self, slot: u32) -> Result<Option<Contribution>> {
        if slot == UNTRACKED {
            return Ok(None);
        }
        if self.has_ones(slot) {
            self.make_ones()?;
        }
        let source = self.is_source(slot);
        let cotangent = &mut self.cotangents[slot as usize];
        Ok(if source { cotangent.clone() } else { cotangent.take() })
    }

    #[inline]
    fn accumulate(&mut self, slot: u32, more: Contribution) -> Result<()> {
        if self.has_ones(slot) {
            self.make_ones()?;
        }
        let cotangent = &mut self.cotangents[slot as usize];
        *cotangent = Some(match cotangent.take() {
            None => more,
            Some(sum) => sum.plus(more)?,
        });
        Ok(())
    }
}

/// Slots whose cotangents lie on the stack.
const FEW: usize = 8;

/// Cotangents of `sources` (slot numbers), given those of the targets, for a tape with `slots` slots.
pub(super) fn backprop(
    entries: &mut Entries<'_>,
    slots: u32,
    targets: SmallVec<[(u32, Seed<'_>); 1]>,
    sources: &[u32],
) -> Result<SmallVec<[Option<Cotangent>; 4]>> {
    let parts = reachable(entries.log(), slots, sources);
    let mut few = [const { None }; FEW];
    let mut many = Vec::new();
    let cotangents = match few.get_mut(..slots as usize) {
        Some(few) => few,
        None => {
            many.resize_with(slots as usize, || None);
            &mut many[..]
        }
    };
    let mut walk = BackwardPass { parts: &parts, cotangents, ones: None, shares: false };
    for (slot, seed) in targets {
        match seed {
            Seed::Given(dy) => walk.accumulate(slot, Contribution::Dense(dy))?,
            Seed::Ones(ty)
                if walk.ones.is_none() && !walk.is_source(slot) && walk.cotangents[slot as usize].is_none() =>
            {
                walk.ones = Some((slot, ty));
            }
            Seed::Ones(ty) => walk.accumulate(slot, Contribution::Dense(ops::ones_of(ty)?))?,
        }
    }
    // What runs at once keeps no line.
    let name = observed().then(|| (InName::same(), InGradient::same()));
    let mut position = entries.log().len();
    while position > 0 {
        position -= 1;
        if let Some((name, gradient)) = &name {
            let noted = entries.log().at(position);
            name.turn_to(noted.location());
            gradient.turn_to(noted.rule().operation());
        }
        if let Some((slot, _)) = walk.ones
            && let Some(saved) = entries.factors(position, slot)
        {
            let noted = entries.log().at(position);
            factors(noted, saved, &mut walk).map_err(|e| e.at(noted.location()))?;
            continue;
        }
        let noted = entries.log().at(position);
        if noted.input_slots().iter().any(|&slot| walk.wants(slot)) {
            step(noted, &mut walk).map_err(|e| e.at(noted.location()))?;
        }
        entries.spend(position);
    }
    let mut answers: SmallVec<[Option<Cotangent>; 4]> = SmallVec::new();
    for &slot in sources {
        answers.push(match slot {
            UNTRACKED => None,
            slot => walk.cotangents[slot as usize].take().map(Contribution::into_answer).transpose()?,
        });
    }
    // A source that is named twice is answered twice.
    for (i, slot) in sources.iter().enumerate() {
        if answers[i].is_none()
            && let Some(first) = sources[..i].iter().position(|other| other == slot)
        {
            answers[i] = answers[first].clone();
        }
    }
    if walk.shares {
        answers.iter_mut().for_each(set_apart);
    }
    Ok(answers)
}

/// Gives an answer that somebody else holds too an identity of its own, by which tapes know it.
fn set_apart(answer: &mut Option<Cotangent>) {
    if let Some(Cotangent::Dense(tensor)) = answer
        && !tensor.is_unique()
    {
        *tensor = tensor.alias();
    }
}

/// Which slots depend on a source: only through them do cotangents flow.
fn reachable(log: &Log, slots: u32, sources: &[u32]) -> SmallVec<[u8; 64]> {
    let mut list = SmallVec::from_elem(0, slots as usize);
    let parts = &mut list[..];
    for &source in sources.iter().filter(|&&s| s != UNTRACKED) {
        parts[source as usize] = part::WANTED | part::SOURCE;
    }
    for noted in log.iter() {
        if noted.input_slots().iter().any(|&s| s != UNTRACKED && parts[s as usize] != 0) {
            for &output in noted.output_slots().iter().filter(|&&s| s != UNTRACKED) {
                parts[output as usize] |= part::WANTED;
            }
        }
    }
    list
}
