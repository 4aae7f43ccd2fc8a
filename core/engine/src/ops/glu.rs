//! `glu`: the first half along an axis, times the logistic function of the second; gradients are those of its parts.
//! Keras' `keras.activations.glu`, floats (Dauphin et al., Language modeling with gated convolutional networks, 2017).

use super::multiply::Multiply;
use super::public;
use super::sigmoid::Sigmoid;
use super::split::try_split;
use crate::execute::execute1;
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay};
use kernels::shape::resolve_axis;

public! {
    /// The gated linear unit: half of the tensor along `axis`, each element times the logistic function of its partner in the
    /// other half. The axis must have an even size.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::glu(&tf::constant([[3.0, 4.0, 0.0, 100.0]]), -1);
    /// assert_eq!(y.to_vec::<f32>(), [1.5, 4.0]);
    /// ```
    pub fn glu, try_glu(x, axis: isize) -> Tensor {
        let place = resolve_axis("glu", axis, x.rank())?;
        if x.shape().dim(place).known_value().is_some_and(|size| size % 2 != 0) {
            return Err(Error::invalid_argument("glu", "the axis does not have two halves")
                .got(format!("{} along axis {axis}", x.shape()))
                .expected("an even size"));
        }
        let halves = try_split(x, 2_usize, axis).map_err(|e| e.named("glu"))?;
        let gate = execute1(&Sigmoid, &[&halves[1]]).map_err(|e| e.named("glu"))?;
        execute1(&Multiply, &[&halves[0], &gate])
    }
}
