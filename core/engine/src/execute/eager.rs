//! Running an operation at once: on its device if it has one to choose, else here, in the way that its kind asks for.
//! `execute` calls [`run`]; element-wise operations and kernels have files of their own.

use super::{elementwise, gpu, kernel, place, strings};
use crate::ir::sizes::Sizes;
use crate::op::{Facts, Infer, Kind, Op, Outputs};
use crate::tensor::local::{LOCAL, mode};
use crate::tensor::{Resource, Tensor, TensorType};
use kernels::backend::cpu::{View, copy};
use kernels::backend::cuda;
use kernels::error::{Error, Result};
use kernels::shape::Shape;
use smallvec::{SmallVec, smallvec};
use std::cell::RefCell;

/// Runs an operation where it belongs.
#[inline]
#[track_caller]
pub(super) fn run(op: &dyn Op, inputs: &[&Tensor], owned: u32) -> Result<Outputs> {
    match LOCAL.with(|local| local.has(mode::DEVICE)) {
        true => place::run(op, inputs, owned),
        false => here(op, inputs, owned),
    }
}

/// Runs an operation on the CPU, unless an operand lies on a GPU.
#[inline(always)]
#[track_caller]
pub(super) fn here(op: &dyn Op, inputs: &[&Tensor], owned: u32) -> Result<Outputs> {
    match op.kind() {
        Kind::Elementwise { accepts, direct } => Ok(smallvec![elementwise::run(op, inputs, owned, accepts, direct)?]),
        Kind::View => view(op, inputs),
        Kind::Read => read(op, inputs),
        Kind::Control => op.control(inputs),
        Kind::Host => op.host(inputs.iter().map(|&t| t.clone()).collect(), &Sizes::default()),
        Kind::Reduction | Kind::Movement | Kind::Contraction | Kind::Opaque | Kind::Effect => {
            kernel::run(op, inputs, owned)
        }
    }
}

/// The view of a concrete tensor's elements, on the tensor's device.
pub(crate) fn view_of(tensor: &Tensor) -> View {
    match tensor.is_row_major() {
        true => View::dense(tensor.address(), tensor.dtype(), tensor.shape().dims()),
        false => View::new(tensor.address(), tensor.dtype(), tensor.shape().dims(), &tensor.strides()),
    }
}

/// What eager execution knows: everything. Elements on a GPU are fetched when a rule asks for them.
pub(super) struct Known<'a> {
    inputs: &'a [&'a Tensor],
    fetched: RefCell<Vec<Tensor>>,
    /// Why elements could not be fetched.
    failed: RefCell<Option<Error>>,
}

impl Known<'_> {
    /// What was fetched, or nothing: the rule then leaves a size open, and [`infer`] says why.
    fn or_note<T>(&self, fetched: Result<T>) -> Option<T> {
        match fetched {
            Ok(value) => Some(value),
            Err(error) => {
                self.failed.borrow_mut().get_or_insert(error);
                None
            }
        }
    }
}

impl Facts for Known<'_> {
    fn value(&self, index: usize) -> Option<View> {
        let tensor = self.inputs[index];
        if tensor.is_symbol() || tensor.dtype().size() == 0 {
            return None;
        }
        if !tensor.is_away() {
            return Some(view_of(tensor));
        }
        let here = self.or_note(place::on_host(tensor))?;
        let view = view_of(&here);
        self.fetched.borrow_mut().push(here);
        Some(view)
    }

    fn count_set(&self, index: usize) -> Option<usize> {
        self.or_note(gpu::count_set(self.inputs[index])).flatten()
    }

    fn resource(&self, index: usize) -> Option<(TensorType, Option<Shape>)> {
        let resource = self.inputs[index].as_object::<Resource>()?;
        Some((resource.ty(), resource.shape))
    }
}

