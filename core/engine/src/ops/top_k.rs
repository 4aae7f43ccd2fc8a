//! `top_k`: the greatest elements of the last axis and where they lie; dx is dy at those places, zero elsewhere.
//! TensorFlow's `tf.math.top_k`; of equal elements the first come first, and NaN counts as greater than all numbers.

use super::band_part::places;
use super::ordered::{for_ordered, put};
use super::scatter_nd::try_scatter_nd;
use super::sort::last_rows;
use super::{broadcast_to_shape, public, reshape_to, stack_all};
use crate::execute::execute;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, Saves, identity};
use crate::tape::Backward;
use crate::tensor::Tensor;
use kernels::backend::cpu::sort::best::Best;
use kernels::backend::cpu::sort::{Digits, Item};
use kernels::backend::cpu::{CpuCall, Work};
use kernels::backend::cuda::{self, CudaCall};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, IntoDim, Shape};
use std::sync::Arc;

/// Outputs: the greatest elements, and their places.
#[derive(Clone)]
struct TopK {
    /// How many, as a shape of one dimension so that it may be a symbol.
    k: Shape,
    index: DType,
}

impl Op for TopK {
    identity!("top_k", { "k": Shape = |this| &this.k, "index_type": DType = |this| this.index });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { k: self.k.bind(lookup)?, index: self.index })))
    }

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::NUMBERS)?;
        if !DTypes::of(&[DType::I16, DType::I32, DType::I64]).has(self.index) {
            return Err(Error::invalid_argument("top_k", "indices cannot be given in this dtype")
                .got(self.index)
                .expected("int16, int32 or int64"));
        }
        let (shape, k) = (cx.shape(0), self.k.dim(0));
        let Some(last) = shape.rank().checked_sub(1) else {
            return Err(Error::invalid_argument("top_k", "a number has no order")
                .got(cx.input(0))
                .expected("at least one axis"));
        };
        if let (Some(k), Some(size)) = (k.known_value(), shape.dim(last).known_value())
            && k > size
        {
            return Err(Error::invalid_argument("top_k", "the last axis has fewer elements than are wanted")
                .got(format!("k = {k} of {shape}"))
                .expected(format!("at most {size}")));
        }
        let shape = shape.with(last, k)?;
        cx.output(cx.dtype(0), shape);
        cx.output(self.index, shape);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let x = &call.inputs[0];
        let (rows, k) = (last_rows(x), call.outputs[0].dims()[x.rank() - 1]);
        let word = if x.dtype.size() == 8 { 16 } else { 8 };
        match Best::pays(rows.len, k) {
            true => Best { rows: rows.rows, len: rows.len, k }.work(word),
            false => rows.work(word),
        }
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        // SAFETY: the same contract.
        unsafe { for_ordered!(call.inputs[0].dtype, T => run::<T>(call, phase, chunk)) };
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (x, y, at) = (&call.inputs[0], &call.outputs[0], &call.outputs[1]);
        if x.is_empty() || y.is_empty() {
            return Ok(());
        }
        let (len, k) = (last_rows(x).len, last_rows(y).len);
        // SAFETY: dense views of the inferred types.
        unsafe {
            let ordered = cuda::order_rows(call, x, len, true)?;
            cuda::write_in_order(call, x, &ordered, len, k, Some(y), Some(at))
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::outputs(&[1])
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dx = laid_along(&g.dy(0)?, g.output(1)?, &g.input_type(0).shape)?;
        g.give(0, dx);
        Ok(())
    }
}

/// # Safety
/// As `Op::cpu`, for elements of type `T`.
unsafe fn run<T: Item>(call: &CpuCall<'_>, phase: usize, chunk: usize) {
    let (x, at) = (&call.inputs[0], &call.outputs[1]);
    let (from, to) = (x.ptr.cast::<T>(), call.outputs[0].ptr.cast::<T>());
    let (rows, k) = (last_rows(x), at.dims()[at.rank() - 1]);
    // SAFETY: rows lie inside the dense tensors, and chunks write disjoint parts.
    unsafe {
        let load = |row: usize, i: usize| T::pair(T::turned((*from.add(row * rows.len + i)).key()), i);
        let write = |row: usize, rank: usize, words: &[T::Pair]| {
            for (i, &word) in words.iter().enumerate().take(k.saturating_sub(rank)) {
                let (place, to_place) = (T::place(word), row * k + rank + i);
                to.add(to_place).write(*from.add(row * rows.len + place));
                put(at, to_place, place);
            }
        };
        match Best::pays(rows.len, k) {
            true => {
                let best = Best { rows: rows.rows, len: rows.len, k };
                best.run(call.scratch, phase, chunk, load, |row, words| write(row, 0, words));
            }
            false => rows.run(call.scratch, phase, chunk, Digits::of_pairs::<T>(), load, write),
        }
    }
}

