//! The walk backwards over a tape: one rule per entry, sums of cotangents, and un-broadcasting in one place.
//! The tapes call [`backprop`]; nothing here knows an operation.

use super::backward::Backward;
use super::cotangent::Cotangent;
use super::record::{Entry, Rule, UNTRACKED};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, Saves};
use crate::ops;
use crate::scalar::partial;
use crate::shape::broadcast_reduce_axes;
use crate::tensor::{Tensor, TensorType};
use smallvec::SmallVec;

/// What a tape must keep of an operation.
pub(super) fn saves_of(op: &dyn Op, inputs: &[&Tensor], needs: &[bool]) -> Saves {
    if !matches!(op.kind(), Kind::Elementwise { .. }) {
        return op.saves(needs);
    }
    let dtypes: SmallVec<[DType; 4]> = inputs.iter().map(|t| t.dtype()).collect();
    let mut saves = Saves::NOTHING;
    for (i, _) in needs.iter().enumerate().filter(|(_, n)| **n) {
        if let Some(info) = partial(op, &dtypes, i) {
            for &used in &info.uses {
                match used == inputs.len() {
                    true => saves = saves.and(Saves::outputs(&[0])),
                    false => saves = saves.and(Saves::inputs(&[used])),
                }
            }
        }
    }
    saves
}

/// Where the walk takes its entries from: freed as they are used, or kept for another walk.
pub(super) enum Entries<'a> {
    Consumed(Vec<Entry>),
    Kept(&'a [Entry]),
}

/// Cotangents of `sources` (slot numbers), given those of the targets, for a tape with `slots` slots.
pub(super) fn backprop(
    mut entries: Entries<'_>,
    slots: u32,
    targets: Vec<(u32, Tensor)>,
    sources: &[u32],
) -> Result<Vec<Option<Cotangent>>> {
    let wanted = reachable(
        match &entries {
            Entries::Consumed(list) => list,
            Entries::Kept(list) => list,
        },
        slots,
        sources,
    );
    let mut cotangents: Vec<Option<Cotangent>> = (0..slots).map(|_| None).collect();
    for (slot, dy) in targets {
        accumulate(&mut cotangents[slot as usize], Cotangent::Dense(dy))?;
    }
    let mut position = match &entries {
        Entries::Consumed(list) => list.len(),
        Entries::Kept(list) => list.len(),
    };
    while position > 0 {
        position -= 1;
        let owned;
        let entry = match &mut entries {
            Entries::Kept(list) => &list[position],
            Entries::Consumed(list) => {
                // Dropping the entry after its use frees its activations at their last use.
                owned = list.pop();
                match &owned {
                    Some(entry) => entry,
                    None => break,
                }
            }
        };
        step(entry, &wanted, sources, &mut cotangents).map_err(|e| e.at(entry.location))?;
    }
    Ok(sources
        .iter()
        .enumerate()
        .map(|(i, &s)| match s {
            UNTRACKED => None,
            // A source that is named twice is answered twice.
            s if sources[i + 1..].contains(&s) => cotangents[s as usize].clone(),
            s => cotangents[s as usize].take(),
        })
        .collect())
}

/// Which slots depend on a source: only through them do cotangents flow.
fn reachable(entries: &[Entry], slots: u32, sources: &[u32]) -> Vec<bool> {
    let mut wanted = vec![false; slots as usize];
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
    let needs: SmallVec<[bool; 4]> =
        entry.inputs.iter().map(|p| p.slot != UNTRACKED && wanted[p.slot as usize]).collect();
    if !needs.contains(&true) {
        return Ok(());
    }
    let mut dys: SmallVec<[Option<Tensor>; 1]> = SmallVec::new();
    for output in &entry.outputs {
        let dy = match output.slot {
            UNTRACKED => None,
            slot if sources.contains(&slot) => cotangents[slot as usize].clone(),
            slot => cotangents[slot as usize].take(),
        };
        dys.push(dy.map(Cotangent::into_dense).transpose()?);
    }
    if dys.iter().all(Option::is_none) {
        return Ok(());
    }
    let given = match &entry.rule {
        Rule::Custom(rule) => custom(entry, &**rule, dys, &needs)?,
        Rule::Op(op) => match op.kind() {
            Kind::Elementwise { .. } => elementwise(entry, &**op, dys, &needs)?,
            _ => by_rule(entry, &**op, dys, needs)?,
        },
    };
    for (i, cotangent) in given.into_iter().enumerate() {
        if let Some(cotangent) = cotangent {
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
fn elementwise(entry: &Entry, op: &dyn Op, mut dys: SmallVec<[Option<Tensor>; 1]>, needs: &[bool]) -> Result<Given> {
    let dtypes: SmallVec<[DType; 4]> = entry.inputs.iter().map(|p| p.ty.dtype).collect();
    let Some(dy) = dys[0].take() else { return Ok(Given::new()) };
    let mut given = Given::new();
    for (i, &needed) in needs.iter().enumerate() {
        let info = if needed { partial(op, &dtypes, i) } else { None };
        let Some(info) = info else {
            given.push(None);
            continue;
        };
        let dx = match info.identity {
            true => dy.clone(),
            false => {
                let mut inputs: SmallVec<[&Tensor; 4]> = SmallVec::new();
                for &used in &info.uses {
                    let saved = match used == dtypes.len() {
                        true => entry.saved_outputs.iter().map(|(_, t)| t).next(),
                        false => entry.saved_inputs.iter().find(|(k, _)| *k as usize == used).map(|(_, t)| t),
                    };
                    inputs.extend(saved);
                }
                inputs.push(&dy);
                execute1(&*info.op, &inputs)?
            }
        };
        given.push(Some(Cotangent::Dense(sum_to(dx, &entry.inputs[i].ty)?)));
    }
    Ok(given)
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
