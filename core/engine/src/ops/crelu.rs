//! `crelu`: relu of x and of -x, one after another along an axis; gradients are those of its parts.
//! TensorFlow's `tf.nn.crelu`, floats and signed integers (Shang et al., Understanding and improving CNNs by CReLU, 2016).

use super::neg::Neg;
use super::relu::Relu;
use super::{concat_all, public};
use crate::execute::execute1;
use crate::tensor::Tensor;
use kernels::error::OnTheWay;
use kernels::shape::resolve_axis;

public! {
    /// The positive part of each element, and behind them along `axis` the sizes of the negative parts.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::crelu(&tf::constant([[-1.0, 2.0]]), -1);
    /// assert_eq!(y.to_vec::<f32>(), [0.0, 2.0, 1.0, 0.0]);
    /// ```
    pub fn crelu, try_crelu(x, axis: isize) -> Tensor {
        let axis = resolve_axis("crelu", axis, x.rank())?;
        let negative = execute1(&Neg, &[x]).map_err(|e| e.named("crelu"))?;
        let both = concat_all(&[x, &negative], axis)?;
        execute1(&Relu, &[&both]).map_err(|e| e.named("crelu"))
    }
}