/// Values laid into zeros of a shape, along its last axis at their places; no place of a row twice.
#[track_caller]
pub(super) fn laid_along(values: &Tensor, places_in_row: &Tensor, onto: &Shape) -> Result<Tensor> {
    let last = onto.rank() - 1;
    let kept = values.shape().dim(last);
    let rows = Shape::from_dims(&onto.sizes()[..last])?.element_count();
    let flat = Shape::from_dims(&[rows, kept])?;
    if last == 0 {
        let column = reshape_to(places_in_row, &Shape::from_dims(&[kept, Dim::ONE])?)?;
        return try_scatter_nd(&column, values, *onto);
    }
    let numbers = super::cast_to(&places(&flat, 0)?, places_in_row.dtype())?;
    let numbers = broadcast_to_shape(&reshape_to(&numbers, &Shape::from_dims(&[rows, Dim::ONE])?)?, &flat)?;
    let tuples = stack_all(&[&numbers, &reshape_to(places_in_row, &flat)?], 2)?;
    let laid = try_scatter_nd(&tuples, &reshape_to(values, &flat)?, Shape::from_dims(&[rows, onto.dim(last)])?)?;
    reshape_to(&laid, onto)
}

public! {
    /// The `k` greatest elements of the last axis, the greatest first, and their places, `int32`. Of equal elements the first come
    /// first; NaN counts as greater than all numbers. `sorted` is TensorFlow's promise of this order, which here holds without it too.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (values, places) = tf::top_k(&tf::constant([1.0, 5.0, 3.0, 5.0]), 3, true);
    /// assert_eq!(values.to_vec::<f32>(), [5.0, 5.0, 3.0]);
    /// assert_eq!(places.to_vec::<i32>(), [1, 3, 2]);
    /// ```
    pub fn top_k, try_top_k(x, k: impl IntoDim, sorted: bool) -> (Tensor, Tensor) {
        try_top_k_as(x, k, sorted, DType::I32)
    }

    /// As [`top_k`], with places of dtype `index_type`: `int16`, `int32` or `int64`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (_, places) = tf::top_k_as(&tf::constant([1.0, 5.0]), 1, true, tf::int64);
    /// assert_eq!(places.to_vec::<i64>(), [1]);
    /// ```
    pub fn top_k_as, try_top_k_as(x, k: impl IntoDim, sorted: bool, index_type: DType) -> (Tensor, Tensor) {
        let _ = sorted;
        let k = k.into_dim().map_err(|e| e.in_op("top_k"))?;
        let mut both = execute(&TopK { k: Shape::from_dims(&[k])?, index: index_type }, &[x])?.into_iter();
        match (both.next(), both.next()) {
            (Some(values), Some(places)) => Ok((values, places)),
            _ => Err(Error::internal("top_k", "two results were expected")),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_of_rows() {
        check(&|x| tf::top_k(&x[0], 2, true).0.square(), &[numbers(1, &[2, 3, 4])]);
        check(&|x| tf::top_k(&x[0], 5, true).0.square(), &[numbers(2, &[5])]);
        check(&|x| tf::top_k_as(&x[0], 1, false, tf::int64).0.square(), &[numbers(3, &[3, 20])]);
    }

    #[test]
    fn few_and_many_of_long_rows() {
        let x = tf::cast(&(numbers(4, &[2, 120_000]) * 900.0), tf::DType::I32);
        for k in [0, 1, 3, 500, 40_000, 120_000] {
            let (values, places) = tf::top_k(&x, k, true);
            let (values, places) = (values.to_vec::<i32>(), places.to_vec::<i32>());
            for (i, row) in x.to_vec::<i32>().chunks(120_000).enumerate() {
                let mut want: Vec<i32> = (0..120_000).collect();
                want.sort_by_key(|&i| std::cmp::Reverse(row[i as usize]));
                assert!(places[i * k..][..k] == want[..k], "{k}");
                assert!(values[i * k..][..k].iter().zip(&want).all(|(&a, &b)| a == row[b as usize]));
            }
        }
    }

    #[test]
    fn nan_edges_and_refusals() {
        let x = tf::constant([1.0, f32::NAN, 3.0]);
        assert_eq!(tf::top_k(&x, 2, true).1.to_vec::<i32>(), [1, 2]);
        assert_eq!(tf::top_k(&tf::zeros([0, 3]), 2, true).0.shape(), [0, 2]);
        assert_eq!(tf::top_k(&tf::zeros([3, 0]), 0, true).0.shape(), [3, 0]);
        assert!(tf::try_top_k(&x, 4, true).is_err() && tf::try_top_k(&x, -1, true).is_err());
        assert!(tf::try_top_k(&tf::constant(1.0), 1, true).is_err());
        assert!(tf::try_top_k_as(&x, 1, true, tf::DType::F32).is_err());
    }
}
