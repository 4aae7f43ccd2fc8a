//! The walk backwards over a tape: one rule per entry, sums of cotangents, and un-broadcasting in one place.
//! The tapes call [`backprop`]; nothing here knows an operation.

use super::backward::Backward;
use super::cotangent::Cotangent;
use super::record::{Entry, Partials, Port, Rule, UNTRACKED};
use crate::__testing::inspect;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, Saves};
use crate::ops;
use crate::scalar::partial;
use crate::shape::broadcast_reduce_axes;
use crate::tensor::{Tensor, TensorType};
use smallvec::SmallVec;

/// What a tape must keep of an operation: tensors, and the derivatives of element-wise ones.
pub(super) fn saves_of(op: &dyn Op, inputs: &[&Tensor], needs: &[bool]) -> (Saves, Partials) {
    if !matches!(op.kind(), Kind::Elementwise { .. }) {
        return (op.saves(needs), Partials::new());
    }
    let mut dtypes: SmallVec<[DType; 4]> = SmallVec::new();
    inputs.iter().for_each(|t| dtypes.push(t.dtype()));
    let mut saves = Saves::NOTHING;
    let mut partials = Partials::new();
    for (i, &needed) in needs.iter().enumerate() {
        let info = if needed { partial(op, &dtypes, i) } else { None };
        for &used in info.iter().flat_map(|info| &info.uses) {
            match used == inputs.len() {
                true => saves = saves.and(Saves::outputs(&[0])),
                false => saves = saves.and(Saves::inputs(&[used])),
            }
        }
        partials.push(info);
    }
    (saves, partials)
}

/// Where the walk takes its entries from: freed as they are used, or kept for another walk.
pub(super) enum Entries<'a> {
    Consumed(&'a mut Vec<Entry>),
    Kept(&'a [Entry]),
}

impl Entries<'_> {
    pub fn list(&self) -> &[Entry] {
        match self {
            Self::Consumed(list) => list,
            Self::Kept(list) => list,
        }
    }

    /// Frees what an entry holds, at the last use of its activations. Who fed whom stays, to explain missing gradients.
    fn spend(&mut self, position: usize) {
        if let Self::Consumed(list) = self {
            list[position].spend();
        }
    }
}

/// Cotangents of `sources` (slot numbers), given those of the targets, for a tape with `slots` slots.
pub(super) fn backprop(
    entries: &mut Entries<'_>,
    slots: u32,
    targets: SmallVec<[(u32, Tensor); 1]>,
    sources: &[u32],
) -> Result<SmallVec<[Option<Cotangent>; 4]>> {
    let wanted = reachable(entries.list(), slots, sources);
    let mut cotangents: SmallVec<[Option<Cotangent>; 16]> = SmallVec::new();
    cotangents.resize_with(slots as usize, || None);
    for (slot, dy) in targets {
        accumulate(&mut cotangents[slot as usize], Cotangent::Dense(dy))?;
    }
    let mut position = entries.list().len();
    while position > 0 {
        position -= 1;
        let entry = &entries.list()[position];
        step(entry, &wanted, sources, &mut cotangents).map_err(|e| e.at(entry.location))?;
        entries.spend(position);
    }
    let mut answers = SmallVec::new();
    for (i, &slot) in sources.iter().enumerate() {
        answers.push(match slot {
            UNTRACKED => None,
            // A source that is named twice is answered twice.
            slot if sources[i + 1..].contains(&slot) => cotangents[slot as usize].clone(),
            slot => cotangents[slot as usize].take(),
        });
    }
    Ok(answers)
}

/// Which slots depend on a source: only through them do cotangents flow.
pub(super) fn reachable(entries: &[Entry], slots: u32, sources: &[u32]) -> SmallVec<[bool; 64]> {
    let mut wanted = SmallVec::from_elem(false, slots as usize);
    for &source in sources.iter().filter(|&&s| s != UNTRACKED) {
        wanted[source as usize] = true;
    }
    for entry in entries {
        if entry.inputs.iter().any(|p| p.slot != UNTRACKED && wanted[p.slot as usize]) {
            for output in entry.outputs.iter().filter(|p| p.slot != UNTRACKED) {
                wanted[output.slot as usize] = true;
            }
        }
    }
    wanted
}

