//! Eager element-wise operations: the short way for one instruction over dense operands, and the tile machine.
//! This is the hottest path of the library; what is rare stays out of line.

use super::{eager, flat};
use crate::meaning::{on_parts, program_of};
use crate::op::Op;
use crate::tensor::{Tensor, TensorType};
use kernels::backend::cpu::copy::worth_transposing;
use kernels::backend::cpu::tile::{Tiled, fault_error};
use kernels::backend::cpu::{Isa, thread_pool, vector};
use kernels::dtype::{DType, DTypes};
use kernels::error::Result;
use kernels::scalar::{Code, Program, Step};
use smallvec::SmallVec;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Bytes of output from which the work is shared between threads, for instructions that only move memory.
pub(super) const SHARE: usize = 256 * 1024;

#[track_caller]
pub(super) fn run(
    op: &dyn Op,
    inputs: &[&Tensor],
    owned: u32,
    accepts: DTypes,
    direct: Option<Code>,
) -> Result<Tensor> {
    if let Some(code) = direct
        && let Some(out) = one_instruction(code, inputs, owned, accepts)?
    {
        return Ok(out);
    }
    if let Some(out) = flat::run(op, inputs, owned)? {
        return Ok(out);
    }
    general(op, inputs, owned)
}

/// One instruction over dense operands of one type, small enough for one thread, one of which may be a scalar; `None`
/// if it is anything else.
#[inline]
#[track_caller]
fn one_instruction(code: Code, inputs: &[&Tensor], owned: u32, accepts: DTypes) -> Result<Option<Tensor>> {
    let (first, last) = (inputs[0], inputs[inputs.len() - 1]);
    let plain = first.is_contiguous() && last.is_contiguous() && !first.is_symbol() && !last.is_symbol();
    if !plain || !accepts.has(first.dtype()) || last.dtype() != first.dtype() {
        return Ok(None);
    }
    let ty = if first.rank() >= last.rank() { first.ty() } else { last.ty() };
    let bytes = ty.bytes();
    if bytes >= SHARE || (owned != 0 && bytes > 4096) {
        // Large operands that the caller gives up are worth the tile machine's detour into their memory.
        return Ok(None);
    }
    let result = code.result(ty.dtype);
    let Some(run) = vector::lookup(code, ty.dtype, result, Isa::current()) else { return Ok(None) };
    let truths;
    let out_ty = match result == ty.dtype {
        true => ty,
        false => {
            truths = TensorType::new(result, ty.shape);
            &truths
        }
    };
    let len = ty.shape.num_elements();
    let (out, fault) = if first.ty() == last.ty() {
        let out = Tensor::uninit(out_ty)?;
        // SAFETY: dense operands of the output's shape, the output fresh.
        let fault = unsafe { run(len, out.data(), first.data(), last.data(), std::ptr::null()) };
        (out, fault)
    } else if first.rank() == 0 || last.rank() == 0 {
        let out = Tensor::uninit(out_ty)?;
        // SAFETY: as above, with one scalar.
        let fault = unsafe { with_scalar(run, first, last, &out, len) };
        (out, fault)
    } else {
        return Ok(None);
    };
    // A fault takes the general way once more, which knows how to say so.
    Ok((!fault).then_some(out))
}

/// An instruction between a scalar, repeated over a tile, and a dense operand.
///
/// # Safety
/// Dense operands of one dtype, one with one element and the other with `len`, as many as the fresh output has.
#[inline(never)]
unsafe fn with_scalar(run: vector::Loop, first: &Tensor, last: &Tensor, out: &Tensor, len: usize) -> bool {
    #[repr(align(64))]
    struct Tile(MaybeUninit<[u8; 2048]>);
    let mut tile = Tile(MaybeUninit::uninit());
    let tile = tile.0.as_mut_ptr().cast::<u8>();
    let (size, out_size) = (first.dtype().size(), out.dtype().size());
    let step = 2048 / size;
    let left = first.rank() == 0 && last.rank() > 0;
    let scalar = if left { first } else { last };
    let mut fault = false;
    // SAFETY: the tile holds `step` elements, and ranges stay inside the operands.
    unsafe {
        vector::splat(size, Isa::current())(step.min(len), tile, scalar.data(), std::ptr::null(), std::ptr::null());
        for at in (0..len).step_by(step) {
            let n = step.min(len - at);
            let to = out.data().add(at * out_size);
            fault |= match left {
                true => run(n, to, tile, last.data().add(at * size), std::ptr::null()),
                false => run(n, to, first.data().add(at * size), tile, std::ptr::null()),
            };
        }
    }
    fault
}

