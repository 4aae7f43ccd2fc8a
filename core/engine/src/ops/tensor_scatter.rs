//! `tensor_scatter_nd_update`, `_add`, `_sub`, `_max`, `_min`: a tensor with rows set, added to and so on, in place where nobody else wants it.
//! Its dx is dy (0 where rows were set), each update's is gathered from dy; of the greatest and least, all that are equal share dy.

use super::functions::{try_cast, try_divide, try_equal, try_multiply};
use super::gather_nd::gather_at;
use super::scatter_nd::{Target, check_updates};
use super::{AsTensor, reshape_to, zeros_of};
use kernels::backend::cpu::indexed_rows::Write;
use kernels::backend::cpu::{CpuCall, View, Work};
use kernels::backend::cuda::{self, CudaCall};
use kernels::dtype::DTypes;
use kernels::error::{OrFail, Result};
use crate::execute::execute1_reusing;
use crate::op::{Gradient, Infer, Kind, Op, OpRef, Saves};
use crate::tape::Backward;
use crate::tensor::Tensor;
use std::panic::Location;

/// Inputs: the tensor, indices `[..., depth]`, updates `[..., rest of the shape after depth]`.
#[derive(Clone)]
pub(crate) struct TensorScatter {
    write: Write,
}

impl TensorScatter {
    fn target<'a>(&self, inputs: &'a [View], out: &'a View) -> Target<'a> {
        Target { op: self.name(), write: self.write, out, indices: &inputs[1], updates: &inputs[2] }
    }
}

impl Op for TensorScatter {
    fn name(&self) -> &'static str {
        match self.write {
            Write::Set => "tensor_scatter_nd_update",
            Write::Add => "tensor_scatter_nd_add",
            Write::Max => "tensor_scatter_nd_max",
            Write::Min => "tensor_scatter_nd_min",
            _ => "tensor_scatter_nd_sub",
        }
    }

    fn keep(&self) -> OpRef {
        OpRef::Static(match self.write {
            Write::Set => &TensorScatter { write: Write::Set },
            Write::Add => &TensorScatter { write: Write::Add },
            Write::Max => &TensorScatter { write: Write::Max },
            Write::Min => &TensorScatter { write: Write::Min },
            _ => &TensorScatter { write: Write::Sub },
        })
    }

    fn as_dyn(&self) -> &dyn Op {
        self
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(
            0,
            match self.write {
                Write::Set => DTypes::MOVABLE,
                Write::Max | Write::Min => DTypes::NUMBERS,
                _ => DTypes::NUMBERS.and(DTypes::COMPLEX),
            },
        )?;
        cx.check_dtype(1, DTypes::INTEGERS)?;
        cx.check_dtype(2, DTypes::of(&[cx.dtype(0)]))?;
        check_updates(self.name(), cx.shape(1), cx.shape(2), cx.shape(0))?;
        cx.output(cx.dtype(0), *cx.shape(0));
        Ok(())
    }

    fn overwrites(&self) -> Option<usize> {
        Some(0)
    }

    fn adds_to(&self) -> Option<usize> {
        matches!(self.write, Write::Add | Write::Sub).then_some(0)
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let moved = if call.lies_over(0) { &call.inputs[2] } else { &call.outputs[0] };
        self.target(call.inputs, &call.outputs[0]).work(moved)
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let (from, out) = (&call.inputs[0], &call.outputs[0]);
        let target = self.target(call.inputs, out);
        let size = out.dtype.size();
        let in_place = call.lies_over(0);
        // SAFETY: dense views of the inferred types and scratch as `work` asked for; the output is fresh, or is the tensor.
        unsafe {
            target.run(call, phase, chunk, self.work(call).phases[1], |to, n| {
                if !in_place {
                    std::ptr::copy_nonoverlapping(from.ptr.add(to * size), out.ptr.add(to * size), n * size);
                }
            })
        }
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let out = &call.outputs[0];
        let target = self.target(call.inputs, out);
        // SAFETY: dense views of the inferred types; the output is fresh, or is the tensor.
        unsafe {
            if !call.lies_over(0) {
                cuda::copy(call, &call.inputs[0], out)?;
            }
            target.run_cuda(call, false)
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        match self.write {
            Write::Max | Write::Min => Saves::inputs(&[0, 1, 2]).and(Saves::outputs(&[0])),
            _ => Saves::inputs(&[1]),
        }
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let indices = g.input(1)?.clone();
        if matches!(self.write, Write::Max | Write::Min) {
            return of_chosen(g, &indices);
        }
        if g.needs(2) {
            let dx = reshape_to(&gather_at(&g.dy(0)?, &indices)?, &g.input_type(2).shape)?;
            g.give(2, if self.write == Write::Sub { dx.try_neg()? } else { dx });
        }
        if g.needs(0) {
            // Last, so that the cotangent is nobody else's by now and need not be copied.
            let dx = match (self.write, g.take_dy(0)?) {
                (Write::Set, dy) => execute1_reusing(self, &[&dy, &indices, &zeros_of(g.input_type(2))?], 1)?,
                (_, dy) => dy,
            };
            g.give(0, dx);
        }
        Ok(())
    }
}

