//! `softmax`: exp(x) / sum(exp(x)) along an axis; dx = y * (dy - sum(y * dy)).
//! TensorFlow's `tf.nn.softmax`, floating-point only; the maximum is taken off first, so nothing overflows.

use super::multiply::Multiply;
use super::normalise::{along_an_axis, along_axis_work, axis_of, in_columns, infer_same, on_gpu, part, part_mut, planes_of};
use super::subtract::Subtract;
use super::{public, sum_axes};
use kernels::backend::cpu::softmax_columns::Normalise;
use kernels::backend::cpu::widen::Staged;
use kernels::backend::cpu::{CpuCall, softmax_rows, Work};
use kernels::backend::cuda::{CudaCall, RowKernel, row_kernel};
use kernels::dtype::DType;
use kernels::error::Result;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, Saves, identity};
use kernels::shape::AxisSet;
use crate::tape::Backward;
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Softmax {
    pub axis: usize,
}

/// Inputs: a softmax, and its cotangent.
#[derive(Clone)]
pub(crate) struct SoftmaxGradient {
    pub axis: usize,
}

impl Op for Softmax {
    along_an_axis!("softmax", "softmax.cuh", Softmax, softmax(x));

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::outputs(&[0])
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dx = execute1(&SoftmaxGradient { axis: self.axis }, &[g.output(0)?, &g.dy(0)?])?;
        g.give(0, dx);
        Ok(())
    }
}

impl Op for SoftmaxGradient {
    along_an_axis!("softmax_gradient", "softmax.cuh", SoftmaxGradient, softmax_gradient(y, dy));

    fn saves(&self, needs: &[bool]) -> Saves {
        if needs[0] { Saves::inputs(&[0, 1]) } else { Saves::inputs(&[0]) }
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let u = g.dy(0)?;
        if g.needs(1) {
            // Linear in dy, and symmetric.
            let ddy = execute1(self, &[g.input(0)?, &u])?;
            g.give(1, ddy);
        }
        if g.needs(0) {
            let (y, dy) = (g.input(0)?, g.input(1)?);
            let along = |a: &Tensor, b: &Tensor| sum_along(&execute1(&Multiply, &[a, b])?, self.axis);
            let first = execute1(&Multiply, &[&u, &execute1(&Subtract, &[dy, &along(y, dy)?])?])?;
            let second = execute1(&Multiply, &[dy, &along(&u, y)?])?;
            g.give(0, execute1(&Subtract, &[&first, &second])?);
        }
        Ok(())
    }
}

/// The sum along an axis, which stays with size 1.
#[track_caller]
pub(crate) fn sum_along(x: &Tensor, axis: usize) -> Result<Tensor> {
    sum_axes(x, AxisSet::of(&[axis]), true)
}

/// The sum along the last axis, which stays with size 1.
#[track_caller]
pub(crate) fn sum_last(x: &Tensor) -> Result<Tensor> {
    sum_along(x, x.rank() - 1)
}

public! {
    /// Exponentials along `axis`, divided by their sum: positive numbers that add up to 1.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::softmax(&tf::constant([1000.0, 1000.0]), -1).to_vec::<f32>(), [0.5, 0.5]);
    /// ```
    pub fn softmax, try_softmax(x, axis: isize) -> Tensor {
        execute1(&Softmax { axis: axis_of("softmax", x, axis)? }, &[x])
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};
    use crate::{DType, f16};

    #[test]
    fn gradients_of_both_orders() {
        for (shape, axis) in [(&[3, 4][..], -1), (&[3, 2], 0), (&[2, 3, 2], 1), (&[1, 40, 2], 1), (&[33, 17], 0), (&[5], -1), (&[0, 3], -1), (&[3, 4, 0], 1), (&[2, 0, 3], 1)] {
            check(&|x| tf::softmax(&x[0], axis), &[numbers(7, shape)]);
        }
    }

    #[test]
    fn rows_add_up_to_one() {
        let x = numbers(3, &[700, 50]) * 20.0;
        for sum in tf::reduce_sum(tf::softmax(&x, -1), 1).to_vec::<f64>() {
            assert!((sum - 1.0).abs() < 1e-12);
        }
        let half = tf::softmax(tf::ones([2, 4]).cast(DType::F16), 0);
        assert_eq!(half.to_vec::<f16>(), [f16::from_f32(0.5); 8]);
    }

    #[test]
    fn bad_input_is_refused() {
        assert!(tf::try_softmax(tf::constant([1, 2]), 0).is_err());
        assert!(tf::try_softmax(tf::constant(1.0), 0).is_err());
        assert!(tf::try_softmax(tf::ones([2, 2]), 2).is_err());
    }
}
