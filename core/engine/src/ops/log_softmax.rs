//! `log_softmax`: x - log(sum(exp(x))) along an axis; dx = dy - exp(y) * sum(dy).
//! TensorFlow's `tf.nn.log_softmax`, floating-point only; exact where the softmax itself would underflow.

use super::multiply::Multiply;
use super::normalise::{along_an_axis, along_axis_work, axis_of, in_columns, infer_same, on_gpu, part, part_mut, planes_of};
use super::softmax::{Softmax, sum_along};
use super::subtract::Subtract;
use super::{public, zeros_of};
use kernels::backend::cpu::softmax_columns::Normalise;
use kernels::backend::cpu::widen::Staged;
use kernels::backend::cpu::{CpuCall, softmax_rows, Work};
use kernels::backend::cuda::{CudaCall, RowKernel, row_kernel};
use kernels::dtype::DType;
use kernels::error::Result;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, Saves, identity};
use crate::tape::Backward;
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct LogSoftmax {
    pub axis: usize,
}

/// Inputs: a logarithm of a softmax, and its cotangent.
#[derive(Clone)]
struct LogSoftmaxGradient {
    axis: usize,
}

impl Op for LogSoftmax {
    along_an_axis!("log_softmax", "log_softmax.cuh", LogSoftmax, log_softmax(x));

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::outputs(&[0])
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dx = execute1(&LogSoftmaxGradient { axis: self.axis }, &[g.output(0)?, &g.dy(0)?])?;
        g.give(0, dx);
        Ok(())
    }
}

impl Op for LogSoftmaxGradient {
    along_an_axis!("log_softmax_gradient", "log_softmax.cuh", LogSoftmaxGradient, log_softmax_gradient(y, dy));

    fn saves(&self, needs: &[bool]) -> Saves {
        if needs[0] { Saves::inputs(&[0, 1]) } else { Saves::inputs(&[0]) }
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let u = g.dy(0)?;
        // The exponential of a logarithm of a softmax is its own softmax.
        let weighted = execute1(&Multiply, &[&u, &execute1(&Softmax { axis: self.axis }, &[g.input(0)?])?])?;
        if g.needs(1) {
            let ddy = execute1(&Subtract, &[&u, &sum_along(&weighted, self.axis)?])?;
            g.give(1, ddy);
        }
        if g.needs(0) {
            let product = execute1(&Multiply, &[&weighted, &sum_along(g.input(1)?, self.axis)?])?;
            let dy = execute1(&Subtract, &[&zeros_of(g.input_type(0))?, &product])?;
            g.give(0, dy);
        }
        Ok(())
    }
}

public! {
    /// The logarithm of [`softmax`](crate::softmax) along `axis`, without its loss of digits.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::log_softmax(&tf::constant([0.0, -1000.0]), -1);
    /// assert_eq!(y.to_vec::<f32>(), [0.0, -1000.0]);
    /// ```
    pub fn log_softmax, try_log_softmax(x, axis: isize) -> Tensor {
        execute1(&LogSoftmax { axis: axis_of("log_softmax", x, axis)? }, &[x])
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_of_both_orders() {
        for (shape, axis) in [(&[3, 4][..], -1), (&[3, 2], 0), (&[2, 3, 2], 1), (&[1, 40, 2], 1), (&[33, 17], 0), (&[5], -1), (&[0, 3], -1), (&[3, 4, 0], 1), (&[2, 0, 3], 1)] {
            check(&|x| tf::log_softmax(&x[0], axis), &[numbers(7, shape)]);
        }
    }

    #[test]
    fn it_is_the_logarithm_of_softmax() {
        let x = numbers(3, &[30, 40]) * 3.0;
        let (log, y) = (tf::log_softmax(&x, 1).to_vec::<f64>(), tf::softmax(&x, 1).to_vec::<f64>());
        assert!(log.iter().zip(&y).all(|(log, y)| (log - y.ln()).abs() < 1e-12));
        assert!(tf::try_log_softmax(tf::constant([1, 2]), 0).is_err());
        assert!(tf::try_log_softmax(tf::ones([2, 2]), -3).is_err());
    }
}
