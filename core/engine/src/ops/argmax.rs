//! `argmax` and `argmin`: the index of the largest or smallest element along an axis, the first among equals; no gradient.
//! TensorFlow's `tf.argmax` and `tf.argmin`; NaN is passed over, and a row of NaN alone gives 0, as TensorFlow's kernel does.

mod search;

use super::public;
use kernels::backend::cpu::{CpuCall, Work, part};
use kernels::backend::cuda::{CudaCall, Kernel, THREADS, grid};
use kernels::dtype::{DType, DTypes, for_dtype};
use kernels::error::{Error, Result};
use crate::execute::execute1;
use crate::op::{Attr, Gradient, Infer, Kind, Op, OpRef};
use kernels::shape::resolve_axis;
use crate::tensor::Tensor;
use search::{Best, COLUMNS, Ordered, best_of_columns, best_of_row, best_of_rows};
use std::ops::Range;
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct Argmax {
    axis: usize,
    /// The smallest element instead of the largest.
    least: bool,
    to: DType,
}

/// The dtypes that indices can have, and those that TensorFlow has for `argmax` only.
const WIDE: &[DType] = &[DType::I32, DType::I64];
const NARROW: &[DType] = &[DType::I16, DType::U16];
/// Elements that one chunk looks at, about.
const CHUNK: usize = 64 * 1024;
/// Rows of fewer elements are searched one element after the other.
const SHORT: usize = 32;

/// On a device: rows that are so long, and not many, get blocks instead of threads; a part of a row is worth a block.
const LONG: usize = 64;
const FEW: usize = 8192;
const PART: usize = 8192;

/// The kernels for the largest or the smallest element: by threads, by blocks, and over what the blocks found.
macro_rules! kernels {
    ($better:literal) => {{
        const TEXT: &str = concat!("#define BETTER(a, b) ", $better, "\n", include_str!("argmax.cuh"));
        static KERNELS: [Kernel; 3] = [
            Kernel { name: "best_of_columns", text: &[TEXT] },
            Kernel { name: "best_of_parts", text: &[TEXT] },
            Kernel { name: "best_of_found", text: &[TEXT] },
        ];
        &KERNELS
    }};
}

