//! The step of a sparse gradient: rows of a variable, which may be named more than once, each less the rate times its gradient.
//! `apply_gradient_descent_rows` runs it; optimizers with slots make such gradients dense.

use super::steps::gradient_descent;
use super::{Apply, RATES, STEPS, check_scalar};
use crate::op::{Access, Gradient, Infer, Kind, Op, identity};
use kernels::backend::cpu::{CpuCall, View, Work, indexed_rows, part};
use kernels::backend::cuda::{self, CudaCall, Kernel, Names, Rows};
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};

/// Inputs: a variable's handle, the learning rate, row numbers, and rows of the gradient.
#[derive(Clone)]
pub(super) struct ApplyRows;

/// Bytes of a row from which on a look at each number is little beside the row.
const LONG: usize = 64;

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
        let (value, indices, given) = (&call.inputs[0], &call.inputs[2], &call.inputs[3]);
        // Chunks look at all numbers, so that many are worth it for long rows only.
        let shared = row_of(value) * value.dtype.size() >= LONG;
        let moved = if shared { 2 * given.len() * given.dtype.size() } else { 0 };
        indexed_rows::work(indices.len(), moved, value.dims()[0])
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let (value, given) = (&call.inputs[0], &call.inputs[3]);
        let count = call.inputs[2].len();
        // SAFETY: views of the inferred types, dense; only this call sees the variable's value, whose rows chunks share.
        unsafe {
            if phase == 0 {
                // All row numbers are checked before the first row changes.
                return indexed_rows::check(self.name(), &call.inputs[2], count, 1, value.dims(), chunk, call.scratch);
            }
            let apply = Apply { rule: gradient_descent().clone() };
            let factors = apply.factors_on_host(&call.inputs[1..2]);
            let own = part(value.dims()[0], chunk, self.work(call).phases[1], 1);
            let len = row_of(value);
            let bytes = len * value.dtype.size();
            let rows = indexed_rows::numbers(call.scratch, count).iter().enumerate();
            for (i, &row) in rows.filter(|(_, row)| own.contains(row)) {
                let part = |view: &View, row: usize| View::dense(view.ptr.add(row * bytes), view.dtype, &[len]);
                apply.update(call, &[part(value, row), part(given, i)], 0..len, &factors)?;
            }
        }
        Ok(())
    }

    /// For 16-bit floats the products with the rate are rounded before they are taken off.
    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        static SCALE: Kernel = Kernel { name: "scaled", text: &[include_str!("rows.cuh")] };
        let [value, rate, indices, given] = [0, 1, 2, 3].map(|i| &call.inputs[i]);
        let scratch = call.scratch(given.len() * given.dtype.size())?;
        let scaled = View::dense(scratch.address() as usize as *mut u8, given.dtype, given.dims());
        // SAFETY: views of the inferred types, dense, and scratch of the gradient's size; only this call sees the value.
        unsafe {
            call.elements(&SCALE, &[rate.dtype, given.dtype], given.len(), |to| to.views(&[rate, given, &scaled]))?;
            let rows = Rows {
                write: indexed_rows::Write::Sub,
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

/// Elements of a variable's row.
fn row_of(value: &View) -> usize {
    value.dims()[1..].iter().product()
}
