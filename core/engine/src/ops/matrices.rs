//! What operations on matrices share: one implementation of `Op` over everything that takes matrices apart, batch by batch, with complex
//! numbers by their parts. Each file about such an operation implements [`OnMatrices`].

mod formulas;
#[cfg(test)]
mod large_tests;

pub(crate) use formulas::*;

use super::reshape_to;
use crate::execute::execute;
use crate::meaning::{joined, parts};
use crate::op::{Attr, Gradient, Infer, Kind, Mask, Op, OpRef, Saves};
use crate::tape::Backward;
use crate::tensor::Tensor;
use kernels::backend::cpu::{CpuCall, View, Work, thread_pool};
use kernels::backend::cuda::CudaCall;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::shape::{Constraints, Dim, Shape};
use linalg::{Field, Matrix, Refused};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// The numbers of a result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Those of the operands.
    Same,
    /// Real ones.
    Real,
    /// Complex ones.
    Complex,
    /// Integers.
    Index(DType),
}

/// The last sizes of a result, behind those of the batch.
pub(crate) type Tail = SmallVec<[Dim; 2]>;

/// An operation on each matrix of a batch.
pub(crate) trait OnMatrices: Clone + Send + Sync + 'static {
    const NAME: &'static str;

    /// The gradient; a rule unless said otherwise.
    const GRADIENT: Gradient = Gradient::Rule;

    /// The attributes.
    fn visit(&self, _visit: &mut dyn FnMut(&'static str, Attr<'_>)) {}

    /// The numbers of each result.
    fn numbers(&self) -> SmallVec<[Numbers; 3]> {
        smallvec![Numbers::Same]
    }

    /// Checks the last two sizes of the operands and answers the last sizes of each result.
    fn tails(&self, operands: &[[Dim; 2]], sizes: &mut Sizes<'_>) -> Result<SmallVec<[Tail; 3]>>;

    /// The work on one matrix of each operand; results of one size are columns, numbers are 1 × 1 matrices.
    ///
    /// # Safety
    /// All matrices are valid and the results nobody else's.
    unsafe fn one(&self, field: Field, x: &[Matrix], y: &[Matrix]) -> std::result::Result<(), Refused>;

    /// What is said where a matrix is singular, or its algorithm does not converge.
    fn refusal(&self) -> &'static str {
        "the matrix is not invertible"
    }

    /// The operands and results that the rule reads.
    fn saves(&self) -> (&'static [usize], &'static [usize]) {
        (&[], &[])
    }

    /// The rule.
    fn backward(&self, _rule: &mut Rule<'_, '_>) -> Result<()> {
        Err(Error::unimplemented(Self::NAME, "no gradient rule"))
    }
}

/// Parts of one large matrix on the thread pool; on this thread where the matrices of a batch are shared out already.
pub(crate) fn together(parts: usize, task: &(dyn Fn(usize) + Sync)) {
    // Parts are few and long: nobody should wait for the first one.
    thread_pool::wake();
    thread_pool::run(&[parts], &|_, part| task(part));
}

/// The checks that rules about sizes share.
pub(crate) struct Sizes<'a> {
    op: &'static str,
    constraints: &'a mut Constraints,
}

impl Sizes<'_> {
    /// An error unless the matrix is square, or may be.
    pub fn square(&mut self, m: [Dim; 2]) -> Result<Dim> {
        self.same(m[0], m[1], "the matrices must be square", "as many rows as columns")?;
        Ok(m[0])
    }

    /// An error unless two sizes are equal, or may be.
    pub fn same(&mut self, a: Dim, b: Dim, what: &str, expected: &str) -> Result<()> {
        match (a.known_value(), b.known_value()) {
            (Some(x), Some(y)) if x != y => {
                Err(Error::invalid_argument(self.op, what).got(format!("{x} and {y}")).expected(expected))
            }
            _ => {
                if a != b {
                    self.constraints.push(a, b);
                }
                Ok(())
            }
        }
    }
}

