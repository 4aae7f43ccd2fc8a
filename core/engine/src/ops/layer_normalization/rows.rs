//! The operations behind the normalisations of layers: rows of the last dimension, with scale and offset on the way, and the gradient.
//! `mod.rs` runs them; the second derivative is `second_order.rs`'s.

use super::NAME;
use super::device_columns;
use super::second_order::{Sides, cotangents};
use crate::execute::execute;
use crate::op::{Gradient, Infer, Kind, Op, Saves, identity};
use crate::ops::normalise::{chunk, part, part_mut, rows_of, work};
use crate::ops::reshape_to;
use crate::tape::Backward;
use crate::tensor::Tensor;
use kernels::backend::cpu::norm_rows::{self, Root, Rows, Sums};
use kernels::backend::cpu::widen::Staged;
use kernels::backend::cpu::{CpuCall, Work, part as share};
use kernels::backend::cuda::{Arguments, CudaCall, RowKernel, row_kernel};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::shape::{AxisSet, Shape};
use smallvec::SmallVec;

/// What is normalised, and which operands come behind it.
#[derive(Clone, Copy)]
pub(super) struct Form {
    pub epsilon: f64,
    pub centred: bool,
    pub scaled: bool,
    pub shifted: bool,
}

/// Inputs: rows `[.., n]`, a scale `[n]`, an offset `[n]`. Outputs: rows, and for the gradient each row's mean and one over its root.
#[derive(Clone)]
pub(super) struct NormalizeRows {
    pub form: Form,
}

/// Inputs: rows, means, roots, the cotangent of the results, a scale. Outputs: the cotangents of rows, scale and offset.
#[derive(Clone)]
struct NormalizeRowsGradient {
    form: Form,
}

macro_rules! norm_identity {
    ($name:literal) => {
        identity!($name, {
            "epsilon": Float = |this| this.form.epsilon,
            "centred": Bool = |this| this.form.centred,
            "scaled": Bool = |this| this.form.scaled,
            "shifted": Bool = |this| this.form.shifted,
        });

        fn kind(&self) -> Kind {
            Kind::Opaque
        }

        fn may_fail(&self) -> bool {
            false
        }
    };
}

/// An error unless input `index` has one number for each column of the rows.
fn check_columns(cx: &mut Infer<'_>, index: usize) -> Result<()> {
    let (rows, columns) = (*cx.shape(0), *cx.shape(index));
    let n = rows.dim(rows.rank() - 1);
    if columns.rank() != 1 || !columns.dim(0).can_equal(n) || cx.dtype(index) != cx.dtype(0) {
        return Err(Error::invalid_argument(NAME, "scale and offset do not fit what is normalised")
            .got(format!("{} for {}", cx.input(index), cx.input(0)))
            .expected(format!("one number of {} for each of {n}", cx.dtype(0))));
    }
    if columns.dim(0) != n {
        cx.constraints.push(columns.dim(0), n);
    }
    Ok(())
}

