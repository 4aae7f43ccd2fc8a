//! `reduce_any`: whether any element over axes is true; truth values have no gradient.
//! TensorFlow's `tf.reduce_any`, `bool` only; false over no elements.

use super::axes::IntoAxes;
use super::public;
use super::reduction::{self, Reduction};
use kernels::backend::cpu::reduce::Monoid;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Op, identity};
use kernels::shape::{AxisSet, Bits};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct ReduceAny {
    axes: AxisSet,
    keep: bool,
}

impl Op for ReduceAny {
    identity!("reduce_any", { "axes": Int = |this| this.axes.bits() as i64, "keep_dims": Bool = |this| this.keep });
    reduction::fold!(DTypes::BOOL, |this| Reduction { monoid: Monoid::Any, axes: this.axes, mean: false });

    fn gradient(&self) -> Gradient {
        Gradient::Stops("truth values carry no gradient")
    }
}

public! {
    /// Whether any element along axes is true: over all for `()`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[true, false], [false, false]]);
    /// assert_eq!(tf::reduce_any(&x, 1).to_vec::<bool>(), [true, false]);
    /// ```
    pub fn reduce_any, try_reduce_any(x, axes: impl IntoAxes) -> Tensor {
        let (axes, keep) = axes.into_axes().resolve("reduce_any", x.rank())?;
        execute1(&ReduceAny { axes, keep }, &[x])
    }
}
