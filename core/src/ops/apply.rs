//! Optimizer steps in one pass over memory: a rule's formula as one scalar program that writes variables and slots in
//! place. Keras's formulas for SGD, momentum and Adam; the optimizers call the `apply_*` functions with all variables.

use crate::backend::cpu::moments::{self, Moments, Values};
use crate::backend::cpu::tile::{Tiled, fault_error};
use crate::backend::cpu::{CpuCall, Isa, View, Work, numbered_rows};
use crate::backend::cuda::{self, CudaCall, Kernel, Names, Owner, Rows};
use crate::dtype::{DType, DTypes};
use crate::error::{Error, Result};
use crate::execute::execute;
use crate::op::{Access, Attr, Gradient, Infer, Kind, Op, OpRef, fingerprint, identity};
use crate::scalar::{Program, Scalar, Val};
use crate::tape::{Differentiable, IndexedRows};
use crate::tensor::Tensor;
use crate::variable::Variable;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::slice;
use std::sync::Arc;

/// How a step changes a variable and its slots.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Rule {
    /// `w -= rate * g`
    GradientDescent,
    /// `v = momentum * v - rate * g; w += v`, or `w += momentum * v - rate * g` with Nesterov's look ahead.
    Momentum { momentum: f64, nesterov: bool },
    /// `m += (1 - b1)(g - m); v += (1 - b2)(g² - v); w -= a m / (sqrt(v) + epsilon)`, where a is the rate times
    /// `sqrt(1 - b2^t) / (1 - b1^t)`.
    ///
    /// With `squares` the numbers for g² are given apart, after the gradient.
    Adam { beta_1: f64, beta_2: f64, epsilon: f64, squares: bool },
}

impl Rule {
    fn label(self) -> &'static str {
        match self {
            Self::GradientDescent => "apply_gradient_descent",
            Self::Momentum { .. } => "apply_momentum",
            Self::Adam { .. } => "apply_adam",
        }
    }

    /// Variables per step: the trained one and its slots.
    fn resources(self) -> usize {
        match self {
            Self::GradientDescent => 1,
            Self::Momentum { .. } => 2,
            Self::Adam { .. } => 3,
        }
    }

    /// Tensors per step: the gradient, and what else the rule is given.
    fn given(self) -> usize {
        match self {
            Self::Adam { squares: true, .. } => 2,
            _ => 1,
        }
    }

    /// What the values become. `x` holds the variable, its slots, what is given and the rate, in the type of computation.
    fn formula(self, s: &Scalar, x: &[Val]) -> SmallVec<[Val; 3]> {
        let (w, gradient, rate) = (x[0], x[self.resources()], x[x.len() - 1]);
        let step = |g: Val| s.mul(rate, g);
        match self {
            Self::GradientDescent => [s.sub(w, step(gradient))].into_iter().collect(),
            Self::Momentum { momentum, nesterov } => {
                let factor = s.number(w, momentum);
                let move_by = |v: Val| s.sub(s.mul(factor, v), step(gradient));
                let v = move_by(x[1]);
                [s.add(w, if nesterov { move_by(v) } else { v }), v].into_iter().collect()
            }
            Self::Adam { beta_1, beta_2, epsilon, squares } => {
                let follow =
                    |old: Val, new: Val, beta: f64| s.add(old, s.mul(s.sub(new, old), s.number(w, 1.0 - beta)));
                let m = follow(x[1], gradient, beta_1);
                let square = if squares { x[4] } else { s.mul(gradient, gradient) };
                let v = follow(x[2], square, beta_2);
                let change = s.div(s.mul(m, rate), s.add(s.sqrt(v), s.number(w, epsilon)));
                [s.sub(w, change), m, v].into_iter().collect()
            }
        }
    }

    /// One range of a variable in one loop, where there is one for the rule: the formula is the same, and so are the bits.
    /// Answers whether it ran.
    ///
    /// # Safety
    /// The views are those of one variable, valid, and nobody else uses this range of them.
    unsafe fn in_registers(self, group: &[View], range: Range<usize>, rate: f64, isa: Isa) -> bool {
        let Self::Adam { beta_1, beta_2, epsilon, squares: false } = self else { return false };
        let [value, average, square, gradient] = group else { return false };
        let dense = |view: &View| view.dtype == DType::F32 && view.is_dense();
        // A gradient that is the variable's own memory, or one of its slots', is left to a loop that allows it.
        let apart = |view: &View| view.ptr.addr().abs_diff(gradient.ptr.addr()) >= view.len() * 4;
        if !group.iter().all(dense) || ![value, average, square].into_iter().all(apart) {
            return false;
        }
        let with = Moments {
            first: (1.0 - beta_1) as f32,
            second: (1.0 - beta_2) as f32,
            rate: rate as f32,
            epsilon: epsilon as f32,
        };
        // SAFETY: dense f32 values by the test above, of one shape by the type rule; the variable and its slots are different
        // resources, each of which has its memory to itself while it is changed, and the gradient lies elsewhere.
        unsafe {
            let changed = |view: &View| slice::from_raw_parts_mut(view.ptr.cast::<f32>().add(range.start), range.len());
            let gradient = slice::from_raw_parts(gradient.ptr.cast::<f32>().add(range.start), range.len());
            let values = Values { value: changed(value), average: changed(average), square: changed(square), gradient };
            moments::step(isa, values, with);
        }
        true
    }

    /// The rate of step number `step`, counted from 1.
    fn rate(self, rate: f64, step: i64) -> f64 {
        match self {
            Self::Adam { beta_1, beta_2, .. } => {
                let power = |beta: f64| beta.powf(step as f64);
                rate * (1.0 - power(beta_2)).sqrt() / (1.0 - power(beta_1))
            }
            _ => rate,
        }
    }
}

