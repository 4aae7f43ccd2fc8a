//! `reduce_sum`: the sum over axes; dx = dy, repeated along them.
//! TensorFlow's `tf.reduce_sum`, numbers only; 16-bit floats are added up in f32.

use super::axes::IntoAxes;
use super::reduction::{self, Reduction};
use super::{broadcast_back, public};
use kernels::backend::cpu::reduce::Monoid;
use kernels::backend::cpu::{CpuCall, Work};
use kernels::dtype::DTypes;
use kernels::error::Result;
use crate::execute::execute1;
use crate::meaning::each_part;
use crate::op::{Gradient, Infer, Kind, Op, OpRef, Outputs, identity};
use kernels::shape::{AxisSet, Bits};
use crate::tape::Backward;
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct ReduceSum {
    axes: AxisSet,
    keep: bool,
}

impl Op for ReduceSum {
    identity!("reduce_sum", { "axes": Int = |this| this.axes.bits() as i64, "keep_dims": Bool = |this| this.keep });

    fn kind(&self) -> Kind {
        Kind::Reduction
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        reduction::infer(cx, self.axes, self.keep, DTypes::NUMBERS)
    }

    fn takes_strides(&self) -> bool {
        true
    }

    fn reduction(&self) -> Option<(Monoid, AxisSet, bool)> {
        Some((Monoid::Sum, self.axes, false))
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        self.reduction().work(call)
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        // SAFETY: the same contract.
        unsafe { self.reduction().cpu("reduce_sum", call, phase, chunk) }
    }

    fn on_complex(&self, inputs: &[&Tensor]) -> Result<Option<Outputs>> {
        each_part(self, inputs[0])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dx = broadcast_back(&g.dy(0)?, &g.input_type(0).shape, self.axes)?;
        g.give(0, dx);
        Ok(())
    }
}

impl ReduceSum {
    fn reduction(&self) -> Reduction {
        Reduction { monoid: Monoid::Sum, axes: self.axes, mean: false }
    }
}

/// The operation that sums over a set of axes.
pub(crate) fn sum_op(axes: AxisSet, keep: bool) -> OpRef {
    ReduceSum { axes, keep }.keep()
}

/// The sum over a set of axes.
#[track_caller]
pub(crate) fn sum_axes(x: &Tensor, axes: AxisSet, keep: bool) -> Result<Tensor> {
    if axes.is_empty() && x.dtype().is_differentiable() {
        // Adding nothing up would only turn -0 into 0.
        return Ok(x.clone());
    }
    execute1(&ReduceSum { axes, keep }, &[x])
}

public! {
    /// The sum of the elements along axes: all for `()`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(tf::reduce_sum(&x, ()).item::<f32>(), 10.0);
    /// assert_eq!(tf::reduce_sum(&x, 0).to_vec::<f32>(), [4.0, 6.0]);
    /// ```
    pub fn reduce_sum, try_reduce_sum(x, axes: impl IntoAxes) -> Tensor {
        let (axes, keep) = axes.into_axes().resolve("reduce_sum", x.rank())?;
        sum_axes(x, axes, keep)
    }
}

impl Tensor {
    /// The sum of all elements: [`reduce_sum`] over `()`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::constant([1.0, 2.0, 6.0]).sum().item::<f32>(), 9.0);
    /// ```
    ///
    /// # Panics
    /// As [`reduce_sum`].
    #[track_caller]
    pub fn sum(&self) -> Tensor {
        reduce_sum(self, ())
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::numbers;
    use crate::{DType, Tensor};

    /// The sum over `axes` has the bits of that of a dense copy, wherever the elements lie.
    fn check(x: &Tensor, axes: &[isize]) {
        let dense = tf::reshape(&tf::reshape(x, [-1]), x.shape().dims());
        for (mine, other) in [
            (tf::reduce_sum(x, axes), tf::reduce_sum(&dense, axes)),
            (tf::reduce_max(x, axes), tf::reduce_max(&dense, axes)),
        ] {
            let bits = |t: &Tensor| t.cast(DType::F64).to_vec::<f64>().into_iter().map(f64::to_bits).collect::<Vec<_>>();
            assert!(bits(&mine) == bits(&other), "{} {} {:?} over {axes:?}", x.dtype(), x.shape(), x.strides());
        }
    }

    #[test]
    fn the_layout_of_an_operand_changes_no_bit() {
        for dtype in [DType::F32, DType::F64, DType::F16, DType::I32] {
            for shape in [[300, 200, 9], [5, 4500, 7], [2, 3, 1000], [70, 65, 64], [1, 700, 300]] {
                let x = tf::cast(&(numbers(5, &shape) * 9.0), dtype);
                for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
                    let x = tf::transpose(&x, order);
                    for axes in [&[0][..], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]] {
                        check(&x, axes);
                        check(&x.at(tf::s![.., .., ..;2]), axes);
                        check(&x.at(tf::s![..;-1, ..;3, ..]), axes);
                    }
                }
            }
        }
    }
}
