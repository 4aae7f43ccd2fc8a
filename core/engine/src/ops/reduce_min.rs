//! `reduce_min`: the smallest element over axes; dx = dy, shared equally among the elements that are equally small.
//! TensorFlow's `tf.reduce_min`: NaN if any element is, the dtype's highest value (inf) over no elements.

use super::axes::IntoAxes;
use super::public;
use super::reduction::{self, Reduction};
use kernels::backend::cpu::reduce::Monoid;
use kernels::dtype::DTypes;
use kernels::error::Result;
use crate::execute::execute1;
use crate::op::{Gradient, Op, Saves, identity};
use kernels::shape::{AxisSet, Bits};
use crate::tape::Backward;
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct ReduceMin {
    axes: AxisSet,
    keep: bool,
}

impl Op for ReduceMin {
    identity!("reduce_min", { "axes": Int = |this| this.axes.bits() as i64, "keep_dims": Bool = |this| this.keep });
    reduction::fold!(DTypes::NUMBERS, |this| Reduction { monoid: Monoid::Min, axes: this.axes, mean: false });

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[0]).and(Saves::outputs(&[0]))
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        reduction::share_among_ties(g, self.axes)
    }
}

public! {
    /// The smallest element along axes: over all for `()`. A row that holds NaN gives NaN.
    ///
    /// Over an empty axis it is the highest value of the dtype, inf for floats.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1.0, 5.0], [7.0, 2.0]]);
    /// assert_eq!(tf::reduce_min(&x, 1).to_vec::<f32>(), [1.0, 2.0]);
    /// assert_eq!(x.reduce_min(()).item::<f32>(), 1.0);
    /// ```
    pub fn reduce_min, try_reduce_min(x, axes: impl IntoAxes) -> Tensor {
        let (axes, keep) = axes.into_axes().resolve("reduce_min", x.rank())?;
        execute1(&ReduceMin { axes, keep }, &[x])
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients() {
        check(&|x| tf::reduce_min(&x[0], [0, -1]), &[numbers(1, &[2, 4, 3])]);
        check(&|x| tf::reduce_min(&x[0], ()), &[numbers(2, &[5])]);
        assert_eq!(tf::zeros([0]).reduce_min(()).item::<f32>(), f32::INFINITY);
    }
}
