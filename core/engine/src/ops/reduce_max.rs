//! `reduce_max`: the largest element over axes; dx = dy, shared equally among the elements that are equally large.
//! TensorFlow's `tf.reduce_max`: NaN if any element is, the dtype's lowest value (-inf) over no elements.

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

/// The largest element over a set of axes, which stay with size 1.
#[track_caller]
pub(crate) fn max_axes(x: &Tensor, axes: AxisSet) -> Result<Tensor> {
    execute1(&ReduceMax { axes, keep: true }, &[x])
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

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_and_ties() {
        check(&|x| tf::reduce_max(&x[0], 1), &[numbers(1, &[2, 4, 3])]);
        check(&|x| tf::reduce_max(&x[0], tf::keep_dims([0, 2])), &[numbers(2, &[2, 4, 3])]);
        let x = tf::constant([[1.0, 3.0, 3.0], [2.0, f32::NAN, 2.0]]);
        let mut tape = tf::GradientTape::new();
        tape.watch(&x);
        let y = x.reduce_max(1);
        assert!(y.to_vec::<f32>()[1].is_nan());
        let dx = tape.gradient(&y, &x).to_vec::<f32>();
        assert_eq!(dx[..3], [0.0, 0.5, 0.5]);
        assert!(dx[3..].iter().all(|d| d.is_nan()));
    }

    #[test]
    fn large_inputs_of_any_layout_agree_with_a_plain_loop() {
        let x = numbers(3, &[70, 300, 5]);
        let values = x.to_vec::<f64>();
        let want: Vec<f64> = (0..70 * 5)
            .map(|i| (0..300).map(|j| values[i / 5 * 1500 + j * 5 + i % 5]).fold(f64::NEG_INFINITY, f64::max))
            .collect();
        assert_eq!(x.reduce_max(1).to_vec::<f64>(), want);
        assert_eq!(x.transpose([1, 0, 2]).reduce_max(0).to_vec::<f64>(), want);
        assert_eq!(tf::reverse(&x, 1).reduce_max(1).to_vec::<f64>(), want);
    }

    #[test]
    fn nothing_gives_the_lowest_value() {
        assert_eq!(tf::zeros([0, 2]).reduce_max(0).to_vec::<f32>(), [f32::NEG_INFINITY; 2]);
        assert_eq!(tf::zeros([2, 0]).reduce_max(0).shape(), [0]);
        assert_eq!(tf::cast(&tf::zeros([0]), tf::DType::I8).reduce_max(()).item::<i8>(), i8::MIN);
        assert!(tf::try_reduce_max(&tf::constant([true]), ()).is_err());
        assert!(tf::try_reduce_max(&tf::constant([1]), 1).is_err());
    }
}