/// Inputs: learning rate and step number, both scalars; then per variable its handle, those of its slots, the gradient,
/// and for some rules another tensor.
#[derive(Clone)]
struct Apply {
    rule: Rule,
}

/// Inputs: a variable's handle, the learning rate, row numbers, and rows of the gradient.
#[derive(Clone)]
struct ApplyRows;

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
        let s = Scalar::new();
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
        static RATE: Kernel = Kernel { name: "effective_rate", text: include_str!("apply.cuh") };
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

impl Op for ApplyRows {
    identity!("apply_gradient_descent_rows");

    fn kind(&self) -> Kind {
        Kind::Effect
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        let (ty, _) = cx.resource(0)?;
        check_scalar(cx, 1, RATES, "the learning rate")?;
        cx.check_dtype(2, STEPS)?;
        let (indices, rows) = (cx.shape(2), cx.input(3));
        let fits = indices.rank() == 1
            && rows.shape.rank() == ty.shape.rank()
            && ty.shape.rank() > 0
            && rows.shape.dim(0).can_equal(indices.dim(0))
            && rows.shape.iter().zip(ty.shape.iter()).skip(1).all(|(a, b)| a.can_equal(b));
        if rows.dtype != ty.dtype || !DTypes::FLOATING.has(ty.dtype) || !fits {
            return Err(Error::invalid_argument(cx.op(), "the rows do not fit the variable")
                .got(format!("{indices} row numbers, rows of {rows}"))
                .expected(format!("as many rows as numbers, like those of {ty}")));
        }
        Ok(())
    }

    fn access(&self, _: usize) -> Access {
        Access::Update
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        Work { phases: [1, 0, 0, 0], ..numbered_rows::work(call.inputs[2].len(), 0, 1) }
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        let (value, given) = (&call.inputs[0], &call.inputs[3]);
        let count = call.inputs[2].len();
        // SAFETY: views of the inferred types, dense; only this call sees the variable's value.
        unsafe {
            // All row numbers are checked before the first row changes.
            numbered_rows::check(self.name(), &call.inputs[2], count, 1, value.dims(), call.scratch)?;
            let apply = Apply { rule: Rule::GradientDescent };
            let step = 0i64;
            let header = [call.inputs[1], View::new((&raw const step).cast_mut().cast(), DType::I64, &[], &[])];
            let inner = CpuCall { inputs: &header, outputs: &[], scratch: std::ptr::null_mut(), isa: call.isa };
            let len = value.dims()[1..].iter().product::<usize>();
            let bytes = len * value.dtype.size();
            for (i, &row) in numbered_rows::numbers(call.scratch, count).iter().enumerate() {
                let part = |view: &View, row: usize| View::dense(view.ptr.add(row * bytes), view.dtype, &[len]);
                apply.update(&inner, &[part(value, row), part(given, i)], 0..len)?;
            }
        }
        Ok(())
    }

