//! `reverse`: the elements along axes in the opposite order, a view without a copy; dx = dy, reversed again.
//! TensorFlow's `tf.reverse`; an empty list of axes reverses none.

use super::axes::IntoAxes;
use super::public;
use kernels::dtype::DTypes;
use kernels::error::Result;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use kernels::shape::{AxisSet, MAX_RANK, Bits};
use crate::tape::Backward;
use crate::tensor::{Layout, Tensor, TensorType};

#[derive(Clone)]
pub(crate) struct Reverse {
    axes: AxisSet,
}

impl Op for Reverse {
    identity!("reverse", { "axes": Int = |this| this.axes.bits() as i64 });

    fn kind(&self) -> Kind {
        Kind::View
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::MOVABLE)?;
        cx.output(cx.dtype(0), *cx.shape(0));
        Ok(())
    }

    fn view(&self, input: &TensorType, strides: &[isize], _: &TensorType) -> Option<Layout> {
        let mut layout = Layout { strides: [0; MAX_RANK], offset: 0 };
        for (axis, &size) in input.shape.dims().iter().enumerate() {
            layout.strides[axis] = strides[axis];
            if self.axes.contains(axis) && size > 0 {
                layout.strides[axis] = -strides[axis];
                layout.offset += strides[axis] * (size as isize - 1);
            }
        }
        if input.shape.num_elements() == 0 {
            layout.offset = 0;
        }
        Some(layout)
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dx = reverse_axes(&g.dy(0)?, self.axes)?;
        g.give(0, dx);
        Ok(())
    }
}

/// The elements along a set of axes in the opposite order.
#[track_caller]
pub(crate) fn reverse_axes(x: &Tensor, axes: AxisSet) -> Result<Tensor> {
    execute1(&Reverse { axes }, &[x])
}

public! {
    /// The elements along `axes` in the opposite order; `()` reverses all of them. No element is copied.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(tf::reverse(&x, 1).to_vec::<i32>(), [3, 2, 1, 6, 5, 4]);
    /// assert_eq!(tf::reverse(&x, [0, 1]).to_vec::<i32>(), [6, 5, 4, 3, 2, 1]);
    /// ```
    pub fn reverse, try_reverse(x, axes: impl IntoAxes) -> Tensor {
        let (axes, _) = axes.into_axes().resolve("reverse", x.rank())?;
        reverse_axes(x, axes)
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_and_edges() {
        check(&|x| tf::reverse(&x[0], [0, -1]).square(), &[numbers(1, &[2, 3, 2])]);
        let x = tf::constant([[1, 2], [3, 4]]);
        let y = tf::reverse(&tf::transpose(&x, []), 0);
        assert_eq!(y.to_vec::<i32>(), [2, 4, 1, 3]);
        assert!(!y.is_contiguous());
        assert_eq!(tf::reverse(&x, Vec::new()).to_vec::<i32>(), [1, 2, 3, 4]);
        assert_eq!(tf::reverse(&tf::zeros([0, 3]), 0).shape(), [0, 3]);
        assert_eq!(tf::reverse(&tf::ones([1; 8]), ()).shape(), [1; 8]);
        assert!(tf::try_reverse(&x, 2).is_err());
    }
}