impl Op for NormalizeRows {
    norm_identity!("normalize_rows");

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::FLOATING)?;
        let shape = *cx.shape(0);
        let Some(last) = shape.rank().checked_sub(1) else {
            return Err(Error::invalid_argument(NAME, "a scalar has no rows").got(shape));
        };
        (1..cx.len()).try_for_each(|i| check_columns(cx, i))?;
        cx.output(cx.dtype(0), shape);
        let compute = cx.dtype(0).compute();
        (0..2).for_each(|_| cx.output(compute, shape.remove(last)));
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        match Staged::new(call, 1) {
            Some(staged) => staged.work(|call| self.work(call)),
            None => work(&call.outputs[0]),
        }
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, index: usize) -> Result<()> {
        if let Some(staged) = Staged::new(call, 1) {
            // SAFETY: by the caller's promise; what is staged is what the loops know.
            return unsafe { staged.run(phase, index, |c| self.work(c), |c, phase, chunk| self.cpu(c, phase, chunk)) };
        }
        // SAFETY: dense tensors of the inferred shapes; chunks have rows of their own.
        unsafe {
            match call.outputs[0].dtype {
                DType::F64 => self.rows::<f64>(call, index),
                _ => self.rows::<f32>(call, index),
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        static KERNEL: RowKernel = row_kernel!("normalize_rows", "norm_rows.cuh");
        let out = &call.outputs[0];
        let (count, n) = rows_of(out);
        // SAFETY: dense tensors of the inferred shapes.
        unsafe {
            call.rows(&KERNEL, &[out.dtype], [count, n], false, |to| {
                to.size(usize::from(self.form.centred));
                to.value(self.form.epsilon);
                to.view(&call.inputs[0]);
                optional(to, call, self.form.scaled, 1);
                optional(to, call, self.form.shifted, 1 + usize::from(self.form.scaled));
                to.views(&[out, &call.outputs[1], &call.outputs[2]]);
            })
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        let inputs = if self.form.scaled { Saves::inputs(&[0, 1]) } else { Saves::inputs(&[0]) };
        inputs.and(Saves::outputs(&[1, 2]))
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let owed = g.dy(0)?;
        let given = {
            let mut inputs: SmallVec<[&Tensor; 8]> = SmallVec::new();
            inputs.extend([g.input(0)?, g.output(1)?, g.output(2)?, &owed]);
            if self.form.scaled {
                inputs.push(g.input(1)?);
            }
            execute(&NormalizeRowsGradient { form: self.form }, &inputs)?
        };
        for (i, dx) in given.into_iter().enumerate() {
            if g.needs(i) {
                // Columns of the rows and of the scale may be two symbols for one size.
                let dx = reshape_to(&dx, &g.input_type(i).shape)?;
                g.give(i, dx);
            }
        }
        Ok(())
    }
}

/// An operand that may be missing, as kernels of a GPU take it.
fn optional(to: &mut Arguments, call: &CudaCall<'_>, there: bool, index: usize) {
    to.address(if there { call.inputs[index].ptr.addr() as u64 } else { 0 });
}

impl NormalizeRows {
    /// # Safety
    /// As `Op::cpu`, with `T` the type of all operands.
    unsafe fn rows<T: Root>(&self, call: &CpuCall<'_>, index: usize) {
        let (out, means, roots) = (&call.outputs[0], &call.outputs[1], &call.outputs[2]);
        let (range, n) = chunk(out, index);
        let rows = Rows { n, epsilon: self.form.epsilon, centred: self.form.centred };
        // SAFETY: by the caller's promise.
        unsafe {
            let scale = self.form.scaled.then(|| part::<T>(&call.inputs[1], &(0..1), n));
            let offset =
                self.form.shifted.then(|| part::<T>(&call.inputs[1 + usize::from(self.form.scaled)], &(0..1), n));
            let (means, roots) = match n {
                // Rows without elements have a mean and a root all the same.
                0 => {
                    part_mut::<T>(means, &(0..means.len()), 1).fill(T::ZERO);
                    part_mut::<T>(roots, &(0..roots.len()), 1).fill(T::ZERO);
                    return;
                }
                _ => (part_mut(means, &range, 1), part_mut(roots, &range, 1)),
            };
            let (x, y) = (part(&call.inputs[0], &range, n), part_mut(out, &range, n));
            norm_rows::normalise(call.isa, rows, x, scale, offset, y, means, roots);
        }
    }
}

/// The most chunks of a gradient: each has sums of all columns.
const MOST: usize = 64;

impl NormalizeRowsGradient {
    fn chunks(call: &CpuCall<'_>) -> usize {
        work(&call.outputs[0]).phases[0].clamp(1, MOST)
    }

    /// Parts in which columns are summed over the chunks.
    fn pieces(chunks: usize, n: usize) -> usize {
        (chunks * n).div_ceil(1 << 14).min(n.div_ceil(64))
    }

    /// # Safety
    /// As `Op::cpu`, with `T` the type of all operands.
    unsafe fn rows<T: Root>(&self, call: &CpuCall<'_>, phase: usize, index: usize) {
        let dx = &call.outputs[0];
        let (count, n) = rows_of(dx);
        let chunks = Self::chunks(call);
        let sums = |chunk: usize| call.scratch.cast::<T>().wrapping_add(chunk * 2 * n);
        // SAFETY: by the caller's promise; each chunk has sums of its own, all of which are there in the second phase.
        unsafe {
            if phase == 1 {
                let columns = share(n, index, Self::pieces(chunks, n), 64);
                let mut outputs = call.outputs[1..].iter();
                for (there, skip) in [(self.form.scaled, 0), (self.form.shifted, n)] {
                    if there && let Some(out) = outputs.next() {
                        let out = &mut part_mut::<T>(out, &(0..1), n)[columns.clone()];
                        let at = |chunk| sums(chunk).wrapping_add(skip + columns.start);
                        out.copy_from_slice(std::slice::from_raw_parts(at(0), out.len()));
                        for chunk in 1..chunks {
                            let more = std::slice::from_raw_parts(at(chunk), out.len());
                            out.iter_mut().zip(more).for_each(|(sum, more)| *sum = *sum + *more);
                        }
                    }
                }
                return;
            }
            let own = std::slice::from_raw_parts_mut(sums(index), 2 * n);
            own.fill(T::ZERO);
            let (scale_sums, offset_sums) = own.split_at_mut(n);
            let mut sums = Sums {
                scale: self.form.scaled.then_some(scale_sums),
                offset: self.form.shifted.then_some(offset_sums),
            };
            let range = share(count, index, chunks, 1);
            let rows = Rows { n, epsilon: self.form.epsilon, centred: self.form.centred };
            let [x, means, roots, dy] = [0, 1, 2, 3].map(|i| &call.inputs[i]);
            let scale = self.form.scaled.then(|| part::<T>(&call.inputs[4], &(0..1), n));
            let (means, roots) = (part(means, &range, 1), part(roots, &range, 1));
            let (x, dy, dx) = (part(x, &range, n), part(dy, &range, n), part_mut(dx, &range, n));
            norm_rows::gradient(call.isa, rows, x, means, roots, scale, dy, dx, &mut sums);
        }
    }
}

impl Op for NormalizeRowsGradient {
    norm_identity!("normalize_rows_gradient");

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        let shape = *cx.shape(0);
        let last = shape.rank() - 1;
        cx.output(cx.dtype(0), shape);
        let columns = Shape::from_dims(&[shape.dim(last)])?;
        for there in [self.form.scaled, self.form.shifted] {
            if there {
                cx.output(cx.dtype(0), columns);
            }
        }
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        if let Some(staged) = Staged::new(call, 1) {
            return staged.work(|call| self.work(call));
        }
        let (_, n) = rows_of(&call.outputs[0]);
        let chunks = Self::chunks(call);
        let wide = call.outputs[0].dtype.compute().size();
        let pieces = if self.form.scaled || self.form.shifted { Self::pieces(chunks, n) } else { 0 };
        Work { scratch: chunks * 2 * n * wide, phases: [chunks, pieces, 0, 0, 0] }
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, index: usize) -> Result<()> {
        if let Some(staged) = Staged::new(call, 1) {
            // SAFETY: by the caller's promise; what is staged is what the loops know.
            return unsafe { staged.run(phase, index, |c| self.work(c), |c, phase, chunk| self.cpu(c, phase, chunk)) };
        }
        // SAFETY: dense tensors of the inferred shapes, phases and scratch memory of `work`.
        unsafe {
            match call.outputs[0].dtype {
                DType::F64 => self.rows::<f64>(call, phase, index),
                _ => self.rows::<f32>(call, phase, index),
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        static ROWS: RowKernel = row_kernel!("normalize_rows_gradient", "norm_rows.cuh");
        let dx = &call.outputs[0];
        let (count, n) = rows_of(dx);
        let [x, means, roots, dy] = [0, 1, 2, 3].map(|i| &call.inputs[i]);
        // SAFETY: dense tensors of the inferred shapes.
        unsafe {
            call.rows(&ROWS, &[dx.dtype], [count, n], false, |to| {
                to.size(usize::from(self.form.centred));
                to.views(&[x, means, roots]);
                optional(to, call, self.form.scaled, 4);
                to.views(&[dy, dx]);
            })?;
            if call.outputs.len() == 1 {
                return Ok(());
            }
            device_columns::sums(call, self.form)
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        if self.form.scaled { Saves::inputs(&[0, 3, 4]) } else { Saves::inputs(&[0, 3]) }
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let Form { epsilon, centred, scaled, shifted } = self.form;
        let working = g.input_type(0).shape;
        let last = working.rank() - 1;
        let statistics = AxisSet::of(&[last]);
        let columns = Shape::from_dims(&[working.dim(last)])?;
        let summed = AxisSet::all(last);
        cotangents(g, &Sides { epsilon, centred, scaled, shifted, working, statistics, summed, columns })
    }
}
