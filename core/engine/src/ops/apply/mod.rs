//! Optimizer steps in one pass over memory: a rule's formula as one scalar program that writes variables and slots in
//! place. Rules come from the optimizers; the functions of `steps.rs` run one on all variables.

mod adam;
mod machine;
mod own_loop;
mod rows;
mod rule;
mod steps;

use crate::op::{Access, Attr, Gradient, Infer, Kind, Op, OpRef, fingerprint};
pub use adam::AdamRule;
use kernels::backend::cpu::tile::{Tiled, fault_error};
use kernels::backend::cpu::{CpuCall, View, Work};
use kernels::backend::cuda::{self, CudaCall, Owner};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::scalar::{Code, Program, Scalar, Slot, Val};
pub use rule::{Arithmetic, Element, Few, Formula, Given, OwnLoop, Rule};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
pub use steps::*;

/// Inputs: the numbers of the step, all scalars; then for each variable its handle, those of its slots, and what the rule is given,
/// the gradient first.
#[derive(Clone)]
struct Apply {
    rule: Arc<dyn Rule>,
}

/// Elements one chunk works on, of as many variables as that takes.
const CHUNK: usize = 32 * 1024;
/// Variables per operation: the locks of one are taken together.
const TOGETHER: usize = 16;

/// A rule, its attributes' hash, and the dtypes of its operands.
type ProgramKey = (&'static str, u64, SmallVec<[DType; 4]>);
type Programs = HashMap<ProgramKey, Rc<Program>>;

thread_local! {
    static PROGRAMS: RefCell<Programs> = RefCell::new(HashMap::new());
}

/// Most programs a thread keeps; a rule whose attributes change at every step could else fill memory.
const MOST_PROGRAMS: usize = 64;

impl Apply {
    /// Handles for each variable: its own and those of its slots.
    fn resources(&self) -> usize {
        1 + self.rule.slots()
    }

    /// Inputs for each variable.
    fn group(&self) -> usize {
        self.resources() + self.rule.given().len()
    }

    /// A program that is kept; `dtypes` tell the rule's programs apart.
    fn kept(&self, dtypes: &[DType], build: impl FnOnce() -> Program) -> Rc<Program> {
        let key = (self.name(), fingerprint(self), SmallVec::from_slice(dtypes));
        PROGRAMS.with_borrow_mut(|programs| {
            if programs.len() >= MOST_PROGRAMS && !programs.contains_key(&key) {
                programs.clear();
            }
            programs.entry(key).or_insert_with(|| Rc::new(build())).clone()
        })
    }

    /// The formula over variables of a dtype; the factors are its last inputs.
    fn program(&self, dtype: DType) -> Rc<Program> {
        self.kept(&[dtype], || self.build(dtype))
    }

    fn build(&self, dtype: DType) -> Program {
        let (s, dtypes, results) = self.values(dtype);
        Program::in_place(&s, &dtypes, &results)
    }

    /// Whether operand `i` of a variable is one element for all.
    fn is_one(&self, i: usize) -> bool {
        i.checked_sub(self.resources()).and_then(|i| self.rule.given().get(i).copied()) == Some(Given::One)
    }

    /// The formula over variables of a dtype: its values, the dtypes of what it reads, and its results.
    fn values(&self, dtype: DType) -> (Scalar, SmallVec<[DType; 5]>, SmallVec<[Val; 4]>) {
        let s = Scalar::new(kernels::backend::cpu::vector::evaluate);
        let (resources, group) = (self.resources(), self.group());
        let factors = self.factors(&[0.0; 8][..self.rule.numbers()]).len();
        let mut dtypes: SmallVec<[DType; 5]> = SmallVec::from_elem(dtype, group);
        dtypes.extend(std::iter::repeat_n(dtype.compute(), factors));
        let x: SmallVec<[Val; 8]> = dtypes.iter().enumerate().map(|(i, &d)| s.argument(i, d)).collect();
        let element = rule::Element {
            variable: x[0],
            slots: &x[1..resources],
            given: &x[resources..group],
            factors: &x[group..],
        };
        // Rounding to 16 bits comes last: until then every step reads old values, also where memory is shared.
        let results = self.rule.formula(&s, element).into_iter().map(|v| s.cast(v, dtype)).collect();
        (s, dtypes, results)
    }

    /// The factors as a program over the numbers of a step, of these dtypes.
    fn factors_program(&self, numbers: &[DType]) -> Rc<Program> {
        // No variable is of truth values: so this is not the key of a formula's program.
        let key: SmallVec<[DType; 4]> = std::iter::once(DType::Bool).chain(numbers.iter().copied()).collect();
        self.kept(&key, || {
            let s = Scalar::new(kernels::backend::cpu::vector::evaluate);
            let x: SmallVec<[Val; 4]> =
                numbers.iter().enumerate().map(|(i, &d)| s.cast(s.argument(i, d), DType::F64)).collect();
            Program::new(&s, numbers, &self.rule.factors_in(&s, &x))
        })
    }

    fn factors(&self, numbers: &[f64]) -> Few<f64> {
        self.rule.factors_of(numbers)
    }

    /// The factors of a step whose numbers lie on the host.
    ///
    /// # Safety
    /// The views are those of scalars, valid.
    unsafe fn factors_on_host(&self, numbers: &[View]) -> Few<f64> {
        // SAFETY: by the caller's promise.
        let numbers: Few<f64> = numbers.iter().map(|view| unsafe { real(view) }).collect();
        self.factors(&numbers)
    }

    /// One range of one variable.
    ///
    /// # Safety
    /// The views of the group are valid and dense, and nobody else uses this range of them.
    unsafe fn update(&self, call: &CpuCall<'_>, group: &[View], range: Range<usize>, factors: &[f64]) -> Result<()> {
        let dtype = group[0].dtype;
        if let Some(own) = self.rule.own_loop() {
            // SAFETY: by the caller's promise.
            if unsafe { own.run(group, range.clone(), factors, call.isa) } {
                return Ok(());
            }
        }
        // As wide as they are computed with; the views point here.
        let mut single: Few<f32> = factors.iter().map(|&f| f as f32).collect();
        let mut double: Few<f64> = Few::from_slice(factors);
        let mut inputs: SmallVec<[View; 8]> = SmallVec::from_slice(group);
        for i in 0..factors.len() {
            let place: *mut u8 = match dtype {
                DType::F64 => (&raw mut double[i]).cast(),
                _ => (&raw mut single[i]).cast(),
            };
            inputs.push(View::new(place, dtype.compute(), &[], &[]));
        }
        // SAFETY: by the caller's promise; the factors outlive the run.
        if unsafe { self.by_machine(group, range.clone(), &inputs[group.len()..], call.isa) } {
            return Ok(());
        }
        let program = self.program(dtype);
        let tiled = Tiled::new(&program, &inputs, &group[..self.resources()], call.isa)?;
        // SAFETY: by the caller's promise; the factors outlive the run.
        match unsafe { tiled.run(range) } {
            None => Ok(()),
            Some(step) => Err(fault_error(self.name(), step)),
        }
    }
}

/// A real scalar.
///
/// # Safety
/// The view is valid.
unsafe fn real(view: &View) -> f64 {
    // SAFETY: by the caller's promise.
    unsafe {
        match view.dtype {
            DType::F64 => *view.as_ptr::<f64>(),
            DType::F32 => f64::from(*view.as_ptr::<f32>()),
            _ => view.integers()[0] as f64,
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
/// What the numbers of a step may be.
const NUMBERS: DTypes = DTypes::of(&[DType::F32, DType::F64, DType::I32, DType::I64]);

impl Op for Apply {
    fn name(&self) -> &'static str {
        self.rule.label()
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        self.rule.attributes(&mut |name, value| visit(name, Attr::Float(value)));
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
        let numbers = self.rule.numbers();
        for i in 0..numbers {
            check_scalar(
                cx,
                i,
                if i == 0 { RATES } else { NUMBERS },
                if i == 0 { "the learning rate" } else { "a number of the step" },
            )?;
        }
        for first in (numbers..cx.len()).step_by(self.group()) {
            let (ty, _) = cx.resource(first)?;
            if !DTypes::FLOATING.has(ty.dtype) {
                return Err(Error::invalid_argument(cx.op(), "only floating-point variables can be trained").got(ty));
            }
            let slots = first + self.resources();
            for slot in first + 1..slots {
                let (other, _) = cx.resource(slot)?;
                if other != ty {
                    return Err(Error::invalid_argument(cx.op(), "a slot has not its variable's type")
                        .got(other)
                        .expected(ty));
                }
            }
            for (i, kind) in self.rule.given().iter().enumerate() {
                let given = cx.input(slots + i);
                let fits = match kind {
                    Given::Whole => given.shape == ty.shape || !(given.shape.is_known() && ty.shape.is_known()),
                    Given::One => given.shape.rank() == 0,
                };
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
        let groups = call.inputs[self.rule.numbers()..].chunks_exact(self.group());
        let total: usize = groups.map(|group| group[0].len()).sum();
        Work::chunks(total.div_ceil(CHUNK))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let (numbers, groups) = call.inputs.split_at(self.rule.numbers());
        // SAFETY: scalars of the inferred types.
        let factors = unsafe { self.factors_on_host(numbers) };
        // Chunks are parts of all variables laid one after the other.
        let (mut at, part) = (0, chunk * CHUNK..(chunk + 1) * CHUNK);
        for group in groups.chunks_exact(self.group()) {
            let len = group[0].len();
            let range = part.start.clamp(at, at + len) - at..part.end.clamp(at, at + len) - at;
            at += len;
            if !range.is_empty() {
                // SAFETY: dense values of one type that only this call sees; chunks are disjoint.
                unsafe { self.update(call, group, range, &factors)? };
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (numbers, groups) = call.inputs.split_at(self.rule.numbers());
        let owner = Owner { name: self.name(), attributes: fingerprint(self) };
        let dtypes: Few<DType> = numbers.iter().map(|view| view.dtype).collect();
        let program = self.factors_program(&dtypes);
        let mut factors: Few<(u64, DType)> = numbers.iter().map(|view| (view.ptr.addr() as u64, view.dtype)).collect();
        let mut made = None;
        if !only_converts(&program) {
            // The host does not know the step's number: reading it would wait for the device.
            let count = program.outputs.len();
            let scratch = call.scratch(count * size_of::<f64>())?;
            let place = |i: usize| scratch.address() + (i * size_of::<f64>()) as u64;
            let outputs: Few<View> =
                (0..count).map(|i| View::new(place(i) as usize as *mut u8, DType::F64, &[], &[])).collect();
            // SAFETY: scalars of the inferred types, and room for as many as there are results.
            unsafe { cuda::run_program(call, owner, &program, numbers, &[], &outputs)? };
            factors = (0..count).map(|i| (place(i), DType::F64)).collect();
            made = Some(scratch);
        }
        let mut ones: SmallVec<[bool; 8]> = SmallVec::from_elem(false, self.resources());
        ones.extend(self.rule.given().iter().map(|&kind| kind == Given::One));
        let groups: SmallVec<[&[View]; TOGETHER]> = groups.chunks_exact(self.group()).collect();
        for dtype in DTypes::FLOATING.iter() {
            let alike: SmallVec<[&[View]; TOGETHER]> =
                groups.iter().copied().filter(|group| group[0].dtype == dtype).collect();
            if !alike.is_empty() {
                // SAFETY: dense values of one type that only this call sees.
                unsafe { cuda::run_many(call, owner, &self.program(dtype), &alike, &ones, &factors)? };
            }
        }
        // The memory is given out again behind the kernels that read it.
        drop(made);
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("no gradient flows through an assignment")
    }
}

/// Whether a program gives its inputs as they are, but for their dtypes.
fn only_converts(program: &Program) -> bool {
    let same = |(i, step): (usize, &kernels::scalar::Step)| {
        step.code == Code::Cast && step.args[0] == Slot::Input(i as u16) && step.to == Slot::Output(i as u16)
    };
    program.inputs.len() == program.outputs.len()
        && program.steps.len() == program.outputs.len()
        && program.steps.iter().enumerate().all(same)
}

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
