//! Optimizer steps in one pass over memory: a rule's formula as one scalar program that writes variables and slots in
//! place. Keras's formulas for SGD, momentum and Adam; the functions of `steps.rs` run it on all variables.

mod rows;
mod rule;
mod steps;

use crate::op::{Access, Attr, Gradient, Infer, Kind, Op, OpRef, fingerprint};
use kernels::backend::cpu::tile::{Tiled, fault_error};
use kernels::backend::cpu::{CpuCall, View, Work};
use kernels::backend::cuda::{self, CudaCall, Kernel, Owner};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::scalar::{Program, Scalar, Val};
use rule::Rule;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
pub use steps::*;

/// Inputs: learning rate and step number, both scalars; then per variable its handle, those of its slots, the gradient,
/// and for some rules another tensor.
#[derive(Clone)]
struct Apply {
    rule: Rule,
}

/// Elements one chunk works on, of as many variables as that takes.
const CHUNK: usize = 32 * 1024;
/// Variables per operation: the locks of one are taken together.
const TOGETHER: usize = 16;

/// Programs by rule, its parameters' hash, and dtype.
type Programs = HashMap<(&'static str, u64, DType), Rc<Program>>;

thread_local! {
    static PROGRAMS: RefCell<Programs> = RefCell::new(HashMap::new());
}

/// Most programs a thread keeps; a rule whose parameters change at every step could else fill memory.
const MOST_PROGRAMS: usize = 64;

impl Apply {
    /// Inputs per variable.
    fn group(&self) -> usize {
        self.rule.resources() + self.rule.given()
    }

    fn program(&self, dtype: DType) -> Rc<Program> {
        let key = (self.name(), fingerprint(self), dtype);
        PROGRAMS.with_borrow_mut(|programs| {
            if programs.len() >= MOST_PROGRAMS && !programs.contains_key(&key) {
                programs.clear();
            }
            programs.entry(key).or_insert_with(|| Rc::new(self.build(dtype))).clone()
        })
    }

    fn build(&self, dtype: DType) -> Program {
        let s = Scalar::new(kernels::backend::cpu::vector::evaluate);
        let mut dtypes: SmallVec<[DType; 5]> = SmallVec::from_elem(dtype, self.group());
        dtypes.push(dtype.compute());
        let x: SmallVec<[Val; 5]> = dtypes.iter().enumerate().map(|(i, &d)| s.argument(i, d)).collect();
        // Rounding to 16 bits comes last: until then every step reads old values, also where memory is shared.
        let new = self.rule.formula(&s, &x);
        let roots: SmallVec<[Val; 3]> = new.into_iter().map(|v| s.cast(v, dtype)).collect();
        Program::new(&s, &dtypes, &roots)
    }

    /// One range of one variable.
    ///
    /// # Safety
    /// The views of the group are valid and dense, and nobody else uses this range of them.
    unsafe fn update(&self, call: &CpuCall<'_>, group: &[View], range: Range<usize>) -> Result<()> {
        let dtype = group[0].dtype;
        // SAFETY: scalars of the inferred types.
        let rate = unsafe { self.rule.rate(real(&call.inputs[0]), call.inputs[1].integers()[0]) };
        // SAFETY: by the caller's promise.
        if unsafe { self.rule.in_registers(group, range.clone(), rate, call.isa) } {
            return Ok(());
        }
        let program = self.program(dtype);
        let (mut single, mut double) = (rate as f32, rate);
        let place: *mut u8 = if dtype == DType::F64 { (&raw mut double).cast() } else { (&raw mut single).cast() };
        let mut inputs: SmallVec<[View; 5]> = SmallVec::from_slice(group);
        inputs.push(View::new(place, dtype.compute(), &[], &[]));
        let tiled = Tiled::new(&program, &inputs, &group[..self.rule.resources()], call.isa)?;
        // SAFETY: by the caller's promise; the rate outlives the run.
        match unsafe { tiled.run(range) } {
            None => Ok(()),
            Some(step) => Err(fault_error(self.name(), step)),
        }
    }
}

/// A floating-point scalar.
///
/// # Safety
/// The view is valid.
unsafe fn real(view: &View) -> f64 {
    // SAFETY: by the caller's promise.
    unsafe {
        match view.dtype {
            DType::F64 => *view.as_ptr::<f64>(),
            _ => f64::from(*view.as_ptr::<f32>()),
        }
    }
}

/// An error unless input `index` is a scalar of one of these dtypes.
fn check_scalar(cx: &Infer<'_>, index: usize, dtypes: DTypes, what: &str) -> Result<()> {
    cx.check_dtype(index, dtypes)?;
    match cx.shape(index).rank() {
        0 => Ok(()),
        _ => Err(Error::invalid_argument(cx.op(), format!("{what} must be a scalar")).got(cx.input(index))),
    }
}

const RATES: DTypes = DTypes::of(&[DType::F32, DType::F64]);
const STEPS: DTypes = DTypes::of(&[DType::I32, DType::I64]);

impl Op for Apply {
    fn name(&self) -> &'static str {
        self.rule.label()
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        match self.rule {
            Rule::GradientDescent => {}
            Rule::Momentum { momentum, nesterov } => {
                visit("momentum", Attr::Float(momentum));
                visit("nesterov", Attr::Bool(nesterov));
            }
            Rule::Adam { beta_1, beta_2, epsilon, squares } => {
                visit("beta_1", Attr::Float(beta_1));
                visit("beta_2", Attr::Float(beta_2));
                visit("epsilon", Attr::Float(epsilon));
                visit("squares", Attr::Bool(squares));
            }
        }
    }

    fn keep(&self) -> OpRef {
        OpRef::Shared(Arc::new(self.clone()))
    }

    fn as_dyn(&self) -> &dyn Op {
        self
    }

    fn kind(&self) -> Kind {
        Kind::Effect
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        check_scalar(cx, 0, RATES, "the learning rate")?;
        check_scalar(cx, 1, STEPS, "the step number")?;
        for first in (2..cx.len()).step_by(self.group()) {
            let (ty, _) = cx.resource(first)?;
            if !DTypes::FLOATING.has(ty.dtype) {
                return Err(Error::invalid_argument(cx.op(), "only floating-point variables can be trained").got(ty));
            }
            let (slots, end) = (first + self.rule.resources(), first + self.group());
            for slot in first + 1..slots {
                let (other, _) = cx.resource(slot)?;
                if other != ty {
                    return Err(Error::invalid_argument(cx.op(), "a slot has not its variable's type")
                        .got(other)
                        .expected(ty));
                }
            }
            for given in (slots..end).map(|i| cx.input(i)) {
                let fits = given.shape == ty.shape || !(given.shape.is_known() && ty.shape.is_known());
                if given.dtype != ty.dtype || !fits {
                    return Err(Error::invalid_argument(cx.op(), "the gradient has not the variable's type")
                        .got(given)
                        .expected(ty));
                }
            }
        }
        Ok(())
    }

    fn access(&self, _: usize) -> Access {
        Access::Update
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let total: usize = call.inputs[2..].chunks_exact(self.group()).map(|group| group[0].len()).sum();
        Work::chunks(total.div_ceil(CHUNK))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        // Chunks are parts of all variables laid one after the other.
        let (mut at, part) = (0, chunk * CHUNK..(chunk + 1) * CHUNK);
        for group in call.inputs[2..].chunks_exact(self.group()) {
            let len = group[0].len();
            let range = part.start.clamp(at, at + len) - at..part.end.clamp(at, at + len) - at;
            at += len;
            if !range.is_empty() {
                // SAFETY: dense values of one type that only this call sees; chunks are disjoint.
                unsafe { self.update(call, group, range)? };
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        static RATE: Kernel = Kernel { name: "effective_rate", text: &[include_str!("apply.cuh")] };
        let (rate, step) = (&call.inputs[0], &call.inputs[1]);
        let mut number = (rate.ptr.addr() as u64, rate.dtype);
        let mut effective = None;
        if let Rule::Adam { beta_1, beta_2, .. } = self.rule {
            // The host does not know the step's number: reading it would wait for the device.
            let scratch = call.scratch(size_of::<f64>())?;
            // SAFETY: scalars of the inferred types, and room for one.
            unsafe {
                call.elements(&RATE, &[rate.dtype, step.dtype], 1, |to| {
                    to.views(&[rate, step]);
                    to.value(beta_1);
                    to.value(beta_2);
                    to.address(scratch.address());
                })?;
            }
            number = (scratch.address(), DType::F64);
            effective = Some(scratch);
        }
        let groups: SmallVec<[&[View]; TOGETHER]> = call.inputs[2..].chunks_exact(self.group()).collect();
        let owner = Owner { name: self.name(), attributes: fingerprint(self) };
        for dtype in DTypes::FLOATING.iter() {
            let alike: SmallVec<[&[View]; TOGETHER]> =
                groups.iter().copied().filter(|group| group[0].dtype == dtype).collect();
            if !alike.is_empty() {
                // SAFETY: dense values of one type that only this call sees.
                unsafe { cuda::run_many(call, owner, &self.program(dtype), &alike, number)? };
            }
        }
        // The memory is given out again behind the kernels that read it.
        drop(effective);
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("no gradient flows through an assignment")
    }
}

#[cfg(test)]
mod tests;