impl Op for Argmax {
    fn name(&self) -> &'static str {
        if self.least { "argmin" } else { "argmax" }
    }

    fn keep(&self) -> OpRef {
        OpRef::Shared(Arc::new(self.clone()))
    }

    fn as_dyn(&self) -> &dyn Op {
        self
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("axis", Attr::Int(self.axis as i64));
        visit("output_type", Attr::DType(self.to));
    }

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::REAL)?;
        let accepts = if self.least { DTypes::of(WIDE) } else { DTypes::of(WIDE).and(DTypes::of(NARROW)) };
        if !accepts.has(self.to) {
            return Err(Error::invalid_argument(self.name(), "indices cannot be given in this dtype")
                .got(self.to)
                .expected(format!("one of {accepts}")));
        }
        if cx.shape(0).dim(self.axis).known_value() == Some(0) {
            return Err(Error::invalid_argument(self.name(), "the axis is empty, so no element is the best")
                .got(cx.shape(0))
                .expected("a size of at least 1 along the axis"));
        }
        let shape = cx.shape(0).remove(self.axis);
        cx.output(self.to, shape);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let (outer, _, _, cuts) = self.split(call);
        Work::chunks(call.inputs[0].len().div_ceil(CHUNK).min(outer * cuts))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        // SAFETY: dense views of the inferred types; chunks write disjoint outputs. Truth values order as bytes do.
        unsafe {
            match call.inputs[0].dtype {
                DType::Bool => self.run::<u8>(call, chunk),
                dtype => for_dtype!(dtype, T => self.run::<<T as Ordered>::Raw>(call, chunk), else {}),
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let [columns, blocks, found] = if self.least { kernels!("((a) < (b))") } else { kernels!("((a) > (b))") };
        let (x, y) = (&call.inputs[0], &call.outputs[0]);
        let types = [x.dtype, y.dtype];
        let (rows, length) = (y.len(), x.dims()[self.axis]);
        let stride: usize = x.dims()[self.axis + 1..].iter().product();
        // SAFETY: dense tensors of the inferred types; the places found lie in scratch memory of their number.
        unsafe {
            if rows == 0 || length < LONG || (rows >= FEW && (stride >= 32 || length < 8 * LONG)) {
                return call.elements(columns, &types, rows, |to| {
                    to.view(x);
                    to.sizes(&[length, stride]);
                    to.view(y);
                });
            }
            let busy = call.gpu.multiprocessors() as usize * 8;
            let parts = (busy / rows).clamp(1, length.div_ceil(PART));
            let part = length.div_ceil(parts);
            let places = call.scratch(rows * parts * size_of::<i64>())?;
            call.launch(blocks, &types, grid(rows * parts, THREADS), |to| {
                to.view(x);
                to.sizes(&[length, stride, part, parts]);
                to.address(places.address());
            })?;
            call.elements(found, &types, rows, |to| {
                to.view(x);
                to.sizes(&[length, stride, parts]);
                to.address(places.address());
                to.view(y);
            })
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("an index does not change with small changes of its input")
    }
}

impl Argmax {
    /// Rows before the axis, elements along it, columns after it, and parts that the columns are cut into.
    fn split(&self, call: &CpuCall<'_>) -> (usize, usize, usize, usize) {
        let dims = call.inputs[0].dims();
        let inner: usize = dims[self.axis + 1..].iter().product();
        let outer: usize = dims[..self.axis].iter().product();
        (outer, dims[self.axis], inner, inner.div_ceil(COLUMNS))
    }

    /// # Safety
    /// As `Op::cpu`, for elements of type `T`.
    unsafe fn run<T: Best>(&self, call: &CpuCall<'_>, chunk: usize) {
        let (outer, len, inner, cuts) = self.split(call);
        if inner == 1 && len < SHORT {
            // SAFETY: the same promise.
            return unsafe { self.short_rows::<T>(call, len, part(outer, chunk, self.work(call).phases[0], 1)) };
        }
        for unit in part(outer * cuts, chunk, self.work(call).phases[0], 1) {
            let columns = part(inner, unit % cuts, cuts, 1);
            let from = unit / cuts * len * inner + columns.start;
            let to = unit / cuts * inner + columns.start;
            let mut found = [0usize; COLUMNS];
            let found = &mut found[..columns.len()];
            // SAFETY: the columns lie inside the input.
            unsafe {
                let from = call.inputs[0].ptr.cast::<T>().add(from);
                match (inner, self.least) {
                    (1, false) => found[0] = best_of_row(from, len, T::LOWEST, |a, b| a > b),
                    (1, true) => found[0] = best_of_row(from, len, T::HIGHEST, |a, b| a < b),
                    (_, false) => best_of_columns(from, len, inner, found, T::LOWEST, |a, b| a > b),
                    (_, true) => best_of_columns(from, len, inner, found, T::HIGHEST, |a, b| a < b),
                }
            }
            // SAFETY: inside the output.
            unsafe { self.store(call, to, found.iter().map(|&at| at as u64)) };
        }
    }

    /// Rows of few elements, many at a time.
    ///
    /// # Safety
    /// As `Op::cpu`, for elements of type `T`; the rows are those of the input.
    unsafe fn short_rows<T: Best>(&self, call: &CpuCall<'_>, len: usize, rows: Range<usize>) {
        let mut found = [0u32; COLUMNS];
        for first in rows.clone().step_by(COLUMNS) {
            let found = &mut found[..COLUMNS.min(rows.end - first)];
            // SAFETY: the rows lie inside the input, and the results inside the output.
            unsafe {
                let from = call.inputs[0].ptr.cast::<T>().add(first * len);
                match self.least {
                    false => best_of_rows(from, len, found, T::LOWEST, |a, b| a > b),
                    true => best_of_rows(from, len, found, T::HIGHEST, |a, b| a < b),
                }
                self.store(call, first, found.iter().map(|&at| u64::from(at)));
            }
        }
    }

    /// Writes places from output `first` on.
    ///
    /// # Safety
    /// They are inside the output, which is of the dtype asked for.
    unsafe fn store(&self, call: &CpuCall<'_>, first: usize, found: impl Iterator<Item = u64>) {
        let to = call.outputs[0].ptr;
        // SAFETY: by the caller's promise.
        unsafe {
            match self.to {
                DType::I16 | DType::U16 => {
                    let to = to.cast::<u16>().add(first);
                    found.enumerate().for_each(|(i, at)| to.add(i).write(at as u16));
                }
                DType::I32 => {
                    let to = to.cast::<i32>().add(first);
                    found.enumerate().for_each(|(i, at)| to.add(i).write(at as i32));
                }
                _ => {
                    let to = to.cast::<i64>().add(first);
                    found.enumerate().for_each(|(i, at)| to.add(i).write(at as i64));
                }
            }
        }
    }
}

public! {
    /// The index of the largest element along `axis` (the first of several), as `int64`. NaN is passed over.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1.0, 5.0, 5.0], [7.0, 0.0, 2.0]]);
    /// assert_eq!(tf::argmax(&x, 1).to_vec::<i64>(), [1, 0]);
    /// ```
    pub fn argmax, try_argmax(x, axis: isize) -> Tensor {
        try_argmax_as(x, axis, DType::I64)
    }

    /// As [`argmax`], with indices of dtype `to`: `int32`, `int64`, or `int16` and `uint16` for axes that short.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let best = tf::argmax_as(&tf::constant([1.0, 5.0]), 0, tf::DType::I32);
    /// assert_eq!(best.item::<i32>(), 1);
    /// ```
    pub fn argmax_as, try_argmax_as(x, axis: isize, to: DType) -> Tensor {
        let axis = resolve_axis("argmax", axis, x.rank())?;
        execute1(&Argmax { axis, least: false, to }, &[x])
    }

    /// The index of the smallest element along `axis` (the first of several), as `int64`. NaN is passed over.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1.0, 0.0, 0.0], [7.0, 8.0, 2.0]]);
    /// assert_eq!(tf::argmin(&x, 1).to_vec::<i64>(), [1, 2]);
    /// ```
    pub fn argmin, try_argmin(x, axis: isize) -> Tensor {
        try_argmin_as(x, axis, DType::I64)
    }

    /// As [`argmin`], with indices of dtype `to`: `int32` or `int64`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let best = tf::argmin_as(&tf::constant([1.0, 5.0]), 0, tf::DType::I32);
    /// assert_eq!(best.item::<i32>(), 0);
    /// ```
    pub fn argmin_as, try_argmin_as(x, axis: isize, to: DType) -> Tensor {
        let axis = resolve_axis("argmin", axis, x.rank())?;
        execute1(&Argmax { axis, least: true, to }, &[x])
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::numbers;

    #[test]
    fn any_axis_agrees_with_a_plain_loop() {
        for shape in [[9, 70, 300], [300, 7, 2], [41, 50, 3], [41, 50, 4], [20, 30, 9], [20, 30, 31], [7, 1, 32], [50, 9, 1]] {
            // Few values, so that there are ties.
            let x = tf::cast(&(numbers(4, &shape) * 5.0), tf::DType::I32);
            let values = x.to_vec::<i32>();
            for axis in 0..3 {
                let stride: usize = shape[axis + 1..].iter().product();
                let (most, least) = (tf::argmax(&x, axis as isize), tf::argmin_as(&x, axis as isize, tf::DType::I32));
                let (most, least) = (most.to_vec::<i64>(), least.to_vec::<i32>());
                for (i, (&most, &least)) in most.iter().zip(&least).enumerate() {
                    let row = |k: usize| values[i / stride * stride * shape[axis] + i % stride + k * stride];
                    let best = (0..shape[axis]).rev().max_by_key(|&k| row(k)).unwrap();
                    let worst = (0..shape[axis]).min_by_key(|&k| row(k)).unwrap();
                    assert_eq!((most as usize, least as usize), (best, worst), "{shape:?}");
                }
            }
        }
    }

    #[test]
    fn nan_edges_and_refusals() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        let x = tf::constant([[nan, 1.0, 2.0], [nan, nan, nan], [-inf, -inf, -inf], [inf, nan, inf]]);
        assert_eq!(tf::argmax(&x, 1).to_vec::<i64>(), [2, 0, 0, 0]);
        assert_eq!(tf::argmin(&tf::transpose(&x, []), 0).to_vec::<i64>(), [1, 0, 0, 0]);
        // The same in a row long enough for vectors: the lowest value is found where nothing is better.
        let lowest = tf::constant([nan, -inf]);
        assert_eq!((tf::argmax(&lowest, 0).item::<i64>(), tf::argmin(-&lowest, 0).item::<i64>()), (1, 1));
        // And in rows that are searched side by side.
        let rows = [[nan; 6], [-inf; 6], [nan, nan, -inf, nan, -inf, nan], [-inf, nan, 1.0, 1.0, nan, 3.0]];
        let many: Vec<f32> = (0..20).flat_map(|i| rows[i % 4]).collect();
        let many = tf::reshape(&tf::constant(&many[..]), [20, 6]);
        let found = tf::argmax(&many, 1).to_vec::<i64>();
        assert!(found.chunks(4).all(|found| found == [0, 0, 2, 5]) && found == tf::argmin(-&many, 1).to_vec::<i64>());
        let long = tf::concat(&[&lowest, &tf::fill([40], nan)], 0);
        assert_eq!(tf::argmax(&long, 0).item::<i64>(), 1);
        assert_eq!(tf::argmax(&tf::constant([false, true]), 0).item::<i64>(), 1);
        assert_eq!(tf::argmax(&tf::zeros([0, 3]), 1).shape(), [0]);
        assert!(tf::try_argmax(&tf::zeros([0, 3]), 0).is_err() && tf::try_argmin(&x, 2).is_err());
        assert_eq!(tf::argmax_as(&x, 1, tf::DType::U16).to_vec::<u16>(), [2, 0, 0, 0]);
        assert!(tf::try_argmax_as(&x, 0, tf::DType::F32).is_err() && tf::try_argmin_as(&x, 0, tf::DType::I16).is_err());
    }
}