fn step(entry: &Entry, wanted: &[bool], sources: &[u32], cotangents: &mut [Option<Cotangent>]) -> Result<()> {
    let wants = |port: &Port| port.slot != UNTRACKED && wanted[port.slot as usize];
    if !entry.inputs.iter().any(wants) {
        return Ok(());
    }
    let mut incoming = |slot: u32| match slot {
        UNTRACKED => None,
        slot if sources.contains(&slot) => cotangents[slot as usize].clone(),
        slot => cotangents[slot as usize].take(),
    };
    // Most operations have one output; element-wise ones and reads go on without any list.
    if entry.is_short() {
        let Some(dy) = incoming(entry.outputs[0].slot) else { return Ok(()) };
        if let Rule::Read = entry.rule {
            // The variable's cotangent is that of the value read: rows of an embedding stay rows.
            let dy = inspect(entry.rule.name(), 0, dy)?;
            return accumulate(&mut cotangents[entry.inputs[0].slot as usize], dy);
        }
        return elementwise(entry, &dy.into_dense()?, wants, cotangents);
    }
    let mut dys: SmallVec<[Option<Tensor>; 1]> = SmallVec::new();
    for output in &entry.outputs {
        dys.push(incoming(output.slot).map(Cotangent::into_dense).transpose()?);
    }
    if dys.iter().all(Option::is_none) {
        return Ok(());
    }
    let mut needs: SmallVec<[bool; 4]> = SmallVec::new();
    entry.inputs.iter().for_each(|port| needs.push(wants(port)));
    let given = match &entry.rule {
        Rule::Custom(rule) => custom(entry, &**rule, dys, &needs)?,
        Rule::Spent => return Err(Error::internal("gradient", "an entry of the tape was used before")),
        Rule::Op(op) => by_rule(entry, &**op, dys, needs)?,
        Rule::Read => Given::new(),
    };
    for (i, cotangent) in given.into_iter().enumerate() {
        if let Some(cotangent) = cotangent {
            let cotangent = inspect(entry.rule.name(), i, cotangent)?;
            accumulate(&mut cotangents[entry.inputs[i].slot as usize], cotangent)?;
        }
    }
    Ok(())
}

fn accumulate(slot: &mut Option<Cotangent>, more: Cotangent) -> Result<()> {
    *slot = Some(match slot.take() {
        None => more,
        Some(sum) => sum.plus(more)?,
    });
    Ok(())
}

type Given = SmallVec<[Option<Cotangent>; 4]>;

fn by_rule(
    entry: &Entry,
    op: &dyn Op,
    dys: SmallVec<[Option<Tensor>; 1]>,
    needs: SmallVec<[bool; 4]>,
) -> Result<Given> {
    if op.gradient() == Gradient::Missing {
        return Err(Error::unimplemented(op.name(), "this operation has no gradient")
            .help("wrap it in a `#[custom_gradient]` function, or keep it out of the differentiated path"));
    }
    let mut g = Backward::new(op.name(), entry, dys, needs);
    op.backward(&mut g)?;
    let given = g.into_given();
    for (i, dx) in given.iter().enumerate() {
        if let Some(Cotangent::Dense(dx)) = dx
            && entry.inputs[i].ty.dtype != DType::Resource
        {
            check(op.name(), i, dx, &entry.inputs[i].ty)?;
        }
    }
    Ok(given)
}

/// A rule must answer with the input's own type; anything else is a mistake in the library.
fn check(op: &str, index: usize, dx: &Tensor, ty: &TensorType) -> Result<()> {
    if dx.ty() == ty {
        return Ok(());
    }
    Err(Error::internal(op, format!("the gradient of input {index} has the wrong type")).got(dx.ty()).expected(ty))
}

/// Element-wise operations differentiate their meaning; each partial derivative is one fused operation.
fn elementwise(
    entry: &Entry,
    dy: &Tensor,
    wants: impl Fn(&Port) -> bool,
    cotangents: &mut [Option<Cotangent>],
) -> Result<()> {
    for (i, (info, port)) in entry.partials.iter().zip(&entry.inputs).enumerate() {
        let Some(info) = info.as_ref().filter(|_| wants(port)) else { continue };
        let dx = match info.identity {
            true => dy.clone(),
            false => {
                let mut inputs: SmallVec<[&Tensor; 4]> = SmallVec::new();
                for &used in &info.uses {
                    match used == entry.inputs.len() {
                        true => entry.saved_outputs.iter().for_each(|(_, t)| inputs.push(t)),
                        false => {
                            inputs.extend(entry.saved_inputs.iter().find(|(k, _)| *k as usize == used).map(|(_, t)| t))
                        }
                    }
                }
                inputs.push(dy);
                execute1(&*info.op, &inputs)?
            }
        };
        let dx = inspect(entry.rule.name(), i, Cotangent::Dense(sum_to(dx, &port.ty)?))?;
        accumulate(&mut cotangents[port.slot as usize], dx)?;
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
    ops::reshape_to(&summed, &ty.shape)
}

fn custom(
    entry: &Entry,
    rule: &dyn super::backward::CustomRule,
    dys: SmallVec<[Option<Tensor>; 1]>,
    needs: &[bool],
) -> Result<Given> {
    let mut dense: SmallVec<[Tensor; 2]> = SmallVec::new();
    for (dy, output) in dys.into_iter().zip(&entry.outputs) {
        dense.push(match dy {
            Some(dy) => dy,
            None => ops::zeros_of(&output.ty)?,
        });
    }
    let answers = rule.backward(&dense)?;
    let mut given = Given::new();
    for (i, answer) in answers.into_iter().enumerate() {
        let Some(dx) = answer.filter(|_| needs[i]) else {
            given.push(None);
            continue;
        };
        let ty = &entry.inputs[i].ty;
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
