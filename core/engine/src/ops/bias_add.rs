//! `bias_add`: one number per channel added to every row; dbias is the sum of dy over all other dimensions.
//! TensorFlow's `tf.nn.bias_add`, numbers only; an addition underneath, whose gradient already is a sum of columns.

use super::add::Add;
use super::{AsTensor, public, reshape_to};
use kernels::dtype::DTypes;
use kernels::error::{Error, Result, OnTheWay};
use crate::execute::execute1;
use kernels::shape::{Dim, Shape};
use crate::tensor::Tensor;

/// Where the channels of a batch of images lie.
///
/// ```
/// use eagerflow as tf;
/// let (x, bias) = (tf::ones([1, 3, 2, 2]), tf::constant([1.0, 2.0, 3.0]));
/// let y = tf::bias_add_format(&x, &bias, tf::DataFormat::ChannelsFirst);
/// assert_eq!(y.to_vec::<f32>()[..5], [2.0, 2.0, 2.0, 2.0, 3.0]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DataFormat {
    /// In the last dimension: TensorFlow's `"NHWC"`.
    #[default]
    ChannelsLast,
    /// In the second dimension: TensorFlow's `"NCHW"`.
    ChannelsFirst,
}

#[track_caller]
fn add_bias(x: &Tensor, bias: &Tensor, format: DataFormat) -> Result<Tensor> {
    if !DTypes::NUMBERS.and(DTypes::COMPLEX).has(x.dtype()) {
        return Err(Error::invalid_argument("bias_add", "only numbers can be added").got(x.dtype()));
    }
    let axis = if format == DataFormat::ChannelsFirst { 1 } else { x.rank().wrapping_sub(1) };
    if x.rank() < 2 || bias.rank() != 1 || !bias.shape().dim(0).can_equal(x.shape().dim(axis)) {
        return Err(Error::invalid_argument("bias_add", "the bias does not fit the channels")
            .got(format!("{} and a bias of {}", x.shape(), bias.shape()))
            .expected("an input of at least two dimensions, and a vector with a number for each of its channels"));
    }
    if axis + 1 == x.rank() {
        return execute1(&Add, &[x, bias]).map_err(|e| e.named("bias_add"));
    }
    let mut sizes = [Dim::ONE; kernels::shape::MAX_RANK];
    sizes[axis] = bias.shape().dim(0);
    let bias = reshape_to(bias, &Shape::from_dims(&sizes[..x.rank()])?)?;
    execute1(&Add, &[x, &bias]).map_err(|e| e.named("bias_add"))
}

public! {
    /// `bias`, a vector, added to each row of the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::bias_add(&tf::ones([2, 2]), &tf::constant([1.0, 2.0]));
    /// assert_eq!(y.to_vec::<f32>(), [2.0, 3.0, 2.0, 3.0]);
    /// ```
    pub fn bias_add, try_bias_add(x, bias: impl AsTensor) -> Tensor {
        add_bias(x, &bias.as_tensor(), DataFormat::ChannelsLast)
    }

    /// [`bias_add`] for either place of the channels.
    pub fn bias_add_format, try_bias_add_format(x, bias: impl AsTensor, format: DataFormat) -> Tensor {
        add_bias(x, &bias.as_tensor(), format)
    }
}
