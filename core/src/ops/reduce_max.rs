//! `reduce_max`: the largest element over axes; dx = dy, shared equally among the elements that are equally large.
//! TensorFlow's `tf.reduce_max`: NaN if any element is, the dtype's lowest value (-inf) over no elements.

use super::axes::IntoAxes;
use super::public;
use super::reduction::{self, Reduction};
use crate::backend::cpu::reduce::Monoid;
use crate::dtype::DTypes;
use crate::error::Result;
use crate::execute::execute1;
use crate::op::{Gradient, Op, Saves, identity};
use crate::shape::AxisSet;
use crate::tape::Backward;
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct ReduceMax {
    axes: AxisSet,
    keep: bool,
}

impl Op for ReduceMax {
    identity!("reduce_max", { "axes": Int = |this| this.axes.bits() as i64, "keep_dims": Bool = |this| this.keep });
    reduction::fold!(DTypes::NUMBERS, |this| Reduction { monoid: Monoid::Max, axes: this.axes, mean: false });

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
    /// The largest element along axes: over all for `()`. A row that holds NaN gives NaN.
    ///
    /// Over an empty axis it is the lowest value of the dtype, -inf for floats.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1.0, 5.0], [7.0, 2.0]]);
    /// assert_eq!(tf::reduce_max(&x, 1).to_vec::<f32>(), [5.0, 7.0]);
    /// assert_eq!(x.reduce_max(()).item::<f32>(), 7.0);
    /// ```
    pub fn reduce_max, try_reduce_max(x, axes: impl IntoAxes) -> Tensor {
        let (axes, keep) = axes.into_axes().resolve("reduce_max", x.rank())?;
        execute1(&ReduceMax { axes, keep }, &[x])
    }
}