#[track_caller]
fn general(op: &dyn Op, inputs: &[&Tensor], owned: u32) -> Result<Tensor> {
    if let Some(outputs) = on_parts(op, inputs)? {
        return super::only(op, outputs);
    }
    if inputs.iter().any(|t| t.is_away()) {
        return super::only(op, super::place::run(op, inputs, owned)?);
    }
    let types = eager::infer(op, inputs)?;
    let ty = &types[0];
    let dtypes: SmallVec<[DType; 4]> = inputs.iter().map(|t| t.dtype()).collect();
    let program = program_of(op, &dtypes);
    flat::remember(op, inputs, &program);
    let out = match reusable(inputs, owned, ty) {
        // SAFETY: `reusable` saw that nobody else holds the tensor, and its caller gives it up.
        Some(given) => unsafe {
            given.renew_id();
            given.clone()
        },
        None => Tensor::uninit(ty).map_err(|e| e.in_op(op.name()))?,
    };
    kernels::moved::note(|| ty.bytes());
    let turned = turned(inputs)?;
    let own = |i: usize, t: &Tensor| {
        turned.iter().find(|(of, _)| *of == i).map_or_else(|| eager::view_of(t), |(_, t)| eager::view_of(t))
    };
    let views: SmallVec<[_; 4]> = inputs.iter().enumerate().map(|(i, t)| own(i, t)).collect();
    let tiled = Tiled::new(&program, &views, &[eager::view_of(&out)], Isa::current())?;
    // SAFETY: the views are valid; the output is fresh, or is an operand's memory that only this call sees.
    match unsafe { share(&tiled, &program, ty.dtype.size()) } {
        None => Ok(out),
        Some(step) => Err(fault_error(op.name(), &step)),
    }
}

/// Copies of the inputs that are read faster so, each with the number of its input.
#[track_caller]
fn turned(inputs: &[&Tensor]) -> Result<SmallVec<[(usize, Tensor); 1]>> {
    let mut turned: SmallVec<[(usize, Tensor); 1]> = SmallVec::new();
    for (i, &input) in inputs.iter().enumerate() {
        if input.is_row_major() || !worth_transposing(&eager::view_of(input)) {
            continue;
        }
        // The square of a transposed matrix takes one copy.
        let same = turned.iter().find(|(of, _)| std::ptr::eq(inputs[*of], input));
        let copy = same.map_or_else(|| eager::dense(input), |(_, copy)| Ok(copy.clone()))?;
        turned.push((i, copy));
    }
    Ok(turned)
}

/// An input that the caller gives up and whose memory fits the output.
fn reusable<'a>(inputs: &[&'a Tensor], owned: u32, ty: &TensorType) -> Option<&'a Tensor> {
    if owned == 0 {
        return None;
    }
    let fits = |t: &Tensor| t.is_contiguous() && t.ty() == ty && t.is_unique();
    inputs.iter().enumerate().find(|(i, t)| owned >> i & 1 == 1 && fits(t)).map(|(_, t)| *t)
}

/// Runs a prepared program over all elements, on several threads if that pays.
///
/// # Safety
/// As `Tiled::run` for the whole range.
unsafe fn share(tiled: &Tiled<'_>, program: &Program, size: usize) -> Option<Step> {
    let len = tiled.len;
    let weight = weight(program);
    if len * size * weight < SHARE {
        // SAFETY: by the caller's promise.
        return unsafe { tiled.run(0..len) }.copied();
    }
    // Chunks of whole tiles, large enough that claiming one is nothing, small enough to even out.
    let grain = tiled.grain();
    let chunk = (SHARE / 2 / (size * weight)).div_ceil(grain).clamp(1, 64) * grain;
    let fault = AtomicPtr::new(std::ptr::null_mut());
    thread_pool::run(&[len.div_ceil(chunk)], &|_, i| {
        // SAFETY: chunks are disjoint ranges of the outputs.
        if let Some(step) = unsafe { tiled.run(i * chunk..((i + 1) * chunk).min(len)) } {
            fault.store(std::ptr::from_ref(step).cast_mut(), Ordering::Relaxed);
        }
    });
    let fault = fault.load(Ordering::Relaxed);
    // SAFETY: null, or a step of the program that is still borrowed.
    unsafe { fault.as_ref() }.copied()
}

/// How many times the work of a move a program is, roughly.
pub(super) fn weight(program: &Program) -> usize {
    1 + program.steps.iter().map(|s| cost(s.code)).sum::<usize>()
}

/// How many times the work of a move one instruction is, roughly.
fn cost(code: Code) -> usize {
    match code {
        Code::Exp | Code::Log | Code::Sigmoid | Code::Tanh | Code::Expm1 | Code::Log1p | Code::Erf | Code::Erfc => 8,
        Code::Sin | Code::Cos => 12,
        Code::Pow | Code::Rem | Code::FloorMod => 24,
        Code::Asin | Code::Acos | Code::Atan | Code::Sinh | Code::Cosh | Code::Asinh | Code::Acosh | Code::Atanh => 24,
        Code::Tan | Code::Atan2 | Code::NextAfter => 24,
        code if code.is_special() => 200,
        Code::Div | Code::Sqrt | Code::Rsqrt => 2,
        _ => 0,
    }
}