/// An operation on matrices of real numbers, or of complex ones, whose parts are then operands and results of their own.
#[derive(Clone)]
pub(crate) struct Matrices<F> {
    of: F,
    complex: bool,
}

impl<F: OnMatrices> Matrices<F> {
    /// Where the parts of result `index` begin among all results, and how many there are.
    fn place(&self, index: usize) -> (usize, usize) {
        let count = |n: &Numbers| match n {
            Numbers::Complex => 2,
            Numbers::Same if self.complex => 2,
            _ => 1,
        };
        let numbers = self.of.numbers();
        (numbers[..index].iter().map(count).sum(), count(&numbers[index]))
    }

    fn width(&self) -> usize {
        if self.complex { 2 } else { 1 }
    }

    /// Matrices that one chunk takes, so that a chunk is worth handing to a thread.
    fn per_chunk(call: &CpuCall<'_>) -> usize {
        let view = &call.inputs[0];
        let (rows, cols) = (view.dims()[view.rank() - 2], view.dims()[view.rank() - 1]);
        let steps = rows.max(1) * cols.max(1) * rows.min(cols).max(4);
        (16 * 1024 / steps.max(1)).max(1)
    }

    fn batch(view: &View) -> usize {
        view.dims()[..view.rank() - 2].iter().product()
    }
}

/// The matrix number `index` of a batch, `tail` sizes of which are the matrix's own; imaginary parts may lie elsewhere.
fn matrix(parts: &[View], index: usize, tail: usize) -> Matrix {
    let mut pointers = [std::ptr::null_mut(); 2];
    let (mut row_stride, mut col_stride) = ([0; 2], [0; 2]);
    for (p, view) in parts.iter().enumerate() {
        let outer = view.rank() - tail;
        let (mut rest, mut offset) = (index, 0);
        for axis in (0..outer).rev() {
            let size = view.dims()[axis].max(1);
            offset += (rest % size) as isize * view.strides()[axis];
            rest /= size;
        }
        pointers[p] = view.ptr.wrapping_offset(offset * view.dtype.size() as isize);
        if tail > 0 {
            row_stride[p] = view.strides()[outer];
        }
        if tail > 1 {
            col_stride[p] = view.strides()[outer + 1];
        }
    }
    let size = |at: usize| if at < tail { parts[0].dims()[parts[0].rank() - tail + at] } else { 1 };
    Matrix { re: pointers[0], im: pointers[1], rows: size(0), cols: size(1), row_stride, col_stride }
}

