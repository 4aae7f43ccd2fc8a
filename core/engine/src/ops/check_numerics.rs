//! `check_numerics`: the tensor itself, behind an assertion that its elements are finite; so must its gradient be.
//! `debugging::check_numerics` makes it. TensorFlow's `tf.debugging.check_numerics`.

use crate::execute::execute1;
use crate::op::{Attr, Gradient, Infer, Kind, Op, identity};
use crate::ops::{Assert, Line, assert_all};
use crate::tape::Backward;
use crate::tensor::{Layout, Tensor, TensorType};
use kernels::dtype::DTypes;
use kernels::error::Result;
use kernels::shape::MAX_RANK;

/// The input, which an assertion has looked at.
#[derive(Clone)]
pub(crate) struct CheckNumerics {
    /// The user's message.
    message: String,
}

impl Op for CheckNumerics {
    identity!("check_numerics", kept);

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("message", Attr::Text(&self.message));
    }

    fn kind(&self) -> Kind {
        Kind::View
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::FLOATING)?;
        cx.output(cx.dtype(0), *cx.shape(0));
        Ok(())
    }

    fn view(&self, _: &TensorType, strides: &[isize], _: &TensorType) -> Option<Layout> {
        let mut layout = Layout { strides: [0; MAX_RANK], offset: 0 };
        layout.strides[..strides.len()].copy_from_slice(strides);
        Some(layout)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dx = g.dy(0)?;
        assert_finite(&dx, &format!("in the gradient: {}", self.message))?;
        g.give(0, dx);
        Ok(())
    }
}

#[track_caller]
fn assert_finite(x: &Tensor, message: &str) -> Result<()> {
    let assert = Assert { name: "check_numerics", claim: "x is finite", message: Line::text(message) };
    assert_all(&assert, &[&x.try_is_finite()?, x])
}

/// The tensor behind the assertion.
#[track_caller]
pub(crate) fn check_numerics(x: &Tensor, message: &str) -> Result<Tensor> {
    assert_finite(x, message)?;
    execute1(&CheckNumerics { message: message.to_owned() }, &[x])
}