/// The inferred types of an operation's outputs, all sizes known.
pub(super) fn infer(op: &dyn Op, inputs: &[&Tensor]) -> Result<SmallVec<[TensorType; 1]>> {
    if let Some(symbol) = inputs.iter().find(|t| t.is_symbol()) {
        return Err(Error::failed_precondition(op.name(), "a value of a recorded graph was used outside its function")
            .got(format!("{}, recorded at {}", symbol.ty(), symbol.location()))
            .help("return the tensor from the function instead of keeping it in a variable outside"));
    }
    let mut types: SmallVec<[&TensorType; 4]> = SmallVec::new();
    inputs.iter().for_each(|t| types.push(t.ty()));
    let facts = Known { inputs, fetched: RefCell::default(), failed: RefCell::default() };
    let mut cx = Infer::at_once(op.name(), &types, &facts);
    op.infer(&mut cx)?;
    let outputs = cx.outputs;
    let is_open = outputs.iter().any(|ty| !ty.shape.is_known());
    match facts.failed.take() {
        Some(error) if is_open => Err(error),
        None if is_open && cuda::capturing() => {
            Err(Error::failed_precondition(op.name(), "a size depends on values, which captured work cannot read"))
        }
        _ => Ok(outputs),
    }
}

/// The same elements in row-major order on the same device; the same handle if they are so already.
#[track_caller]
pub(crate) fn dense(tensor: &Tensor) -> Result<Tensor> {
    if tensor.is_row_major() {
        return Ok(tensor.clone());
    }
    copied(tensor)
}

/// The same elements in row-major order in memory of their own, on the same device.
#[track_caller]
pub(crate) fn copied(tensor: &Tensor) -> Result<Tensor> {
    if tensor.is_away() {
        return gpu::copied(tensor);
    }
    let out = Tensor::uninit(tensor.ty())?;
    kernels::moved::note(|| tensor.ty().bytes());
    // SAFETY: a fresh output of the same type, which nobody else sees yet.
    unsafe { copy::copy_shared(&view_of(tensor), &view_of(&out)) };
    Ok(out)
}

/// The operand that the caller gives up and over which an operation with this one result may write: nobody else sees its memory.
pub(super) fn overwritten<'a>(
    op: &dyn Op,
    inputs: &[&'a Tensor],
    owned: u32,
    types: &[TensorType],
) -> Option<&'a Tensor> {
    let index = op.overwrites().filter(|&index| owned >> index & 1 == 1)?;
    let (given, [ty]) = (inputs[index], types) else { return None };
    // Elements in the block itself are copied with it. A captured loop lends the memory in which it keeps a value.
    let alone = given.is_unique() && given.storage().is_some();
    let alone = alone || is_lent(given);
    (alone && given.is_row_major() && given.ty() == ty).then_some(given)
}

/// Whether a value lies in memory that a captured loop or branch has lent, and nobody sees it but those who lent it.
pub(crate) fn is_lent(tensor: &Tensor) -> bool {
    if !cuda::capturing() || !tensor.is_away() || !tensor.is_only_handle() {
        return false;
    }
    // Each of those that have lent it holds it too.
    let lenders = cuda::lenders(tensor.address());
    lenders > 0 && tensor.storage().is_some_and(|storage| storage.holders() == 1 + lenders)
}

#[track_caller]
pub(super) fn view(op: &dyn Op, inputs: &[&Tensor]) -> Result<Outputs> {
    let types = infer(op, inputs)?;
    if strings::concern(inputs, &types) {
        return strings::run(op, inputs, &types);
    }
    let base = inputs[0].concrete(op.name())?;
    if types.len() != 1 {
        return views(op, base, &types);
    }
    if let Some(layout) = op.view(base.ty(), &base.strides(), &types[0]) {
        return Ok(smallvec![base.with_layout(&types[0], &layout)]);
    }
    let base = dense(base)?;
    match op.view(base.ty(), &base.strides(), &types[0]) {
        Some(layout) => Ok(smallvec![base.with_layout(&types[0], &layout)]),
        None => Err(Error::internal(op.name(), "no view of dense memory")),
    }
}

/// The outputs of a view that has several: all lie over the input's memory.
#[track_caller]
fn views(op: &dyn Op, base: &Tensor, types: &[TensorType]) -> Result<Outputs> {
    let Some(layouts) = op.views(base.ty(), &base.strides(), types).filter(|l| l.len() == types.len()) else {
        return Err(Error::internal(op.name(), "no layouts of the outputs"));
    };
    let mut outputs = Outputs::with_capacity(types.len());
    for (ty, layout) in types.iter().zip(&layouts) {
        outputs.push(base.with_layout(ty, layout));
    }
    Ok(outputs)
}

#[track_caller]
fn read(op: &dyn Op, inputs: &[&Tensor]) -> Result<Outputs> {
    let resource = Resource::of(inputs[0], op.name())?;
    Ok(smallvec![resource.read()])
}
