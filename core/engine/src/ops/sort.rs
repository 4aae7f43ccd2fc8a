//! `sort` and `argsort`: the elements along an axis in order, or where they lay; dx is dy put back, and indices have no gradient.
//! TensorFlow's `tf.sort` and `tf.argsort`, both stable. NaN counts as greater than all numbers; TensorFlow leaves its place open.

use super::ordered::{for_ordered, put};
use super::top_k::laid_along;
use super::{functions, public};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, Saves, identity};
use crate::tape::Backward;
use crate::tensor::Tensor;
use kernels::backend::cpu::sort::{Digits, Item, Rows};
use kernels::backend::cpu::{CpuCall, View, Work};
use kernels::backend::cuda::{self, CudaCall};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::resolve_axis;

/// Which elements come first.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([2, 3, 1]);
/// assert_eq!(tf::sort(&x, -1, tf::Direction::Descending).to_vec::<i32>(), [3, 2, 1]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// The least.
    #[default]
    Ascending,
    /// The greatest.
    Descending,
}

/// The rows of the last axis in order.
#[derive(Clone)]
struct Sort {
    descending: bool,
}

/// The places that the elements of the last axis had before they were in order, `int32`.
#[derive(Clone)]
struct Argsort {
    descending: bool,
}

/// The rows along the last axis.
pub(super) fn last_rows(view: &View) -> Rows {
    let len = view.dims().last().copied().unwrap_or(1);
    Rows { rows: view.dims()[..view.rank().saturating_sub(1)].iter().product(), len }
}

fn checked(cx: &Infer<'_>) -> Result<()> {
    cx.check_dtype(0, DTypes::NUMBERS)?;
    if cx.shape(0).rank() == 0 {
        return Err(Error::invalid_argument(cx.op(), "a number has no order")
            .got(cx.input(0))
            .expected("at least one axis"));
    }
    Ok(())
}

impl Op for Sort {
    identity!("sort", { "descending": Bool = |this| this.descending });

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        checked(cx)?;
        cx.output(cx.dtype(0), *cx.shape(0));
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let (x, rows) = (&call.inputs[0], last_rows(&call.inputs[0]));
        let mut work = rows.work(if x.dtype.size() == 8 { 8 } else { 4 });
        if work.phases[1] > 0 && x.dtype.is_floating() {
            work.phases[2] = rows.rows;
        }
        work
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        // SAFETY: the same contract.
        unsafe { for_ordered!(call.inputs[0].dtype, T => self.run::<T>(call, phase, chunk)) };
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (x, y) = (&call.inputs[0], &call.outputs[0]);
        if x.is_empty() {
            return Ok(());
        }
        let len = last_rows(x).len;
        // SAFETY: dense views of the inferred types.
        unsafe {
            let ordered = cuda::order_rows(call, x, len, self.descending)?;
            cuda::write_in_order(call, x, &ordered, len, len, Some(y), None)
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[0])
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        // Sorting values alone is faster than with their places, which only a gradient needs.
        let places = execute1(&Argsort { descending: self.descending }, &[g.input(0)?])?;
        let dx = laid_along(&g.dy(0)?, &places, &g.input_type(0).shape)?;
        g.give(0, dx);
        Ok(())
    }
}

impl Sort {
    fn word<T: Item>(&self, element: T) -> T::Key {
        if self.descending { T::turned(element.exact_key()) } else { element.exact_key() }
    }

    /// # Safety
    /// As `Op::cpu`, for elements of type `T`.
    unsafe fn run<T: Item>(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) {
        let rows = last_rows(&call.inputs[0]);
        let (from, to) = (call.inputs[0].ptr.cast::<T>(), call.outputs[0].ptr.cast::<T>());
        // SAFETY: rows lie inside the dense tensors, and chunks write disjoint parts.
        unsafe {
            if phase == 2 {
                return self.restore::<T>(from, to, chunk, rows.len);
            }
            rows.run(
                call.scratch,
                phase,
                chunk,
                Digits::of_keys::<T>(),
                |row, i| self.word(*from.add(row * rows.len + i)),
                |row, first, words| {
                    let to = to.add(row * rows.len + first);
                    for (i, &word) in words.iter().enumerate() {
                        to.add(i).write(T::of_exact_key(if self.descending { T::turned(word) } else { word }));
                    }
                    if words.len() == rows.len {
                        self.restore::<T>(from, to.sub(row * rows.len), row, rows.len);
                    }
                },
            );
        }
    }