    /// For 16-bit floats the products with the rate are rounded before they are taken off.
    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        static SCALE: Kernel = Kernel { name: "scaled", text: include_str!("apply_rows.cuh") };
        let [value, rate, indices, given] = [0, 1, 2, 3].map(|i| &call.inputs[i]);
        let scratch = call.scratch(given.len() * given.dtype.size())?;
        let scaled = View::dense(scratch.address() as usize as *mut u8, given.dtype, given.dims());
        // SAFETY: views of the inferred types, dense, and scratch of the gradient's size; only this call sees the value.
        unsafe {
            call.elements(&SCALE, &[rate.dtype, given.dtype], given.len(), |to| to.views(&[rate, given, &scaled]))?;
            let rows = Rows {
                write: numbered_rows::Write::Sub,
                to: value,
                rows: value.dims()[0],
                row: value.dims()[1..].iter().product(),
                updates: &scaled,
                count: indices.len(),
                all_or_nothing: true,
            };
            cuda::scatter(call, &Names::Tuples { indices, sizes: &value.dims()[..1] }, &rows)
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("no gradient flows through an assignment")
    }
}

/// One step of a rule for many variables; `slots` holds one list of variables per slot of the rule.
#[track_caller]
fn apply(
    rule: Rule,
    rate: &Tensor,
    step: &Tensor,
    variables: &[Variable],
    slots: &[&[Variable]],
    given: &[&[Tensor]],
) -> Result<()> {
    let count = variables.len();
    if given.iter().any(|g| g.len() != count) || slots.iter().any(|s| s.len() != count) {
        return Err(Error::invalid_argument(rule.label(), "the lists have different lengths")
            .got(format!("{count} variables, {} gradients", given.first().map_or(0, |g| g.len())))
            .expected("a gradient and every slot for each variable"));
    }
    for first in (0..count).step_by(TOGETHER) {
        let mut inputs: SmallVec<[&Tensor; 32]> = SmallVec::from_slice(&[rate, step]);
        for i in first..(first + TOGETHER).min(count) {
            inputs.push(variables[i].handle());
            inputs.extend(slots.iter().map(|slot| slot[i].handle()));
            inputs.extend(given.iter().map(|given| &given[i]));
        }
        execute(&Apply { rule }, &inputs)?;
    }
    Ok(())
}

/// `w -= rate * g` for each variable.
///
/// `rate` is a floating-point scalar. Gradients have their variables' types; all lists have one length. Either all of
/// up to 16 variables change or, on an error, none.
#[track_caller]
pub(crate) fn apply_gradient_descent(variables: &[Variable], gradients: &[Tensor], rate: &Tensor) -> Result<()> {
    apply(Rule::GradientDescent, rate, &Tensor::from(0i64), variables, &[], &[gradients])
}

/// `w[row] -= rate * g[row]` for the rows of a sparse gradient; rows that are named twice change twice.
#[track_caller]
pub(crate) fn apply_gradient_descent_rows(variable: &Variable, rows: &IndexedRows, rate: &Tensor) -> Result<()> {
    execute(&ApplyRows, &[variable.handle(), rate, &rows.indices, &rows.values]).map(drop)
}

/// `v = momentum * v - rate * g; w += v` for each variable and its velocity, or with Nesterov's look ahead
/// `w += momentum * v - rate * g`: Keras's SGD.
#[track_caller]
pub(crate) fn apply_momentum(
    variables: &[Variable],
    velocities: &[Variable],
    gradients: &[Tensor],
    rate: &Tensor,
    momentum: f64,
    nesterov: bool,
) -> Result<()> {
    let rule = Rule::Momentum { momentum, nesterov };
    apply(rule, rate, &Tensor::from(0i64), variables, &[velocities], &[gradients])
}

/// The parameters of Adam that do not change from step to step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct AdamParameters {
    pub beta_1: f64,
    pub beta_2: f64,
    pub epsilon: f64,
}

/// One step of Keras's Adam for each variable and its two moments; `step` is an integer scalar, 1 at the first step.
///
/// `given` holds the list of gradients, and perhaps that of their squares, where those are not the gradients' own.
#[track_caller]
pub(crate) fn apply_adam(
    variables: &[Variable],
    firsts: &[Variable],
    seconds: &[Variable],
    given: &[&[Tensor]],
    rate: &Tensor,
    step: &Tensor,
    parameters: AdamParameters,
) -> Result<()> {
    let AdamParameters { beta_1, beta_2, epsilon } = parameters;
    let rule = Rule::Adam { beta_1, beta_2, epsilon, squares: given.len() > 1 };
    apply(rule, rate, step, variables, &[firsts, seconds], given)
}

#[cfg(test)]
#[path = "apply_tests.rs"]
mod tests;