/// The rule of the greatest and least: what equals the result shares its cotangent, the tensor's element and all updates of it.
fn of_chosen(g: &mut Backward<'_>, indices: &Tensor) -> Result<()> {
    let (x, updates, y, dy) = (g.input(0)?.clone(), g.input(2)?.clone(), g.output(0)?.clone(), g.dy(0)?);
    let dtype = dy.dtype();
    let at = |whole: &Tensor| reshape_to(&gather_at(whole, indices)?, updates.shape());
    let stays = try_cast(&try_equal(&x, &y)?, dtype)?;
    let chosen = try_cast(&try_equal(&updates, &at(&y)?)?, dtype)?;
    let share = try_divide(&dy, &add_into(stays.clone(), indices, &chosen)?)?;
    if g.needs(2) {
        let dx = try_multiply(&at(&share)?, &chosen)?;
        g.give(2, dx);
    }
    if g.needs(0) {
        let dx = try_multiply(&share, &stays)?;
        g.give(0, dx);
    }
    Ok(())
}

/// The tensor with updates added at index tuples, in its own memory where nobody else holds it.
#[track_caller]
pub(crate) fn add_into(tensor: Tensor, indices: &Tensor, updates: &Tensor) -> Result<Tensor> {
    execute1_reusing(&TensorScatter { write: Write::Add }, &[&tensor, indices, updates], 1)
}

/// What [`ScatterNd`](super::scatter_nd::ScatterNd) is when it adds to a tensor.
pub(super) static ADD: TensorScatter = TensorScatter { write: Write::Add };