    /// Zeros of both signs are equal, and NaN have bits of their own: those of a row stand in its order, as they stood before.
    ///
    /// # Safety
    /// Row number `row` of so many elements at both pointers, sorted at the second.
    unsafe fn restore<T: Item>(&self, from: *const T, to: *mut T, row: usize, len: usize) {
        // SAFETY: by the caller's promise.
        let (from, to) = unsafe {
            (
                std::slice::from_raw_parts(from.add(row * len), len),
                std::slice::from_raw_parts_mut(to.add(row * len), len),
            )
        };
        let specials = |to: &[T], key: T::Key| {
            let key = if self.descending { T::turned(key) } else { key };
            let before = to.partition_point(|&v| self.word(v) < key);
            before..before + to[before..].partition_point(|&v| self.word(v) == key)
        };
        let Some((negative, positive, nan)) = T::special_keys() else { return };
        let (a, b) = (specials(to, negative), specials(to, positive));
        if !a.is_empty() && !b.is_empty() {
            let zeros = from.iter().filter(|v| v.key() == positive);
            to[a.start.min(b.start)..a.end.max(b.end)].iter_mut().zip(zeros).for_each(|(to, &zero)| *to = zero);
        }
        let nans = specials(to, nan);
        if !nans.is_empty() {
            let given = from.iter().filter(|v| v.key() == nan);
            to[nans].iter_mut().zip(given).for_each(|(to, &nan)| *to = nan);
        }
    }
}

impl Op for Argsort {
    identity!("argsort", { "descending": Bool = |this| this.descending });

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        checked(cx)?;
        cx.output(DType::I32, *cx.shape(0));
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let x = &call.inputs[0];
        last_rows(x).work(if x.dtype.size() == 8 { 16 } else { 8 })
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        // SAFETY: the same contract.
        unsafe { for_ordered!(call.inputs[0].dtype, T => self.run::<T>(call, phase, chunk)) };
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (x, y) = (&call.inputs[0], &call.outputs[0]);
        if x.is_empty() {
            return Ok(());
        }
        let len = last_rows(x).len;
        // SAFETY: dense views of the inferred types.
        unsafe {
            let ordered = cuda::order_rows(call, x, len, self.descending)?;
            cuda::write_in_order(call, x, &ordered, len, len, None, Some(y))
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("places do not change with small changes of the values")
    }
}

impl Argsort {
    /// # Safety
    /// As `Op::cpu`, for elements of type `T`.
    unsafe fn run<T: Item>(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) {
        let rows = last_rows(&call.inputs[0]);
        let (from, out) = (call.inputs[0].ptr.cast::<T>(), &call.outputs[0]);
        // SAFETY: rows lie inside the dense tensors, and chunks write disjoint parts.
        unsafe {
            rows.run(
                call.scratch,
                phase,
                chunk,
                Digits::of_pairs::<T>(),
                |row, i| {
                    let key = (*from.add(row * rows.len + i)).key();
                    T::pair(if self.descending { T::turned(key) } else { key }, i)
                },
                |row, first, words| {
                    for (i, &word) in words.iter().enumerate() {
                        put(out, row * rows.len + first + i, T::place(word));
                    }
                },
            );
        }
    }
}

/// The operation along an axis, which is made the last one meanwhile.
#[track_caller]
fn along(name: &str, op: &dyn Op, x: &Tensor, axis: isize) -> Result<Tensor> {
    let axis = resolve_axis(name, axis, x.rank())?;
    if axis + 1 == x.rank() {
        return execute1(op, &[x]);
    }
    let mut swapped: Vec<isize> = (0..x.rank() as isize).collect();
    swapped.swap(axis, x.rank() - 1);
    let sorted = execute1(op, &[&functions::try_transpose(x, &swapped[..])?])?;
    functions::try_transpose(&sorted, &swapped[..])
}

