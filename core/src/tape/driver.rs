//! The walk backwards over a tape: one rule per entry, sums of cotangents, and un-broadcasting in one place.
//! The tapes call [`backprop`]; nothing here knows an operation.

use super::backward::{Backward, CustomRule};
use super::cotangent::Cotangent;
use super::log::{Log, Noted, Rule, Saved};
use super::slots::UNTRACKED;
use crate::__testing::inspect;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::execute::{execute1, observed};
use crate::op::{Gradient, Op};
use crate::ops;
use crate::scalar::{Derivatives, PartialInfo};
use crate::shape::{Dim, Symbol, broadcast_reduce_axes};
use crate::tensor::local::InName;
use crate::tensor::{Tensor, TensorType};
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
struct Walk<'a> {
    parts: &'a [u8],
    cotangents: &'a mut [Option<Cotangent>],
    /// A slot whose cotangent is ones that were not made yet.
    ones: Option<(u32, &'a TensorType)>,
    /// Whether a cotangent may be a tensor that somebody else holds under the same identity.
    shares: bool,
}

impl Walk<'_> {
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
            self.accumulate(slot, Cotangent::Dense(ops::ones_of(ty)?))?;
        }
        Ok(())
    }

    /// What has flowed into a slot; it stays there only if it is an answer.
    #[inline]
    fn incoming(&mut self, slot: u32) -> Result<Option<Cotangent>> {
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
    fn accumulate(&mut self, slot: u32, more: Cotangent) -> Result<()> {
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
    let mut walk = Walk { parts: &parts, cotangents, ones: None, shares: false };
    for (slot, seed) in targets {
        match seed {
            Seed::Given(dy) => walk.accumulate(slot, Cotangent::Dense(dy))?,
            Seed::Ones(ty)
                if walk.ones.is_none() && !walk.is_source(slot) && walk.cotangents[slot as usize].is_none() =>
            {
                walk.ones = Some((slot, ty));
            }
            Seed::Ones(ty) => walk.accumulate(slot, Cotangent::Dense(ops::ones_of(ty)?))?,
        }
    }
    // What runs at once keeps no line.
    let name = observed().then(InName::same);
    let mut position = entries.log().len();
    while position > 0 {
        position -= 1;
        if let Some(name) = &name {
            name.turn_to(entries.log().at(position).location());
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
    let mut answers = SmallVec::new();
    for (i, &slot) in sources.iter().enumerate() {
        answers.push(match slot {
            UNTRACKED => None,
            // A source that is named twice is answered twice.
            slot if sources[i + 1..].contains(&slot) => walk.cotangents[slot as usize].clone(),
            slot => walk.cotangents[slot as usize].take(),
        });
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

/// Which slots depend on `source`.
pub(super) fn dependents(log: &Log, slots: u32, source: u32) -> impl Fn(u32) -> bool {
    let parts = reachable(log, slots, &[source]);
    move |slot| slot != UNTRACKED && parts[slot as usize] != 0
}

/// One entry whose inputs depend on a source. Element-wise operations and reads, which are most, go on without lists.
#[inline]
fn step(noted: Noted<'_>, walk: &mut Walk<'_>) -> Result<()> {
    match noted.rule() {
        Rule::Elementwise(derivatives) => match walk.incoming(noted.output_slots()[0])? {
            Some(dy) => elementwise(noted, derivatives, &dy.into_dense()?, walk),
            None => Ok(()),
        },
        Rule::Read => match walk.incoming(noted.output_slots()[0])? {
            // The variable's cotangent is that of the value read: rows of an embedding stay rows.
            Some(dy) => walk.accumulate(noted.input_slots()[0], inspect(noted.rule().name(), 0, dy)?),
            None => Ok(()),
        },
        Rule::Op(op) => general(noted, walk, |dys, needs| by_rule(noted, &**op, dys, needs)),
        Rule::Custom(rule) => general(noted, walk, |dys, needs| custom(noted, &**rule, dys, &needs)),
        Rule::Spent => Err(Error::internal("gradient", "an entry of the tape was used before")),
    }
}

type Cotangents = SmallVec<[Option<Tensor>; 1]>;
type Needs = SmallVec<[bool; 4]>;

/// An entry with a rule of its own, which takes the cotangents of all outputs and answers those of all inputs.
fn general(noted: Noted<'_>, walk: &mut Walk<'_>, rule: impl FnOnce(Cotangents, Needs) -> Result<Given>) -> Result<()> {
    let mut dys = Cotangents::new();
    for &output in noted.output_slots() {
        dys.push(walk.incoming(output)?.map(Cotangent::into_dense).transpose()?);
    }
    if dys.iter().all(Option::is_none) {
        return Ok(());
    }
    let mut needs = Needs::new();
    noted.input_slots().iter().for_each(|&slot| needs.push(walk.wants(slot)));
    for (i, cotangent) in rule(dys, needs)?.into_iter().enumerate() {
        if let Some(cotangent) = cotangent {
            walk.accumulate(noted.input_slots()[i], inspect(noted.rule().name(), i, cotangent)?)?;
        }
    }
    Ok(())
}

type Given = SmallVec<[Option<Cotangent>; 4]>;

fn by_rule(noted: Noted<'_>, op: &dyn Op, dys: Cotangents, needs: Needs) -> Result<Given> {
    if op.gradient() == Gradient::Missing {
        return Err(Error::unimplemented(op.name(), "this operation has no gradient")
            .help("wrap it in a `#[custom_gradient]` function, or keep it out of the differentiated path"));
    }
    let mut g = Backward::new(op.name(), noted, dys, needs);
    op.backward(&mut g)?;
    let given = g.into_given();
    for (i, dx) in given.iter().enumerate() {
        if let Some(Cotangent::Dense(dx)) = dx
            && noted.input_type(i).dtype != DType::Resource
        {
            check(op.name(), i, dx, noted.input_type(i))?;
        }
    }
    Ok(given)
}

/// A rule must answer with the input's own type; anything else is a mistake in the library. A size that is known only when
/// the graph runs may have another name in a body of the graph.
fn check(op: &str, index: usize, dx: &Tensor, ty: &TensorType) -> Result<()> {
    let open = |d: Dim| d.symbols().iter().any(|s| matches!(s, Symbol::Unbacked(_)));
    let same = |(a, b): (Dim, Dim)| a == b || open(a) || open(b);
    let found = dx.ty();
    if found == ty
        || found.dtype == ty.dtype
            && found.shape.rank() == ty.shape.rank()
            && found.shape.iter().zip(ty.shape.iter()).all(same)
    {
        return Ok(());
    }
    Err(Error::internal(op, format!("the gradient of input {index} has the wrong type")).got(dx.ty()).expected(ty))
}

/// Element-wise operations differentiate their meaning; each partial derivative is one fused operation.
fn elementwise(noted: Noted<'_>, derivatives: &Derivatives, dy: &Tensor, walk: &mut Walk<'_>) -> Result<()> {
    let saved = noted.saved();
    for (i, info) in derivatives.by.iter().enumerate() {
        let slot = noted.input_slots()[i];
        let Some(info) = info.as_ref().filter(|_| walk.wants(slot)) else { continue };
        let dx = match info.identity {
            true => dy.clone(),
            false => {
                // Inputs and the output at the most, and `dy` behind them.
                let mut inputs = [dy; 8];
                let count = info.operands.len();
                if count < inputs.len() {
                    inputs.iter_mut().zip(&info.operands).for_each(|(to, &at)| *to = &saved[at as usize]);
                    execute1(&*info.op, &inputs[..=count])?
                } else {
                    let mut inputs: Vec<&Tensor> = info.operands.iter().map(|&at| &saved[at as usize]).collect();
                    inputs.push(dy);
                    execute1(&*info.op, &inputs)?
                }
            }
        };
        let dx = sum_to(dx, noted.input_type(i))?;
        walk.accumulate(slot, inspect(derivatives.op.name(), i, Cotangent::Dense(dx))?)?;
    }
    Ok(())
}

/// As [`elementwise`] for a cotangent of ones: 1 * x is x, to the last bit, so the factors are the products.
fn factors(noted: Noted<'_>, mut saved: Saved, walk: &mut Walk<'_>) -> Result<()> {
    let Rule::Elementwise(derivatives) = noted.rule() else { return Ok(()) };
    walk.ones = None;
    walk.shares = true;
    for (i, info) in derivatives.by.iter().enumerate() {
        let slot = noted.input_slots()[i];
        let Some(info) = info.as_ref().filter(|_| walk.wants(slot)) else { continue };
        let at = info.operands[0];
        let again = derivatives.by[i + 1..].iter().flatten().any(|later| later.operands[0] == at);
        let factor = &mut saved[at as usize];
        let Some(factor) = (if again { factor.clone() } else { factor.take() }) else { continue };
        let dx = sum_to(factor, noted.input_type(i))?;
        walk.accumulate(slot, inspect(derivatives.op.name(), i, Cotangent::Dense(dx))?)?;
    }
    Ok(())
}

/// Sums a cotangent over the axes along which its input was broadcast.
pub(crate) fn sum_to(dx: Tensor, ty: &TensorType) -> Result<Tensor> {
    if dx.shape() == &ty.shape {
        return Ok(dx);
    }
    let reduction = broadcast_reduce_axes(&ty.shape, dx.shape());
    let summed = ops::sum_axes(&dx, reduction.summed(), true)?;
    let summed = ops::sum_undecided(&summed, reduction.undecided, &ty.shape)?;
    ops::reshape_to(&summed, &ty.shape)
}

fn custom(noted: Noted<'_>, rule: &dyn CustomRule, dys: Cotangents, needs: &[bool]) -> Result<Given> {
    let mut dense: SmallVec<[Tensor; 2]> = SmallVec::new();
    for (i, dy) in dys.into_iter().enumerate() {
        dense.push(match dy {
            Some(dy) => dy,
            None => ops::zeros_of(noted.output_type(i))?,
        });
    }
    let answers = rule.backward(&dense)?;
    let mut given = Given::new();
    for (i, answer) in answers.into_iter().enumerate() {
        let Some(dx) = answer.filter(|_| needs[i]) else {
            given.push(None);
            continue;
        };
        let ty = noted.input_type(i);
        if dx.ty() != ty {
            let what = format!("the custom gradient of `{}` has the wrong type", rule.input_name(i));
            return Err(Error::invalid_argument(rule.name(), what)
                .got(dx.ty())
                .expected(ty)
                .help("the closure returns, for each input, a tensor of the input's own dtype and shape"));
        }
        given.push(Some(Cotangent::Dense(dx)));
    }
    Ok(given)
}
