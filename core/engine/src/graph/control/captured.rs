//! Branches and loops while their work is captured, when only the device knows their conditions: both branches, or the body of
//! the loop, are recorded into nodes that the device enters or not. `Cond` and `While` come here.

use super::{Cond, While};
use crate::execute::{is_lent, is_number, view_of};
use crate::graph::run;
use crate::graph::views::changed_and_not_held;
use crate::ir::sizes::Sizes;
use crate::op::{Op, Operands, Outputs};
use crate::tensor::Tensor;
use kernels::backend::cpu::vector::load_bits;
use kernels::backend::cuda::{self, CudaCall, Gpu};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use smallvec::SmallVec;
use std::panic::Location;

/// What two branches gave for one result that is no tensor, but a list of what a branch saves: as long as only the device
/// knows which of them ran, another branch on the same condition can go on with its own.
struct Either {
    condition: Tensor,
    /// Of the branch for true, and of the one for false.
    sides: [Tensor; 2],
}

fn is_same(a: &Tensor, b: &Tensor) -> bool {
    a.address() == b.address() && a.device_id() == b.device_id()
}

/// An operand as the branch for `side` gets it.
fn on_side(operand: &Tensor, condition: &Tensor, side: bool) -> Tensor {
    match operand.as_object::<Either>() {
        Some(either) if is_same(&either.condition, condition) => either.sides[usize::from(!side)].clone(),
        _ => operand.clone(),
    }
}

/// Whether a value that was handed over may be written over, as it is nobody else's.
fn is_given(tensor: &Tensor) -> bool {
    let whole = tensor.is_away() && tensor.is_row_major() && tensor.dtype().size() > 0;
    whole && (tensor.is_unique() || is_lent(tensor))
}

/// The device whose work this thread captures.
fn gpu() -> Result<&'static Gpu> {
    cuda::captured_on().ok_or_else(|| Error::internal("capture", "this thread captures nothing"))
}

/// Records a branch. Its results lie in memory of their own, which the branch that runs writes.
pub(super) fn branch(op: &Cond, condition: Tensor, inputs: Operands, sizes: &Sizes<'_>) -> Result<Outputs> {
    let gpu = gpu()?;
    let choice = cuda::choice(op.then.id)?;
    // A tensor of which both ways change parts stays where it lies, unless something that they save shows it; the condition stands
    // before the parameters.
    let mut inputs: Vec<Option<Tensor>> = inputs.into_iter().map(Some).collect();
    let mut homes: Vec<Option<(usize, Tensor)>> = Vec::new();
    for changed in changed_and_not_held(&op.keep()) {
        let given = changed.and_then(|i| Some((i - 1, inputs.get_mut(i - 1)?.take_if(|input| is_given(input))?)));
        homes.push(given);
    }
    let _lent = cuda::lend(homes.iter().flatten().map(|(_, home)| home.address()));
    let mut merged = Merged { gpu, kept: choice.made.unwrap_or(0), equal: 0, results: Vec::new() };
    let at = condition.address().addr() as u64;
    cuda::branch(gpu, at, &mut |side| {
        let body = if side { &op.then } else { &op.otherwise };
        let home = |i: usize| homes.iter().flatten().find(|(index, _)| *index == i).map(|(_, home)| home.alias());
        let given = inputs.iter().enumerate().filter_map(|(i, input)| match input {
            Some(input) => Some(on_side(input, &condition, side)),
            None => home(i),
        });
        let given: Operands = given.collect();
        let results = run::run(body, given, &Sizes::within(sizes))?;
        let place = |i: usize| homes.get(i).and_then(|home| home.as_ref()).map(|(_, home)| home);
        let results = apart(gpu, results, place)?;
        if side { merged.first(results, &homes) } else { merged.second(results, &condition) }
    })?;
    if choice.made.is_none() {
        choice.decide(merged.equal, false)?;
    }
    Ok(merged.results.into_iter().map(|(result, _)| result).collect())
}

/// The results of a branch.
struct Merged {
    gpu: &'static Gpu,
    /// A bit for each of the first results that both branches leave the same number of the host, as was seen before.
    kept: u32,
    /// As was seen now.
    equal: u32,
    /// Each with the number that it was in the first branch, if it was one.
    results: Vec<(Tensor, Option<Tensor>)>,
}

impl Merged {
    fn keeps(&self, index: usize) -> bool {
        index < 32 && self.kept >> index & 1 == 1
    }