macro_rules! scatters {
    ($($(#[$doc:meta])* $name:ident $try_name:ident $write:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// The last dimension of `indices` counts the leading dimensions of the tensor that it indexes. A tensor that is given
        /// by value and that nobody else holds is changed in place; so is one in a graph whose old value is not used again.
        ///
        /// # Panics
        #[doc = concat!("As [`", stringify!($try_name), "`] fails.")]
        #[track_caller]
        pub fn $name(tensor: impl AsTensor, indices: impl AsTensor, updates: impl AsTensor) -> Tensor {
            $try_name(tensor, indices, updates).or_fail()
        }

        #[doc = concat!("[`", stringify!($name), "`] that answers an error instead of panicking.")]
        ///
        /// # Errors
        /// OutOfRange for an index outside the tensor, InvalidArgument for shapes or dtypes that do not fit each other.
        #[track_caller]
        pub fn $try_name(tensor: impl AsTensor, indices: impl AsTensor, updates: impl AsTensor) -> Result<Tensor> {
            let here = Location::caller();
            let given = u32::from(tensor.is_given());
            let (tensor, indices, updates) = (tensor.as_tensor(), indices.as_tensor(), updates.as_tensor());
            let scatter = TensorScatter { write: Write::$write };
            execute1_reusing(&scatter, &[&tensor, &indices, &updates], given).map_err(|e| e.at(here))
        }
    )*};
}

scatters! {
    /// The tensor in which the rows at `indices` are `updates`; of several for one row the last counts.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1, 2, 3]);
    /// let y = tf::tensor_scatter_nd_update(&x, &tf::constant([[2], [0]]), &tf::constant([30, 10]));
    /// assert_eq!(y.to_vec::<i32>(), [10, 2, 30]);
    /// ```
    tensor_scatter_nd_update try_tensor_scatter_nd_update Set;

    /// The tensor to whose rows at `indices` the `updates` are added; those for one row add up.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1, 2, 3]);
    /// let y = tf::tensor_scatter_nd_add(&x, &tf::constant([[2], [2]]), &tf::constant([30, 10]));
    /// assert_eq!(y.to_vec::<i32>(), [1, 2, 43]);
    /// ```
    tensor_scatter_nd_add try_tensor_scatter_nd_add Add;

    /// The tensor from whose rows at `indices` the `updates` are subtracted.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1, 2, 3]);
    /// let y = tf::tensor_scatter_nd_sub(&x, &tf::constant([[0]]), &tf::constant([4]));
    /// assert_eq!(y.to_vec::<i32>(), [-3, 2, 3]);
    /// ```
    tensor_scatter_nd_sub try_tensor_scatter_nd_sub Sub;

    /// The tensor whose rows at `indices` are the greatest of what they were and of the `updates` for them. As in TensorFlow, an update
    /// that is NaN changes nothing, and a NaN of the tensor stays.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1, 2, 3]);
    /// let y = tf::tensor_scatter_nd_max(&x, &tf::constant([[2], [0], [2]]), &tf::constant([2, 5, 4]));
    /// assert_eq!(y.to_vec::<i32>(), [5, 2, 4]);
    /// ```
    tensor_scatter_nd_max try_tensor_scatter_nd_max Max;

    /// The tensor whose rows at `indices` are the least of what they were and of the `updates` for them; NaN as for
    /// [`tensor_scatter_nd_max`].
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1, 2, 3]);
    /// let y = tf::tensor_scatter_nd_min(&x, &tf::constant([[2], [0], [2]]), &tf::constant([2, 5, 4]));
    /// assert_eq!(y.to_vec::<i32>(), [1, 2, 2]);
    /// ```
    tensor_scatter_nd_min try_tensor_scatter_nd_min Min;
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients() {
        let (x, rows, cells) = (numbers(1, &[4, 3]), numbers(2, &[2, 3]), numbers(3, &[2]));
        let (at, pairs) = (tf::constant([[2], [0]]), tf::constant([[1, 2], [3, 0]]));
        check(&|x| tf::tensor_scatter_nd_update(&x[0], &at, &x[1]).square(), &[x.clone(), rows.clone()]);
        check(&|x| tf::tensor_scatter_nd_update(&x[0], &pairs, &x[1]).square(), &[x.clone(), cells.clone()]);
        let twice = tf::constant([[2], [2]]);
        check(&|x| tf::tensor_scatter_nd_add(&x[0], &twice, &x[1]).square(), &[x.clone(), rows.clone()]);
        check(&|x| tf::tensor_scatter_nd_sub(&x[0], &twice, &x[1]).square(), &[x.clone(), rows.clone()]);
        check(&|x| tf::tensor_scatter_nd_max(&x[0], &at, &x[1]).square(), &[x.clone(), rows.clone()]);
        check(&|x| tf::tensor_scatter_nd_min(&x[0], &twice, &x[1]).square(), &[x, rows]);
        check(&|x| tf::scatter_nd(&twice, &x[0], [4, 3]).square(), &[numbers(5, &[2, 3])]);
        check(&|x| tf::gather_nd(&x[0], &pairs).square(), &[numbers(6, &[4, 3])]);
    }

    #[test]
    fn edges_and_refusals() {
        let x = tf::ones([4, 300]);
        let last = tf::tensor_scatter_nd_update(&tf::zeros([3]), &tf::constant([[1], [1]]), &tf::constant([5.0, 6.0]));
        assert_eq!(last.to_vec::<f32>(), [0.0, 6.0, 0.0]);
        let whole =
            tf::tensor_scatter_nd_add(&x, &tf::cast(&tf::zeros([2, 0]), tf::DType::I32), &tf::ones([2, 4, 300]));
        assert_eq!(whole.to_vec::<f32>(), [3.0; 1200]);
        for index in [4, -1] {
            let error =
                tf::try_tensor_scatter_nd_update(&x, &tf::constant([[index]]), &tf::ones([1, 300])).unwrap_err();
            assert!(matches!(error, tf::Error::OutOfRange(_)), "{error}");
        }
        assert!(tf::try_tensor_scatter_nd_add(&x, &tf::constant([[0]]), &tf::ones([2, 300])).is_err());
        assert!(tf::try_tensor_scatter_nd_add(&x, &tf::constant([[0, 0, 0]]), &tf::ones([1])).is_err());
        assert!(tf::try_gather_nd(&x, &tf::constant([[0, 300]])).is_err());
    }

    #[test]
    fn many_updates_are_added_in_order() {
        let at = tf::reshape(&(tf::range(0, 60_000, 1) % 5000), [-1, 1]);
        let y = tf::scatter_nd(&at, &tf::ones([60_000, 9]), [5000, 9]);
        assert!(y.to_vec::<f32>().iter().all(|&v| v == 12.0));
    }
}
