//! `argmax` and `argmin`: the index of the largest or smallest element along an axis, the first among equals; no gradient.
//! TensorFlow's `tf.argmax` and `tf.argmin`; NaN is passed over, and a row of NaN alone gives 0, as TensorFlow's kernel does.

mod search;

use super::public;
use kernels::backend::cpu::{CpuCall, View, Work};
use kernels::backend::cuda::{CudaCall, Kernel, THREADS, grid};
use kernels::backend::cpu::extremes;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use crate::execute::execute1;
use crate::op::{Attr, Gradient, Infer, Kind, Op, OpRef};
use kernels::shape::resolve_axis;
use crate::tensor::Tensor;
use search::Plan;
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

    fn takes_strides(&self) -> bool {
        true
    }

    fn takes_strides_on_gpu(&self) -> bool {
        false
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        Plan::new(&call.inputs[0], &call.outputs[0], self.axis).work()
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let (x, y) = (&call.inputs[0], &call.outputs[0]);
        let Some(search) = extremes::lookup(x.dtype, self.least, call.isa) else {
            return Err(Error::internal(self.name(), "elements without an order"));
        };
        let plan = Plan::new(x, y, self.axis);
        // SAFETY: views of the inferred types; chunks write disjoint outputs.
        unsafe {
            let direct = (self.to == DType::I64).then_some(y.ptr.cast());
            plan.run(&search, x, call.scratch.cast(), direct, [phase, chunk], |first, step, found| {
                self.store(y, first, step, found);
            });
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
    /// Writes places to every `step`th output from `first` on.
    ///
    /// # Safety
    /// They are inside the output, which is of the dtype asked for.
    unsafe fn store(&self, y: &View, first: usize, step: usize, found: &[u64]) {
        // SAFETY: by the caller's promise.
        unsafe {
            match self.to {
                DType::I16 | DType::U16 => {
                    let to = y.ptr.cast::<u16>().add(first);
                    found.iter().enumerate().for_each(|(i, &at)| to.add(i * step).write(at as u16));
                }
                DType::I32 => {
                    let to = y.ptr.cast::<i32>().add(first);
                    found.iter().enumerate().for_each(|(i, &at)| to.add(i * step).write(at as i32));
                }
                _ if step == 1 => found.as_ptr().copy_to_nonoverlapping(y.ptr.cast::<u64>().add(first), found.len()),
                _ => {
                    let to = y.ptr.cast::<u64>().add(first);
                    found.iter().enumerate().for_each(|(i, &at)| to.add(i * step).write(at));
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

    /// Both ends along every axis beside a plain loop over the elements in order.
    fn check(x: &tf::Tensor) {
        let values = x.to_vec::<i32>();
        let shape: Vec<usize> = x.shape().dims().to_vec();
        for axis in 0..shape.len() {
            let stride: usize = shape[axis + 1..].iter().product();
            let (most, least) = (tf::argmax(x, axis as isize), tf::argmin_as(x, axis as isize, tf::DType::I32));
            let (most, least) = (most.to_vec::<i64>(), least.to_vec::<i32>());
            for (i, (&most, &least)) in most.iter().zip(&least).enumerate() {
                let row = |k: usize| values[i / stride * stride * shape[axis] + i % stride + k * stride];
                let best = (0..shape[axis]).rev().max_by_key(|&k| row(k)).unwrap();
                let worst = (0..shape[axis]).min_by_key(|&k| row(k)).unwrap();
                assert_eq!((most as usize, least as usize), (best, worst), "{shape:?} {:?} axis {axis}", x.strides());
            }
        }
    }

    /// Few values, so that there are ties.
    fn with_ties(shape: &[usize]) -> tf::Tensor {
        tf::cast(&(numbers(4, shape) * 5.0), tf::DType::I32)
    }

    #[test]
    fn any_axis_agrees_with_a_plain_loop() {
        for shape in [[9, 70, 300], [300, 7, 2], [41, 50, 3], [41, 50, 4], [20, 30, 9], [20, 30, 31], [7, 1, 32], [50, 9, 1]] {
            check(&with_ties(&shape));
        }
        check(&with_ties(&[600, 3, 3]));
    }

    #[test]
    fn operands_lie_as_they_like() {
        let x = with_ties(&[37, 60, 50]);
        for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            check(&tf::transpose(&x, order));
        }
        check(&x.at(tf::s![.., .., ..;2]));
        check(&x.at(tf::s![..;-1, 1..;3, 2..40]));
        check(&tf::transpose(x.at(tf::s![.., ..;2, ..;5]), [1, 2, 0]));
        check(&tf::broadcast_to(x.at(tf::s![..1, .., ..]), [20, 60, 50]));
        check(&tf::transpose(with_ties(&[9000, 2]), []).at(tf::s![.., ..;2]));
    }

    #[test]
    fn few_results_of_long_axes_are_found_in_blocks() {
        check(&with_ties(&[400_000]));
        check(&with_ties(&[100_000, 3]));
        check(&with_ties(&[3, 100_000]));
        check(&with_ties(&[70_000, 2, 2]));
        check(&with_ties(&[200_000]).at(tf::s![..;2]));
        let mut x = vec![f32::NAN; 300_000];
        x[250_000] = f32::NEG_INFINITY;
        assert_eq!(tf::argmax(&tf::Tensor::from(x), 0).item::<i64>(), 250_000);
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
        let columns = tf::constant([[nan, nan, -inf, 1.0], [-inf, nan, nan, nan]]);
        assert_eq!(tf::argmax(&columns, 0).to_vec::<i64>(), [1, 0, 0, 0]);
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