impl<F: OnMatrices> Op for Matrices<F> {
    fn name(&self) -> &'static str {
        F::NAME
    }

    fn keep(&self) -> OpRef {
        OpRef::Shared(Arc::new(self.clone()))
    }

    fn as_dyn(&self) -> &dyn Op {
        self
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        self.of.visit(visit);
        visit("complex", Attr::Bool(self.complex));
    }

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        cx.check_dtype(0, DTypes::of(&[DType::F32, DType::F64]))?;
        let rank = cx.shape(0).rank();
        let mut operands: SmallVec<[[Dim; 2]; 2]> = SmallVec::new();
        for i in 0..cx.len() {
            let shape = cx.shape(i);
            if shape.rank() < 2 {
                return Err(Error::invalid_argument(F::NAME, "the operands must be matrices or batches of them")
                    .got(shape)
                    .expected("at least two dimensions"));
            }
            if shape.rank() != rank {
                return Err(Error::invalid_argument(F::NAME, "the operands must have as many dimensions each")
                    .got(format!("{} and {shape}", cx.shape(0)))
                    .help("`broadcast_to` repeats matrices along a batch"));
            }
            if i % self.width() == 0 {
                operands.push([shape.dim(rank - 2), shape.dim(rank - 1)]);
            }
        }
        let first = *cx.shape(0);
        for i in 1..cx.len() {
            let shape = *cx.shape(i);
            let mut sizes = Sizes { op: F::NAME, constraints: &mut cx.constraints };
            for axis in 0..rank - 2 {
                sizes.same(first.dim(axis), shape.dim(axis), "the batches differ", "batches of one shape")?;
            }
        }
        let tails = self.of.tails(&operands, &mut Sizes { op: F::NAME, constraints: &mut cx.constraints })?;
        let batch = &first.sizes()[..rank - 2];
        let dtype = cx.dtype(0);
        for (i, (numbers, tail)) in self.of.numbers().iter().zip(&tails).enumerate() {
            let mut dims: SmallVec<[Dim; 8]> = batch.into();
            dims.extend_from_slice(tail);
            let shape = Shape::from_dims(&dims)?;
            for _ in 0..self.place(i).1 {
                cx.output(if let Numbers::Index(dtype) = numbers { *dtype } else { dtype }, shape);
            }
        }
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        Work::chunks(Self::batch(&call.inputs[0]).div_ceil(Self::per_chunk(call)))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let per = Self::per_chunk(call);
        let batch = Self::batch(&call.inputs[0]);
        let field = match (call.inputs[0].dtype, self.complex) {
            (DType::F32, false) => Field::F32,
            (DType::F32, true) => Field::C32,
            (_, false) => Field::F64,
            (_, true) => Field::C64,
        };
        let outer = call.inputs[0].rank() - 2;
        let count = self.of.numbers().len();
        for index in chunk * per..((chunk + 1) * per).min(batch) {
            let x: SmallVec<[Matrix; 2]> = call.inputs.chunks(self.width()).map(|p| matrix(p, index, 2)).collect();
            let y: SmallVec<[Matrix; 3]> = (0..count)
                .map(|i| {
                    let (first, parts) = self.place(i);
                    let views = &call.outputs[first..first + parts];
                    matrix(views, index, views[0].rank() - outer)
                })
                .collect();
            // SAFETY: the views are valid, and no other chunk has these matrices of the results.
            unsafe { self.of.one(field, &x, &y) }.map_err(|why| match why {
                Refused::NoMemory => Error::resource_exhausted(F::NAME, "no memory for the factorization"),
                _ => Error::invalid_argument(F::NAME, self.of.refusal()),
            })?;
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        Err(Error::unimplemented(F::NAME, "linear algebra runs on the CPU alone")
            .got(call.gpu.id.device())
            .help("bring the operands there: `x.cpu()`"))
    }

    fn gradient(&self) -> Gradient {
        F::GRADIENT
    }

    fn saves(&self, _: &[bool]) -> Saves {
        let (inputs, outputs) = self.of.saves();
        let mut saves = Saves::NOTHING;
        for &i in inputs {
            (0..self.width()).for_each(|part| saves.inputs = Mask(saves.inputs.0 | 1 << (i * self.width() + part)));
        }
        for &i in outputs {
            let (first, parts) = self.place(i);
            (first..first + parts).for_each(|at| saves.outputs = Mask(saves.outputs.0 | 1 << at));
        }
        saves
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let places = (0..self.of.numbers().len()).map(|i| self.place(i)).collect();
        self.of.backward(&mut Rule { g, width: self.width(), places })
    }
}

/// A gradient rule's view of operands, results and cotangents as real or complex tensors.
pub(crate) struct Rule<'a, 'b> {
    g: &'a mut Backward<'b>,
    width: usize,
    places: SmallVec<[(usize, usize); 3]>,
}

impl Rule<'_, '_> {
    /// Operand `index`, which is saved.
    pub fn x(&self, index: usize) -> Result<Tensor> {
        match self.width {
            1 => self.g.input(index).cloned(),
            _ => joined(self.g.input(2 * index)?, self.g.input(2 * index + 1)?),
        }
    }

    /// Result `index`, which is saved.
    pub fn y(&self, index: usize) -> Result<Tensor> {
        match self.places[index] {
            (first, 1) => self.g.output(first).cloned(),
            (first, _) => joined(self.g.output(first)?, self.g.output(first + 1)?),
        }
    }

