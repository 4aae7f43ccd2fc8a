//! `reduce_prod`: the product over axes; dx = dy times the product of all other elements, right also where some are 0.
//! TensorFlow's `tf.reduce_prod`, numbers only; integers wrap, and the product of no elements is 1.

use super::axes::IntoAxes;
use super::conj::conjugate;
use super::cumprod::products;
use super::cumulative::Cumulative;
use super::multiply::Multiply;
use super::reduction::{self, Reduction};
use super::transpose::permuted;
use super::{concat_all, ones_of, public, reshape_to, slice_axis};
use kernels::backend::cpu::reduce::Monoid;
use kernels::dtype::DTypes;
use kernels::error::Result;
use crate::execute::execute1;
use crate::op::{Gradient, Op, Outputs, Saves, identity};
use kernels::shape::{AxisSet, Dim, MAX_RANK, Shape, Bits};
use crate::tape::Backward;
use crate::tensor::{Tensor, TensorType};
use smallvec::{SmallVec, smallvec};

#[derive(Clone)]
pub(crate) struct ReduceProd {
    axes: AxisSet,
    keep: bool,
}

impl Op for ReduceProd {
    identity!("reduce_prod", { "axes": Int = |this| this.axes.bits() as i64, "keep_dims": Bool = |this| this.keep });
    reduction::fold!(DTypes::NUMBERS, |this| Reduction { monoid: Monoid::Prod, axes: this.axes, mean: false });

    /// The last of the running products along the folded axes, with a 1 in front for products of nothing.
    fn on_complex(&self, inputs: &[&Tensor]) -> Result<Option<Outputs>> {
        let x = inputs[0];
        let Rows { rows, .. } = rows_of(x, self.axes)?;
        let axis = rows.rank() - 1;
        let one = ones_of(&TensorType::new(x.dtype(), rows.shape().with(axis, Dim::ONE)?))?;
        let running = products(&concat_all(&[&one, &rows], axis)?, axis, Cumulative::default())?;
        let last = slice_axis(&running, axis, rows.shape().dim(axis), Dim::ONE)?;
        Ok(Some(smallvec![reshape_to(&last, &reduction::reduced_shape(x.shape(), self.axes, self.keep)?)?]))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[0])
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        // Real numbers are their own conjugates.
        let (x, dy) = (conjugate(g.input(0)?)?, g.dy(0)?);
        let Rows { rows, turned, order } = rows_of(&x, self.axes)?;
        let last = rows.rank() - 1;
        let dy = reshape_to(&dy, &rows.shape().with(last, Dim::ONE)?)?;
        // All others are those before times those after.
        let before = products(&rows, last, Cumulative { exclusive: true, reverse: false })?;
        let after = products(&rows, last, Cumulative { exclusive: true, reverse: true })?;
        let others = execute1(&Multiply, &[&before, &after])?;
        let dx = reshape_to(&execute1(&Multiply, &[&others, &dy])?, &turned)?;
        let mut inverse: SmallVec<[usize; MAX_RANK]> = SmallVec::from_elem(0, order.len());
        order.iter().enumerate().for_each(|(to, &from)| inverse[from] = to);
        g.give(0, permuted(&dx, &inverse)?);
        Ok(())
    }
}

/// A tensor with its folded axes behind the others, as one axis.
struct Rows {
    rows: Tensor,
    /// The shape with the folded axes behind the others, still apart, and that order of axes.
    turned: Shape,
    order: SmallVec<[usize; MAX_RANK]>,
}

#[track_caller]
fn rows_of(x: &Tensor, axes: AxisSet) -> Result<Rows> {
    let kept = axes.complement(x.rank());
    let order: SmallVec<[usize; MAX_RANK]> = kept.iter().chain(axes.iter()).collect();
    let turned = permuted(x, &order)?;
    let mut dims: SmallVec<[Dim; MAX_RANK]> = kept.iter().map(|a| x.shape().dim(a)).collect();
    let count = Shape::from_dims(&axes.iter().map(|a| x.shape().dim(a)).collect::<SmallVec<[Dim; 8]>>())?;
    dims.push(count.element_count());
    let rows = reshape_to(&turned, &Shape::from_dims(&dims)?)?;
    Ok(Rows { rows, turned: *turned.shape(), order })
}

public! {
    /// The product of the elements along axes: over all for `()`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(tf::reduce_prod(&x, ()).item::<f32>(), 24.0);
    /// assert_eq!(tf::reduce_prod(&x, 0).to_vec::<f32>(), [3.0, 8.0]);
    /// ```
    pub fn reduce_prod, try_reduce_prod(x, axes: impl IntoAxes) -> Tensor {
        let (axes, keep) = axes.into_axes().resolve("reduce_prod", x.rank())?;
        execute1(&ReduceProd { axes, keep }, &[x])
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_are_right_also_at_zeros() {
        check(&|x| tf::reduce_prod(&x[0], [0, 2]), &[numbers(1, &[2, 3, 2])]);
        check(&|x| tf::reduce_prod(&x[0], tf::keep_dims(1)), &[numbers(2, &[2, 3, 2])]);
        check(&|x| tf::reduce_prod(&x[0], ()), &[numbers(3, &[])]);
        let zeros = tf::constant_of([[0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]], tf::DType::F64);
        check(&|x| tf::reduce_prod(&x[0], 1), std::slice::from_ref(&zeros));
        check(&|x| tf::reduce_prod(&x[0], 0).square(), std::slice::from_ref(&zeros));
    }

    #[test]
    fn of_nothing_it_is_one() {
        assert_eq!(tf::zeros([0, 2]).reduce_prod(0).to_vec::<f32>(), [1.0; 2]);
        let x = tf::constant_of(&[2.0; 1000][..], tf::DType::F64);
        assert_eq!(x.reduce_prod(()).item::<f64>(), 2f64.powi(1000));
    }
}
