//! `reduce_all`: whether all elements over axes are true; truth values have no gradient.
//! TensorFlow's `tf.reduce_all`, `bool` only; true over no elements.

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
pub(crate) struct ReduceAll {
    axes: AxisSet,
    keep: bool,
}

impl Op for ReduceAll {
    identity!("reduce_all", { "axes": Int = |this| this.axes.bits() as i64, "keep_dims": Bool = |this| this.keep });
    reduction::fold!(DTypes::BOOL, |this| Reduction { monoid: Monoid::All, axes: this.axes, mean: false });

    fn gradient(&self) -> Gradient {
        Gradient::Stops("truth values carry no gradient")
    }
}

public! {
    /// Whether all elements along axes are true: over all for `()`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[true, false], [true, true]]);
    /// assert_eq!(tf::reduce_all(&x, 1).to_vec::<bool>(), [false, true]);
    /// ```
    pub fn reduce_all, try_reduce_all(x, axes: impl IntoAxes) -> Tensor {
        let (axes, keep) = axes.into_axes().resolve("reduce_all", x.rank())?;
        execute1(&ReduceAll { axes, keep }, &[x])
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;

    #[test]
    fn any_and_all_over_nothing_and_over_many() {
        let none = tf::cast(&tf::zeros([0, 2]), tf::DType::Bool);
        assert_eq!(none.reduce_all(0).to_vec::<bool>(), [true; 2]);
        assert_eq!(none.reduce_any(0).to_vec::<bool>(), [false; 2]);
        let one = tf::equal(&tf::range(0, 100_000, 1), 77_777);
        assert!(one.reduce_any(()).item::<bool>() && !one.reduce_all(()).item::<bool>());
        assert!(tf::logical_not(&one).reduce_any(()).item::<bool>());
        assert!(tf::try_reduce_all(&tf::constant([1.0]), ()).is_err());
    }
}
