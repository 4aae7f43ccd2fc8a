//! `cumprod`: running products along an axis; dx is the product of the elements before, times what the later results owe.
//! TensorFlow's `tf.cumprod`, whose gradient divides by x and is wrong where x is 0; ours never divides and is right.

pub(super) mod recurrence;

use super::conj::conjugate;
use super::cumulative::{Cumulative, scanning};
use super::multiply::Multiply;
use super::{add_owned, public};
use kernels::backend::cpu::scan::{Running, Scan};
use kernels::backend::cpu::{CpuCall, Work};
use kernels::backend::cuda::{self, CudaCall};
use kernels::dtype::DTypes;
use kernels::error::Result;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, Saves, identity};
use kernels::shape::resolve_axis;
use crate::tape::Backward;
use crate::tensor::Tensor;
use recurrence::Recurrence;

#[derive(Clone)]
pub(crate) struct Cumprod(Scan);

impl Op for Cumprod {
    scanning!("cumprod");

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[0])
    }

    /// Of complex numbers by their conjugates.
    /// dx(i) = before(i) * sum over the results k that x(i) is in of dy(k) * the elements between i and k.
    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let (x, dy) = (conjugate(g.input(0)?)?, g.dy(0)?);
        let before = products(&x, self.0.axis, Cumulative { exclusive: true, reverse: self.0.reverse })?;
        let later = Recurrence { axis: self.0.axis, exclusive: true, reverse: !self.0.reverse };
        let owed = match self.0.exclusive {
            true => execute1(&later, &[&x, &dy])?,
            false => add_owned(execute1(&later, &[&x, &times(&x, &dy)?])?, &dy)?,
        };
        g.give(0, times(&before, &owed)?);
        Ok(())
    }
}

#[track_caller]
fn times(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    execute1(&Multiply, &[a, b])
}

/// Running products along an axis that exists.
#[track_caller]
pub(crate) fn products(x: &Tensor, axis: usize, how: Cumulative) -> Result<Tensor> {
    execute1(&Cumprod(how.scan(Running::Prod, axis)), &[x])
}

public! {
    /// The product of each element and all before it along `axis`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(tf::cumprod(&x, 1).to_vec::<i32>(), [1, 2, 6, 4, 20, 120]);
    /// ```
    pub fn cumprod, try_cumprod(x, axis: isize) -> Tensor {
        try_cumprod_with(x, axis, Cumulative::default())
    }

    /// As [`cumprod`], exclusive or from the other end.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let before = tf::Cumulative { exclusive: true, ..Default::default() };
    /// assert_eq!(tf::cumprod_with(&tf::constant([2, 3, 4]), 0, before).to_vec::<i32>(), [1, 2, 6]);
    /// ```
    pub fn cumprod_with, try_cumprod_with(x, axis: isize, how: Cumulative) -> Tensor {
        products(x, resolve_axis("cumprod", axis, x.rank())?, how)
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};
    use tf::Cumulative;

    #[test]
    fn gradients_are_right_also_at_zeros() {
        let zeros = tf::constant_of([[2.0, 0.0, 3.0, 4.0], [0.0, 1.0, 0.0, 2.0], [1.0, 2.0, 3.0, 0.0]], tf::DType::F64);
        for (exclusive, reverse) in [(false, false), (true, false), (false, true), (true, true)] {
            let how = Cumulative { exclusive, reverse };
            check(&|x| tf::cumprod_with(&x[0], 1, how), &[numbers(1, &[2, 3, 2])]);
            check(&|x| tf::cumprod_with(&x[0], 1, how), std::slice::from_ref(&zeros));
            check(&|x| tf::cumprod_with(&x[0], 0, how).square(), std::slice::from_ref(&zeros));
        }
    }

    #[test]
    fn third_derivatives_go_through_the_recurrence() {
        let slope = |x: &[tf::Tensor]| {
            let mut tape = tf::GradientTape::new();
            tape.watch(&x[0]);
            let y = tf::cumprod(&x[0], 0).square();
            tape.gradient(&y, &x[0])
        };
        check(&slope, &[tf::constant_of([0.5, 0.0, -1.5, 0.0, 2.0], tf::DType::F64)]);
    }

    #[test]
    fn edges() {
        assert_eq!(tf::cumprod(&tf::zeros([3, 0]), 0).shape(), [3, 0]);
        let x = tf::cast(&tf::constant([100, 3]), tf::DType::U8);
        assert_eq!(tf::cumprod(&x, 0).to_vec::<u8>(), [100, 44]);
        assert!(tf::try_cumprod(&tf::constant(1), 0).is_err() && tf::try_cumprod(&tf::constant([true]), 0).is_err());
    }
}
