//! `reduce_mean`: the mean over axes; dx = dy / n, repeated along them.
//! TensorFlow's `tf.reduce_mean`: integers are added up in 64 bits and truncate; NaN (0 for integers) over no elements.

use super::axes::IntoAxes;
use super::divide::Divide;
use super::reduction::{self, Reduction};
use super::{broadcast_back, cast_to, public};
use kernels::backend::cpu::reduce::Monoid;
use kernels::backend::cpu::{CpuCall, vector};
use kernels::backend::cuda::{CudaCall, Kernel};
use kernels::dtype::{DType, DTypes};
use kernels::error::Result;
use crate::execute::execute1;
use crate::meaning::each_part;
use crate::op::{Sizes, Gradient, Infer, Kind, Lookup, Op, OpRef, Outputs, identity};
use kernels::shape::{AxisSet, Dim, MAX_RANK, Shape, Bits};
use crate::tape::Backward;
use crate::tensor::{Tensor, TensorType};
use smallvec::SmallVec;
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct ReduceMean {
    axes: AxisSet,
    keep: bool,
}

impl Op for ReduceMean {
    identity!("reduce_mean", { "axes": Int = |this| this.axes.bits() as i64, "keep_dims": Bool = |this| this.keep });
    reduction::fold!(DTypes::FLOATING.and(DTypes::of(&[DType::I64, DType::U64])), |this| Reduction {
        monoid: Monoid::Sum,
        axes: this.axes,
        mean: true
    });

    fn on_complex(&self, inputs: &[&Tensor]) -> Result<Option<Outputs>> {
        each_part(self, inputs[0])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let shape = g.input_type(0).shape;
        let dy = g.dy(0)?;
        let share = execute1(&Divide, &[&dy, &count_of(&shape, self.axes, dy.dtype())?])?;
        g.give(0, broadcast_back(&share, &shape, self.axes)?);
        Ok(())
    }
}

/// The number of elements of a shape as a scalar: known when the operation runs, even if a size is a symbol now.
#[derive(Clone)]
struct Count {
    shape: Shape,
    dtype: DType,
}

impl Op for Count {
    identity!("count", { "shape": Shape = |this| &this.shape, "dtype": DType = |this| this.dtype });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { shape: self.shape.bind(lookup)?, dtype: self.dtype })))
    }

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.output(self.dtype, Shape::SCALAR);
        Ok(())
    }

    fn sizes(&self, _: &[&Sizes], _: &[&TensorType], _: usize) -> Option<Sizes> {
        Some(Sizes::from_elem(self.shape.element_count(), 1))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        let bits = vector::encode(self.dtype, self.shape.num_elements() as f64);
        // SAFETY: a fresh scalar of this dtype.
        unsafe { vector::fill(self.dtype.size(), call.outputs[0].ptr, bits, 1) };
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        static KERNEL: Kernel = Kernel {
            name: "number",
            text: &["extern \"C\" __global__ void number(index_t count, T0 number, T0* y) { ELEMENTS(i, count) y[i] = number; }"],
        };
        let bits = vector::encode(self.dtype, self.shape.num_elements() as f64);
        // SAFETY: a fresh scalar of this dtype.
        unsafe {
            call.elements(&KERNEL, &[self.dtype], 1, |to| {
                to.value(bits);
                to.view(&call.outputs[0]);
            })
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("a number of elements depends on no element")
    }
}

/// How many elements a fold of `axes` puts together, as a scalar of `dtype`.
#[track_caller]
pub(crate) fn count_of(shape: &Shape, axes: AxisSet, dtype: DType) -> Result<Tensor> {
    let dims: SmallVec<[Dim; MAX_RANK]> = axes.iter().map(|a| shape.dim(a)).collect();
    execute1(&Count { shape: Shape::from_dims(&dims)?, dtype }, &[])
}

/// The size of an axis as an `int32` scalar, known or not.
#[track_caller]
pub(crate) fn size_of(shape: &Shape, axis: usize) -> Result<Tensor> {
    if let Some(size) = shape.dim(axis).known_value() {
        return crate::constant::try_constant_of(size as i64, DType::I32);
    }
    count_of(shape, AxisSet::default().with(axis), DType::I32)
}

/// The mean over a set of axes.
#[track_caller]
pub(crate) fn mean_axes(x: &Tensor, axes: AxisSet, keep: bool) -> Result<Tensor> {
    let wide = match x.dtype() {
        narrow if narrow.is_unsigned() => DType::U64,
        narrow if narrow.is_integer() => DType::I64,
        other => other,
    };
    let mean = execute1(&ReduceMean { axes, keep }, &[&cast_to(x, wide)?])?;
    cast_to(&mean, x.dtype())
}

public! {
    /// The mean of the elements along axes: over all for `()`. Means of integers truncate.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1.0, 2.0], [3.0, 6.0]]);
    /// assert_eq!(tf::reduce_mean(&x, ()).item::<f32>(), 3.0);
    /// assert_eq!(tf::reduce_mean(&x, 0).to_vec::<f32>(), [2.0, 4.0]);
    /// ```
    pub fn reduce_mean, try_reduce_mean(x, axes: impl IntoAxes) -> Tensor {
        let (axes, keep) = axes.into_axes().resolve("reduce_mean", x.rank())?;
        mean_axes(x, axes, keep)
    }
}

impl Tensor {
    /// The mean of all elements: [`reduce_mean`] over `()`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::constant([1.0, 2.0, 6.0]).mean().item::<f32>(), 3.0);
    /// ```
    ///
    /// # Panics
    /// As [`reduce_mean`].
    #[track_caller]
    pub fn mean(&self) -> Tensor {
        reduce_mean(self, ())
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients() {
        check(&|x| tf::reduce_mean(&x[0], [0, 2]).square(), &[numbers(1, &[2, 4, 3])]);
        check(&|x| tf::reduce_mean(&x[0], tf::keep_dims(())).square(), &[numbers(2, &[2, 3])]);
    }

    #[test]
    fn integers_truncate_without_overflow_and_nothing_has_no_mean() {
        let x = tf::cast(&tf::constant([[100, 101], [-100, -101]]), tf::DType::I8);
        assert_eq!(x.reduce_mean(1).to_vec::<i8>(), [100, -100]);
        assert!(tf::zeros([0]).mean().item::<f32>().is_nan());
        assert_eq!(tf::cast(&tf::zeros([0]), tf::DType::I32).mean().item::<i32>(), 0);
        assert_eq!(tf::constant(2.5).mean().item::<f32>(), 2.5);
    }
}
