//! `cumulative_logsumexp`: running log(sum(exp)) along an axis; dx(i) sums dy(k) exp(x(i) - y(k)) over the results k that x(i) is in.
//! TensorFlow's `tf.math.cumulative_logsumexp`, whose gradient takes logarithms of dy; ours is linear in dy, for forward mode, and the same.

use super::cumprod::recurrence::Recurrence;
use super::cumulative::{Cumulative, scanning};
use super::{add_owned, functions, public};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, Saves, identity};
use crate::tape::Backward;
use crate::tensor::Tensor;
use kernels::backend::cpu::scan::{Running, Scan};
use kernels::backend::cpu::{CpuCall, Work};
use kernels::backend::cuda::{self, CudaCall};
use kernels::dtype::{DType, DTypes};
use kernels::error::Result;
use kernels::shape::resolve_axis;

#[derive(Clone)]
struct CumulativeLogsumexp(Scan);

impl Op for CumulativeLogsumexp {
    scanning!("cumulative_logsumexp", DTypes::FLOATING);

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[0]).and(Saves::outputs(&[0]))
    }

    /// With z the inclusive results, e the exclusive ones and c = exp(e - z), which is at most 1, what x(i) owes is exp(x(i) - z(i)) times
    /// a recurrence from the other end.
    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let (x, y, dy) = (g.input(0)?.clone(), g.output(0)?.clone(), g.dy(0)?);
        let other = execute1(&Self(Scan { exclusive: !self.0.exclusive, ..self.0 }), &[&x])?;
        let (before, whole) = if self.0.exclusive { (y, other) } else { (other, y) };
        // The logarithm of nothing is infinite; from the least number on, nothing is left of what is subtracted.
        let lowest = match x.dtype() {
            DType::F16 => -65504.0,
            DType::BF16 => -3.389_531_389_251_535_5e38,
            DType::F64 => f64::MIN,
            _ => f64::from(f32::MIN),
        };
        let whole = functions::try_maximum(&whole, lowest)?;
        let kept = functions::try_exp(&functions::try_subtract(&before, &whole)?)?;
        let later = Recurrence { axis: self.0.axis, exclusive: true, reverse: !self.0.reverse };
        let owed = match self.0.exclusive {
            true => execute1(&later, &[&kept, &dy])?,
            false => {
                let own = functions::try_multiply(&kept, &dy)?;
                add_owned(execute1(&later, &[&kept, &own])?, &dy)?
            }
        };
        let part = functions::try_exp(&functions::try_subtract(&x, &whole)?)?;
        g.give(0, functions::try_multiply(&part, &owed)?);
        Ok(())
    }
}

public! {
    /// The logarithm of the sum of the exponentials of each element and all before it along `axis`; large elements do not overflow.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::cumulative_logsumexp(&tf::constant([1000.0, 1000.0]), 0);
    /// assert!((y.at(1).item::<f32>() - 1000.6931).abs() < 1e-3);
    /// ```
    pub fn cumulative_logsumexp, try_cumulative_logsumexp(x, axis: isize) -> Tensor {
        try_cumulative_logsumexp_with(x, axis, Cumulative::default())
    }

    /// As [`cumulative_logsumexp`], exclusive (the first is then -inf) or from the other end.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let before = tf::Cumulative { exclusive: true, ..Default::default() };
    /// let y = tf::cumulative_logsumexp_with(&tf::constant([1.0, 2.0]), 0, before);
    /// assert_eq!(y.to_vec::<f32>(), [f32::NEG_INFINITY, 1.0]);
    /// ```
    pub fn cumulative_logsumexp_with, try_cumulative_logsumexp_with(x, axis: isize, how: Cumulative) -> Tensor {
        let axis = resolve_axis("cumulative_logsumexp", axis, x.rank())?;
        execute1(&CumulativeLogsumexp(how.scan(Running::LogSumExp, axis)), &[x])
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};
    use tf::Cumulative;

    #[test]
    fn gradients_every_way() {
        for (axis, reverse) in [(0, false), (1, true), (-1, false)] {
            let how = Cumulative { exclusive: false, reverse };
            check(&|x| tf::cumulative_logsumexp_with(&x[0], axis, how).square(), &[numbers(1, &[2, 3, 2])]);
            let before = Cumulative { exclusive: true, reverse };
            check(&|x| tf::cumulative_logsumexp_with(&x[0], axis, before).exp(), &[numbers(1, &[2, 3, 2])]);
        }
    }

    #[test]
    fn edges_and_refusals() {
        let (inf, nan) = (f32::INFINITY, f32::NAN);
        let y = tf::cumulative_logsumexp(&tf::constant([-inf, -inf, 1.0, inf, inf, 2.0]), 0);
        assert_eq!(y.to_vec::<f32>(), [-inf, -inf, 1.0, inf, inf, inf]);
        assert!(tf::cumulative_logsumexp(&tf::constant([1.0, nan]), 0).to_vec::<f32>()[1].is_nan());
        assert_eq!(tf::cumulative_logsumexp(&tf::zeros([3, 0]), 0).shape(), [3, 0]);
        assert!(tf::try_cumulative_logsumexp(&tf::constant([1]), 0).is_err());
        assert!(tf::try_cumulative_logsumexp(&tf::constant(1.0), 0).is_err());
    }
}