    fn first(&mut self, results: Outputs, homes: &[Option<(usize, Tensor)>]) -> Result<()> {
        for (i, result) in results.into_iter().enumerate() {
            if let Some(Some((_, home))) = homes.get(i) {
                bring_home(self.gpu, result, home)?;
                // The handles of homes are dropped when both ways are recorded; what is left is the result.
                self.results.push((home.clone(), None));
                continue;
            }
            let number = is_number(&result).then(|| result.clone());
            let own = match result.dtype() {
                DType::Variant => result,
                _ if self.keeps(i) && number.is_some() => result,
                _ => place_for(self.gpu, &result)?,
            };
            self.results.push((own, number));
        }
        Ok(())
    }

    fn second(&mut self, results: Outputs, condition: &Tensor) -> Result<()> {
        for (i, result) in results.into_iter().enumerate() {
            let (own, number) = &mut self.results[i];
            if result.dtype() == DType::Variant {
                let sides = [own.clone(), result];
                let either = Either { condition: condition.clone(), sides };
                *own = Tensor::object_of(DType::Variant, Box::new(either));
                continue;
            }
            let equal = number.as_ref().is_some_and(|number| is_equal_number(number, &result));
            if equal && i < 32 {
                self.equal |= 1 << i;
            }
            match own.is_away() {
                true => bring_home(self.gpu, result, own)?,
                false if equal => {}
                false => return Err(Error::internal("cond", "a number has changed between two trials")),
            }
        }
        Ok(())
    }
}

/// Queues that a value lies in its home, where it may lie already.
fn bring_home(gpu: &'static Gpu, value: Tensor, home: &Tensor) -> Result<()> {
    if is_same(&value, home) && value.ty() == home.ty() && value.is_row_major() {
        return Ok(());
    }
    write(gpu, &value, home)
}

fn is_equal_number(a: &Tensor, b: &Tensor) -> bool {
    // SAFETY: one element of this size, in the host's memory.
    let bits = |t: &Tensor| unsafe { load_bits(t.dtype().size(), t.data()) };
    a.ty() == b.ty() && is_number(b) && bits(a) == bits(b)
}

/// Memory for a value of this kind, with the value.
fn place_for(gpu: &'static Gpu, value: &Tensor) -> Result<Tensor> {
    if value.dtype().size() == 0 {
        return Err(Error::unimplemented("graph", "only tensors can come out of captured branches and loops")
            .got(value.ty())
            .help("a list that grows, as a gradient or a `TensorArray` needs it, wants a loop of known length"));
    }
    let place = Tensor::uninit_on(gpu, value.ty())?;
    write(gpu, value, &place)?;
    Ok(place)
}

/// Queues that one tensor's elements become those of another, which is dense.
fn write(gpu: &'static Gpu, from: &Tensor, to: &Tensor) -> Result<()> {
    if from.ty() != to.ty() {
        return Err(Error::unimplemented("graph", "a value changes its type in captured work")
            .got(from.ty())
            .expected(to.ty()));
    }
    let call = CudaCall { gpu, inputs: &[], outputs: &[], on_host: 0, op: "copy", location: Location::caller() };
    // SAFETY: valid tensors of one type on this device, or a number of the host; the target is dense and seen by nobody else.
    unsafe {
        match is_number(from) {
            true => cuda::fill(&call, &view_of(to), load_bits(from.dtype().size(), from.data())),
            false if from.is_away() => cuda::copy(&call, &view_of(from), &view_of(to)),
            false if from.num_elements() == 0 => Ok(()),
            false => Err(Error::failed_precondition("graph", "the host cannot take part in captured work")),
        }
    }
}

/// Kernels and copies, or rounds, up to which a loop whose condition the host knows is recorded round by round.
const MOST_UNROLLED: usize = 4096;
const UNROLLED: u32 = 1;
const ON_DEVICE: u32 = 2;

/// Records a loop: round by round if the host knows beforehand how many there are, else as one body.
pub(super) fn repeat(op: &While, inputs: Operands, sizes: &Sizes<'_>) -> Result<Outputs> {
    let choice = cuda::choice(op.body.id)?;
    match choice.made {
        Some(ON_DEVICE) => on_device(op, inputs, sizes),
        Some(_) => {
            unrolled(op, inputs, sizes)?.ok_or_else(|| Error::internal("while", "a loop has changed its length"))
        }
        None => {
            if let Some(results) = unrolled(op, inputs.clone(), sizes)? {
                choice.decide(UNROLLED, false)?;
                return Ok(results);
            }
            choice.decide(ON_DEVICE, true)?;
            on_device(op, inputs, sizes)
        }
    }
}