public! {
    /// The elements along `axis` in order; equal ones keep theirs. NaN counts as greater than all numbers.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]]);
    /// assert_eq!(tf::sort(&x, -1, tf::Direction::Ascending).to_vec::<f32>(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    /// ```
    pub fn sort, try_sort(x, axis: isize, direction: Direction) -> Tensor {
        along("sort", &Sort { descending: direction == Direction::Descending }, x, axis).map_err(|e| e.named("sort"))
    }

    /// The places along `axis`, `int32`, that the elements have in order: `gather` of them is sorted. Equal ones keep their order.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([3.0, 1.0, 2.0, 1.0]);
    /// assert_eq!(tf::argsort(&x, -1, tf::Direction::Ascending).to_vec::<i32>(), [1, 3, 2, 0]);
    /// ```
    pub fn argsort, try_argsort(x, axis: isize, direction: Direction) -> Tensor {
        along("argsort", &Argsort { descending: direction == Direction::Descending }, x, axis).map_err(|e| e.named("argsort"))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};
    use tf::Direction::{Ascending, Descending};

    #[test]
    fn gradients_along_any_axis() {
        for (axis, direction) in [(0, Ascending), (1, Descending), (-1, Ascending)] {
            check(&|x| tf::sort(&x[0], axis, direction).square() * 3.0, &[numbers(1, &[2, 3, 4])]);
        }
    }

    #[test]
    fn large_rows_agree_with_a_plain_sort() {
        for shape in [[1, 200_000], [3, 70_000], [500, 40]] {
            let x = tf::cast(&(numbers(4, &shape) * 900.0), tf::DType::F32);
            let (sorted, places) = (tf::sort(&x, 1, Ascending), tf::argsort(&x, 1, Descending));
            for (row, (sorted, places)) in x
                .to_vec::<f32>()
                .chunks(shape[1])
                .zip(sorted.to_vec::<f32>().chunks(shape[1]).zip(places.to_vec::<i32>().chunks(shape[1])))
            {
                let mut want = row.to_vec();
                want.sort_by(f32::total_cmp);
                assert!(want == sorted);
                let mut want: Vec<i32> = (0..shape[1] as i32).collect();
                want.sort_by(|&a, &b| row[b as usize].total_cmp(&row[a as usize]));
                assert!(want == places);
            }
        }
    }

    #[test]
    fn zeros_and_nan_keep_their_order() {
        let (nan, odd) = (f32::NAN, f32::from_bits(0xffc0_1234));
        let x = tf::constant([0.0, -1.0, nan, -0.0, odd, 0.0, -0.0, 7.0]);
        let bits = |x: &tf::Tensor| x.to_vec::<f32>().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let want = |list: &[f32]| list.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&tf::sort(&x, 0, Ascending)), want(&[-1.0, 0.0, -0.0, 0.0, -0.0, 7.0, nan, odd]));
        assert_eq!(bits(&tf::sort(&x, 0, Descending)), want(&[nan, odd, 7.0, 0.0, -0.0, 0.0, -0.0, -1.0]));
        assert_eq!(tf::argsort(&x, 0, Ascending).to_vec::<i32>(), [1, 0, 3, 5, 6, 7, 2, 4]);
        let many = tf::tile(&x, [20_000]);
        let sorted = bits(&tf::sort(&many, 0, Ascending));
        assert_eq!(sorted[20_000..20_004], want(&[0.0, -0.0, 0.0, -0.0]));
        assert_eq!(sorted[159_998..], want(&[nan, odd]));
    }

    #[test]
    fn edges_and_refusals() {
        assert_eq!(tf::sort(&tf::zeros([0, 3]), 1, Ascending).shape(), [0, 3]);
        assert_eq!(tf::argsort(&tf::zeros([3, 0]), 1, Ascending).shape(), [3, 0]);
        assert!(tf::try_sort(&tf::constant(1), 0, Ascending).is_err());
        assert!(tf::try_sort(&tf::constant([true]), 0, Ascending).is_err());
        let error = tf::try_argsort(&tf::constant([1]), 1, Ascending).unwrap_err().to_string();
        assert!(error.contains("argsort"), "{error}");
    }
}
