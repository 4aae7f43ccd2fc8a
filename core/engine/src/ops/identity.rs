//! `identity`: the same elements as a new tensor, without a copy; dx = dy. `stop_gradient`: the same, but nothing
//! flows back. TensorFlow's `tf.identity` and `tf.stop_gradient`, any dtype.

use super::public;
use kernels::dtype::DTypes;
use kernels::error::Result;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use kernels::shape::MAX_RANK;
use crate::tape::Backward;
use crate::tensor::{Layout, Tensor, TensorType};

#[derive(Clone)]
pub(crate) struct Identity;

#[derive(Clone)]
pub(crate) struct StopGradient;

/// The whole of the input, as it lies.
fn whole(strides: &[isize]) -> Layout {
    let mut layout = Layout { strides: [0; MAX_RANK], offset: 0 };
    for (to, &from) in layout.strides.iter_mut().zip(strides) {
        *to = from;
    }
    layout
}

fn same_type(cx: &mut Infer<'_>) -> Result<()> {
    cx.check_dtype(0, DTypes::MOVABLE)?;
    cx.output(cx.dtype(0), *cx.shape(0));
    Ok(())
}

impl Op for Identity {
    identity!("identity");

    fn kind(&self) -> Kind {
        Kind::View
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        same_type(cx)
    }

    fn view(&self, _: &TensorType, strides: &[isize], _: &TensorType) -> Option<Layout> {
        Some(whole(strides))
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dx = g.dy(0)?;
        g.give(0, dx);
        Ok(())
    }
}

impl Op for StopGradient {
    identity!("stop_gradient");

    fn kind(&self) -> Kind {
        Kind::View
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        same_type(cx)
    }

    fn view(&self, _: &TensorType, strides: &[isize], _: &TensorType) -> Option<Layout> {
        Some(whole(strides))
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("it was asked to stop here")
    }
}

public! {
    /// The same elements as a tensor of its own, which a tape can tell from the first.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::identity(&tf::constant([1, 2])).to_vec::<i32>(), [1, 2]);
    /// ```
    pub fn identity, try_identity(x) -> Tensor {
        execute1(&Identity, &[x])
    }

    /// The same elements, as a constant in the eyes of every tape: no gradient flows back through it.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::Variable::new(3.0);
    /// let tape = tf::GradientTape::new();
    /// let y = &x * tf::stop_gradient(&x);
    /// assert_eq!(tape.gradient(&y, &x).item::<f32>(), 3.0);
    /// ```
    pub fn stop_gradient, try_stop_gradient(x) -> Tensor {
        execute1(&StopGradient, &[x])
    }
}