/// Queues all rounds; `None` if the device computes the condition, or there are too many.
fn unrolled(op: &While, inputs: Operands, sizes: &Sizes<'_>) -> Result<Option<Outputs>> {
    let mut carried = inputs;
    let fixed: Operands = carried.drain(op.carried..).collect();
    let start = cuda::tried();
    for _ in 0..MOST_UNROLLED {
        let sizes = Sizes::within(sizes);
        let operands: Operands = carried.iter().chain(&fixed).cloned().collect();
        let again = run::run(&op.cond, operands, &sizes)?.remove(0);
        if again.is_away() || cuda::tried() - start > MOST_UNROLLED {
            return Ok(None);
        }
        if !again.try_item::<bool>()? {
            return Ok(Some(carried.into_iter().collect()));
        }
        carried.extend(fixed.iter().cloned());
        carried = run::run(&op.body, carried, &sizes)?.into_iter().collect();
    }
    Ok(None)
}

/// Records the loop as one body. What it carries from round to round lies in memory of its own.
fn on_device(op: &While, mut inputs: Operands, sizes: &Sizes<'_>) -> Result<Outputs> {
    let gpu = gpu()?;
    let fixed: Operands = inputs.drain(op.carried..).collect();
    let mut places = Operands::new();
    for initial in inputs.drain(..) {
        places.push(if is_given(&initial) { initial } else { place_for(gpu, &initial)? });
    }
    let _lent = cuda::lend(places.iter().map(Tensor::address));
    let operands = || -> Operands { places.iter().chain(&fixed).cloned().collect() };
    // Another handle of the same memory, which the body may write over where it reads a value for the last time.
    let lent = |place: &Tensor| if place.is_away() { place.alias() } else { place.clone() };
    let test = || truth(gpu, run::run(&op.cond, operands(), &Sizes::within(sizes))?.remove(0));
    let first = test()?;
    cuda::repeat(gpu, first.address().addr() as u64, &mut |again| {
        let given: Operands = places.iter().map(lent).chain(fixed.iter().cloned()).collect();
        let results = run::run(&op.body, given, &Sizes::within(sizes))?;
        advance(gpu, &places, results)?;
        again(test()?.address().addr() as u64)
    })?;
    Ok(places.into_iter().collect())
}

/// A truth value on the device.
fn truth(gpu: &'static Gpu, value: Tensor) -> Result<Tensor> {
    if value.is_away() { Ok(value) } else { place_for(gpu, &value) }
}

/// Takes what shows the place of another result out of it, before results go to their places.
fn apart<'a>(gpu: &'static Gpu, results: Outputs, place: impl Fn(usize) -> Option<&'a Tensor>) -> Result<Outputs> {
    let lies_in = |t: &Tensor, place: &Tensor| {
        let start = place.address().addr();
        t.is_away() && place.is_away() && (start..start + place.ty().bytes()).contains(&t.address().addr())
    };
    let stays = |t: &Tensor, place: &Tensor| t.ty() == place.ty() && is_same(t, place) && t.is_row_major();
    let places: SmallVec<[Option<&Tensor>; 4]> = (0..results.len()).map(&place).collect();
    let moved = results.iter().enumerate().map(|(i, result)| {
        let own = places[i].is_some_and(|own| stays(result, own));
        let shows = !own && places.iter().flatten().any(|other| lies_in(result, other));
        if shows { place_for(gpu, result) } else { Ok(result.clone()) }
    });
    moved.collect()
}

/// Makes the results of a round the values of the next one.
fn advance(gpu: &'static Gpu, places: &[Tensor], results: Outputs) -> Result<()> {
    let next = apart(gpu, results, |i| places.get(i))?;
    for (result, place) in next.iter().zip(places) {
        if !(result.ty() == place.ty() && is_same(result, place) && result.is_row_major()) {
            write(gpu, result, place)?;
        }
    }
    Ok(())
}

/// The value of a variable as memory of its own, for a reader who wants it after the variable has changed.
pub(crate) fn kept(value: &Tensor) -> Result<Tensor> {
    place_for(gpu()?, value)
}