    /// The cotangent of result `index`.
    pub fn dy(&self, index: usize) -> Result<Tensor> {
        match self.places[index] {
            (first, 1) => self.g.dy(first),
            (first, _) => joined(&self.g.dy(first)?, &self.g.dy(first + 1)?),
        }
    }

    /// The shape of operand `index`.
    pub fn shape(&self, index: usize) -> Shape {
        self.g.input_type(index * self.width).shape
    }

    /// Whether operands are complex.
    pub fn is_complex(&self) -> bool {
        self.width == 2
    }

    pub fn needs(&self, index: usize) -> bool {
        (0..self.width).any(|part| self.g.needs(index * self.width + part))
    }

    /// Answers the cotangent of operand `index`, of which real operands take the real part.
    pub fn give(&mut self, index: usize, dx: Tensor) -> Result<()> {
        let first = index * self.width;
        // With sizes that are not known, what the formula gives has names of its own for them.
        let dx = reshape_to(&dx, &self.g.input_type(first).shape)?;
        let (re, im) = match dx.dtype().is_complex() {
            true => parts(&dx)?,
            false if self.width == 2 => {
                let zero = super::zeros_of(dx.ty())?;
                (dx, zero)
            }
            false => (dx.clone(), dx),
        };
        if self.g.needs(first) {
            self.g.give(first, re);
        }
        if self.width == 2 && self.g.needs(first + 1) {
            self.g.give(first + 1, im);
        }
        Ok(())
    }
}

/// An error unless the numbers are those that operations on matrices take.
pub(crate) fn check_dtype(op: &str, x: &Tensor) -> Result<()> {
    match x.dtype() {
        DType::F32 | DType::F64 | DType::C64 | DType::C128 => Ok(()),
        dtype => Err(Error::invalid_argument(op, "the matrices have a dtype this operation does not take")
            .got(dtype)
            .expected("float32, float64, complex64 or complex128")
            .help("convert it with `cast`")),
    }
}

/// Runs an operation on matrices of real or complex numbers.
#[track_caller]
pub(crate) fn run<F: OnMatrices>(of: F, operands: &[&Tensor]) -> Result<SmallVec<[Tensor; 3]>> {
    let dtype = operands[0].dtype();
    for x in operands {
        check_dtype(F::NAME, x)?;
        if x.dtype() != dtype {
            return Err(Error::invalid_argument(F::NAME, "the operands have different dtypes")
                .got(format!("{dtype} and {}", x.dtype()))
                .expected("one dtype for all")
                .help(crate::op::cast_help(dtype, x.dtype())));
        }
    }
    let op = Matrices { of, complex: dtype.is_complex() };
    let mut held: SmallVec<[Tensor; 4]> = SmallVec::new();
    for x in operands {
        match op.complex {
            true => held.extend(<[Tensor; 2]>::from(parts(x)?)),
            false => held.push((*x).clone()),
        }
    }
    let mut inputs: SmallVec<[&Tensor; 4]> = SmallVec::new();
    held.iter().for_each(|x| inputs.push(x));
    let made = execute(&op, &inputs)?;
    let mut results = SmallVec::new();
    for i in 0..op.of.numbers().len() {
        results.push(match op.place(i) {
            (first, 1) => made[first].clone(),
            (first, _) => joined(&made[first], &made[first + 1])?,
        });
    }
    Ok(results)
}

/// The only result of an operation on matrices.
#[track_caller]
pub(crate) fn run1<F: OnMatrices>(of: F, operands: &[&Tensor]) -> Result<Tensor> {
    Ok(run(of, operands)?.swap_remove(0))
}

/// An error unless a tensor holds matrices; the number of the axis of their rows.
pub(crate) fn rows_axis(op: &str, x: &Tensor) -> Result<usize> {
    x.rank().checked_sub(2).ok_or_else(|| {
        Error::invalid_argument(op, "the operands must be matrices or batches of them")
            .got(x.ty())
            .expected("at least two dimensions")
    })
}
