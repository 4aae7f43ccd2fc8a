//! `transpose`: the dimensions in another order, a view without a copy; dx = dy in the inverse order.
//! TensorFlow's `tf.transpose`.

use super::public;
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use kernels::shape::{Dim, MAX_RANK, Shape, resolve_axis};
use crate::tape::Backward;
use crate::tensor::{Layout, Tensor, TensorType};
use smallvec::SmallVec;

#[derive(Clone)]
pub(crate) struct Transpose {
    order: SmallVec<[i64; MAX_RANK]>,
}

impl Op for Transpose {
    identity!("transpose", { "perm": Ints = |this| &this.order });

    fn kind(&self) -> Kind {
        Kind::View
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::MOVABLE)?;
        let dims: SmallVec<[Dim; MAX_RANK]> = self.order.iter().map(|&a| cx.shape(0).dim(a as usize)).collect();
        cx.output(cx.dtype(0), Shape::from_dims(&dims)?);
        Ok(())
    }

    fn view(&self, _: &TensorType, strides: &[isize], _: &TensorType) -> Option<Layout> {
        let mut layout = Layout { strides: [0; MAX_RANK], offset: 0 };
        for (to, &from) in layout.strides.iter_mut().zip(&self.order) {
            *to = strides[from as usize];
        }
        Some(layout)
    }

    fn keeps_order(&self) -> bool {
        self.order.iter().copied().eq(0..self.order.len() as i64)
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let mut inverse: SmallVec<[i64; MAX_RANK]> = SmallVec::from_elem(0, self.order.len());
        for (to, &from) in self.order.iter().enumerate() {
            inverse[from as usize] = to as i64;
        }
        let dx = execute1(&Transpose { order: inverse }, &[&g.dy(0)?])?;
        g.give(0, dx);
        Ok(())
    }
}

/// The order of dimensions as an operation, checked.
fn order_of(op: &str, perm: &[isize], rank: usize) -> Result<SmallVec<[i64; MAX_RANK]>> {
    let mut order = SmallVec::new();
    for &axis in perm {
        order.push(resolve_axis(op, axis, rank)? as i64);
    }
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if sorted.iter().copied().ne(0..rank as i64) {
        return Err(Error::invalid_argument(op, "the order must name every dimension once")
            .got(format!("{perm:?}"))
            .expected(format!("a permutation of 0..{rank}")));
    }
    Ok(order)
}

/// The dimensions in an order that is known to be a permutation; the same handle if it changes nothing.
#[track_caller]
pub(crate) fn permuted(x: &Tensor, order: &[usize]) -> Result<Tensor> {
    if order.iter().copied().eq(0..x.rank()) {
        return Ok(x.clone());
    }
    execute1(&Transpose { order: order.iter().map(|&a| a as i64).collect() }, &[x])
}

/// The last two dimensions swapped.
#[track_caller]
pub(crate) fn swap_last(x: &Tensor) -> Result<Tensor> {
    let rank = x.rank() as i64;
    let mut order: SmallVec<[i64; MAX_RANK]> = (0..rank).collect();
    order.swap(rank as usize - 1, rank as usize - 2);
    execute1(&Transpose { order }, &[x])
}

public! {
    /// Matrices, or batches of them, with their last two dimensions swapped. No element is copied.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(tf::linalg::matrix_transpose(&x).to_vec::<i32>(), [1, 4, 2, 5, 3, 6]);
    /// ```
    pub fn matrix_transpose, try_matrix_transpose(x) -> Tensor {
        if x.rank() < 2 {
            return Err(Error::invalid_argument("matrix_transpose", "the tensor holds no matrices")
                .got(x.ty())
                .expected("at least two dimensions"));
        }
        swap_last(x)
    }

    /// The dimensions in the order `perm`; reversed if it is empty. No element is copied.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(tf::transpose(&x, []).to_vec::<i32>(), [1, 4, 2, 5, 3, 6]);
    /// assert_eq!(tf::transpose(&tf::ones([2, 3, 4]), [0, 2, 1]).shape(), [2, 4, 3]);
    /// ```
    pub fn transpose, try_transpose(x, perm: impl AsRef<[isize]>) -> Tensor {
        let rank = x.rank();
        let order = match perm.as_ref() {
            [] => (0..rank as i64).rev().collect(),
            perm => order_of("transpose", perm, rank)?,
        };
        execute1(&Transpose { order }, &[x])
    }
}

impl Tensor {
    /// The transposed tensor: its dimensions in reverse order, without a copy.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::ones([2, 3]).t().shape(), [3, 2]);
    /// ```
    #[track_caller]
    pub fn t(&self) -> Tensor {
        self.transpose([])
    }
}
