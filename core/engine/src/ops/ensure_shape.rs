//! `ensure_shape`: the tensor itself, if it has the shape that is told; dx = dy. TensorFlow's `tf.ensure_shape`.
//! A traced function that leaves sizes open learns them so: what follows may rely on them, and each call is checked.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, Sizes, identity};
use crate::tape::Backward;
use crate::tensor::{Layout, Tensor, TensorType};
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, IntoShape, MAX_RANK, Shape};
use smallvec::SmallVec;
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct EnsureShape {
    shape: Shape,
}

impl Op for EnsureShape {
    identity!("ensure_shape", { "shape": Shape = |this| &this.shape });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { shape: self.shape.bind(lookup)? })))
    }

    fn kind(&self) -> Kind {
        Kind::View
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::MOVABLE)?;
        let own = *cx.shape(0);
        let fits = own.rank() == self.shape.rank() && own.iter().zip(self.shape.iter()).all(|(a, b)| a.can_equal(b));
        if !fits {
            return Err(Error::invalid_argument("ensure_shape", "the tensor has another shape")
                .got(own)
                .expected(self.shape));
        }
        for (a, b) in own.iter().zip(self.shape.iter()).filter(|(a, b)| a != b) {
            cx.constraints.push(a, b);
        }
        cx.output(cx.dtype(0), self.shape);
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

    fn sizes(&self, inputs: &[&Sizes], _: &[&TensorType], _: usize) -> Option<Sizes> {
        Some(inputs[0].clone())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        // The cotangent has the told sizes, and so the input's.
        let dx = ensured(&g.dy(0)?, g.input_type(0).shape)?;
        g.give(0, dx);
        Ok(())
    }
}

#[track_caller]
fn ensured(x: &Tensor, shape: Shape) -> Result<Tensor> {
    if *x.shape() == shape {
        return Ok(x.clone());
    }
    execute1(&EnsureShape { shape }, &[x])
}

public! {
    /// The tensor itself, if it has this shape; -1 stands for a size that may be anything.
    ///
    /// In a traced function the sizes that are told are known from here on, and each call is checked.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::zeros([2, 3]);
    /// assert_eq!(tf::ensure_shape(&x, [-1, 3]).shape(), [2, 3]);
    /// assert!(tf::try_ensure_shape(&x, [-1, 4]).is_err());
    /// ```
    pub fn ensure_shape, try_ensure_shape(x, shape: impl IntoShape) -> Tensor {
        let wanted = shape.into_target()?;
        if wanted.len() != x.rank() {
            let text = |size: &Option<Dim>| size.map_or_else(|| "-1".into(), |size| size.to_string());
            return Err(Error::invalid_argument("ensure_shape", "the tensor has another rank")
                .got(x.shape())
                .expected(format!("[{}]", wanted.iter().map(text).collect::<Vec<_>>().join(", "))));
        }
        let sizes: SmallVec<[Dim; MAX_RANK]> = wanted.iter().zip(x.shape().iter()).map(|(w, own)| w.unwrap_or(own)).collect();
        ensured(x, Shape::from_dims(&sizes)?)
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn the_same_tensor_or_an_error() {
        check(&|x| tf::ensure_shape(&x[0], [-1, 3]).square(), &[numbers(1, &[2, 3])]);
        let x = tf::zeros([2, 3]);
        assert_eq!(tf::ensure_shape(&x, (-1, x.dim(1))).id(), x.id());
        for (shape, part) in [([2, 4], "[2, 4]"), ([-1, 4], "[2, 4]")] {
            let text = tf::try_ensure_shape(&x, shape).unwrap_err().to_string();
            assert!(text.contains("ensure_shape") && text.contains(part) && text.contains("[2, 3]"), "{text}");
        }
        assert!(tf::try_ensure_shape(&x, [2, 3, 1]).is_err() && tf::try_ensure_shape(&x, [-2, 3]).is_err());
    }
}
