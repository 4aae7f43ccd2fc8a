//! `cumsum`: running sums along an axis; dx is the running sum of dy from the other end.
//! TensorFlow's `tf.cumsum`, numbers only, forwards or in reverse; 16-bit floats are added up in f32.

use super::cumulative::{Cumulative, scanning};
use super::public;
use kernels::backend::cpu::scan::{Running, Scan};
use kernels::backend::cpu::{CpuCall, Work};
use kernels::backend::cuda::{self, CudaCall};
use kernels::dtype::DTypes;
use kernels::error::Result;
use crate::execute::execute1;
use crate::meaning::each_part;
use crate::op::{Gradient, Infer, Kind, Op, Outputs, identity};
use kernels::shape::resolve_axis;
use crate::tape::Backward;
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Cumsum(Scan);

impl Op for Cumsum {
    scanning!("cumsum");

    fn on_complex(&self, inputs: &[&Tensor]) -> Result<Option<Outputs>> {
        each_part(self, inputs[0])
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let back = Self(Scan { reverse: !self.0.reverse, ..self.0 });
        let dx = execute1(&back, &[&g.dy(0)?])?;
        g.give(0, dx);
        Ok(())
    }
}

public! {
    /// The sum of each element and all before it along `axis`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(tf::cumsum(&x, 1).to_vec::<i32>(), [1, 3, 6, 4, 9, 15]);
    /// ```
    pub fn cumsum, try_cumsum(x, axis: isize) -> Tensor {
        try_cumsum_with(x, axis, Cumulative::default())
    }

    /// As [`cumsum`], exclusive or from the other end.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let back = tf::Cumulative { reverse: true, ..Default::default() };
    /// assert_eq!(tf::cumsum_with(&tf::constant([1, 2, 3]), 0, back).to_vec::<i32>(), [6, 5, 3]);
    /// ```
    pub fn cumsum_with, try_cumsum_with(x, axis: isize, how: Cumulative) -> Tensor {
        let axis = resolve_axis("cumsum", axis, x.rank())?;
        execute1(&Cumsum(how.scan(Running::Sum, axis)), &[x])
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};
    use tf::Cumulative;

    #[test]
    fn gradients_every_way() {
        for (axis, exclusive, reverse) in [(0, false, false), (1, true, false), (-1, false, true), (1, true, true)] {
            let how = Cumulative { exclusive, reverse };
            check(&|x| tf::cumsum_with(&x[0], axis, how).square(), &[numbers(1, &[2, 3, 2])]);
        }
    }

    #[test]
    fn any_axis_agrees_with_a_plain_loop() {
        let shape = [7, 40, 700];
        let x = tf::cast(&(numbers(2, &shape) * 50.0), tf::DType::I64);
        let values = x.to_vec::<i64>();
        for axis in 0..3 {
            let stride: usize = shape[axis + 1..].iter().product();
            for (exclusive, reverse) in [(false, false), (true, false), (false, true), (true, true)] {
                let got = tf::cumsum_with(&x, axis as isize, Cumulative { exclusive, reverse }).to_vec::<i64>();
                for (i, got) in got.into_iter().enumerate().step_by(97) {
                    let (at, base) = (i / stride % shape[axis], i - i / stride % shape[axis] * stride);
                    let sum = |range: std::ops::Range<usize>| range.map(|k| values[base + k * stride]).sum::<i64>();
                    let skip = usize::from(exclusive);
                    let want = if reverse { sum(at + skip..shape[axis]) } else { sum(0..at + 1 - skip) };
                    assert_eq!(got, want);
                }
            }
        }
    }

    #[test]
    fn edges() {
        assert_eq!(tf::cumsum(&tf::zeros([0, 3]), 0).shape(), [0, 3]);
        assert_eq!(tf::cumsum(&tf::zeros([3, 0]), 0).shape(), [3, 0]);
        assert_eq!(tf::cumsum(&tf::ones([1; 8]), -1).to_vec::<f32>(), [1.0]);
        let x = tf::cast(&tf::constant([200, 100]), tf::DType::U8);
        assert_eq!(tf::cumsum(&x, 0).to_vec::<u8>(), [200, 44]);
        assert!(tf::try_cumsum(&tf::constant(1), 0).is_err() && tf::try_cumsum(&tf::constant([true]), 0).is_err());
    }
}
