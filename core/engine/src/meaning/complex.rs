//! Complex operands: an element-wise operation on them is two on real numbers, one for each part of its meaning, between views of
//! the operands' parts and the one operation that lays parts side by side. `execute` asks [`on_parts`] before anything else sees them.
//!
//! So tapes, graphs, fusion, plans and devices know complex numbers only as views of real ones and as elements that are moved.

mod join;
mod part;
mod split;

pub(crate) use join::{Join, joined};
pub(crate) use split::{Parts, part_layout, parts};

use super::cache::{Cache, Key};
use crate::execute::execute1;
use crate::op::{Facts, Infer, Kind, Op, OpRef, Outputs};
use crate::tensor::{Tensor, TensorType};
use kernels::backend::cpu::View;
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::scalar::{ComplexVal, Meant, Scalar, Val};
use kernels::shape::Shape;
use part::Part;
use smallvec::{SmallVec, smallvec};
use std::cell::RefCell;
use std::rc::Rc;

/// What an operation gives for complex operands; `None` if none is complex, or if it takes them as they are (or refuses them).
#[inline]
#[track_caller]
pub(crate) fn on_parts(op: &dyn Op, inputs: &[&Tensor]) -> Result<Option<Outputs>> {
    if !inputs.iter().any(|t| t.dtype().is_complex()) {
        return Ok(None);
    }
    decomposed(op, inputs)
}

#[cold]
#[track_caller]
fn decomposed(op: &dyn Op, inputs: &[&Tensor]) -> Result<Option<Outputs>> {
    if let Some(outputs) = op.on_complex(inputs)? {
        return Ok(Some(outputs));
    }
    if !matches!(op.kind(), Kind::Elementwise { .. }) {
        return Ok(None);
    }
    let dtypes: SmallVec<[DType; 4]> = inputs.iter().map(|t| t.dtype()).collect();
    if !op.mixes_dtypes() {
        let types: SmallVec<[&TensorType; 4]> = inputs.iter().map(|t| t.ty()).collect();
        Infer::new(op.name(), &types, &Nothing).same_dtype()?;
    }
    let Some(made) = parts_of(op, &dtypes) else { return Ok(None) };
    // Real and imaginary part of each operand, one after the other; a real operand is both.
    let mut split: SmallVec<[Tensor; 4]> = SmallVec::new();
    for &input in inputs {
        match input.dtype().is_complex() {
            true => split.extend(<[Tensor; 2]>::from(parts(input)?)),
            false => split.extend([input.clone(), input.clone()]),
        }
    }
    let mut results: SmallVec<[Tensor; 2]> = SmallVec::new();
    for (part, uses) in made.iter() {
        let mut operands: SmallVec<[&Tensor; 4]> = SmallVec::new();
        uses.iter().for_each(|&u| operands.push(&split[u]));
        results.push(execute1(&**part, &operands)?);
    }
    match &results[..] {
        [re, im] => Ok(Some(smallvec![joined(re, im)?])),
        _ => Ok(Some(results.into_iter().collect())),
    }
}

/// What a linear operation on one tensor with real numbers in it gives for complex ones: the parts apart.
#[track_caller]
pub(crate) fn each_part(op: &dyn Op, z: &Tensor) -> Result<Option<Outputs>> {
    let (re, im) = parts(z)?;
    Ok(Some(smallvec![joined(&execute1(op, &[&re])?, &execute1(op, &[&im])?)?]))
}

/// The operations that make the parts of a result, one or two, and which of the operands' parts each of them reads.
type Made = SmallVec<[(OpRef, SmallVec<[usize; 4]>); 2]>;

thread_local! {
    static PARTS: RefCell<Cache<Option<Rc<Made>>>> = const { RefCell::new(Cache::new()) };
}

/// The parts of an operation's complex meaning; `None` if it has none.
fn parts_of(op: &dyn Op, dtypes: &[DType]) -> Option<Rc<Made>> {
    let key = Key::new(op, dtypes.iter().copied(), 0);
    if let Some(key) = &key
        && let Some(known) = PARTS.with_borrow_mut(|all| all.get(key))
    {
        return known;
    }
    let made = make(op, dtypes).map(Rc::new);
    if let Some(key) = key {
        PARTS.with_borrow_mut(|all| all.insert(key, made.clone()));
    }
    made
}

fn make(op: &dyn Op, dtypes: &[DType]) -> Option<Made> {
    let s = Scalar::new(kernels::backend::cpu::vector::evaluate);
    let xs = arguments(&s, dtypes);
    let meant = op.complex(&s, &xs)?;
    let one = |part: usize, root: Val| {
        let mut uses: SmallVec<[usize; 4]> = s.inputs_of(root);
        // The result has the shape of all operands, also of those of which it needs no element.
        for i in 0..dtypes.len() {
            if !uses.iter().any(|u| u / 2 == i) {
                uses.push(2 * i);
            }
        }
        uses.sort_unstable();
        let op: OpRef = Part { of: op.keep(), dtypes: dtypes.into(), part, uses: uses.clone() }.keep();
        (op, uses)
    };
    Some(match meant {
        Meant::Complex(z) => smallvec![one(0, z.re), one(1, z.im)],
        Meant::Real(x) => smallvec![one(0, x)],
    })
}

/// The operands of a complex meaning: parts `2 i` and `2 i + 1` of operand `i`.
fn arguments(s: &Scalar, dtypes: &[DType]) -> SmallVec<[ComplexVal; 4]> {
    let one = |(i, &dtype): (usize, &DType)| match dtype.is_complex() {
        true => {
            let part = dtype.real_dtype();
            ComplexVal::new(s.argument(2 * i, part), s.argument(2 * i + 1, part))
        }
        false => {
            let x = s.argument(2 * i, dtype);
            ComplexVal::new(x, x)
        }
    };
    dtypes.iter().enumerate().map(one).collect()
}

/// The dtype of part `which` of the operands.
fn part_dtype(dtypes: &[DType], which: usize) -> DType {
    dtypes[which / 2].real_dtype()
}

/// A type rule for dtypes alone knows no elements.
pub(crate) struct Nothing;

impl Facts for Nothing {
    fn value(&self, _: usize) -> Option<View> {
        None
    }
    fn resource(&self, _: usize) -> Option<(TensorType, Option<Shape>)> {
        None
    }
}

#[cfg(test)]
mod tests;
