//! `diag_with`, `diag_part_with` and `set_diag_with`: bands of diagonals as matrices, taken from matrices and put into them.
//! TensorFlow's `tf.linalg.diag`, `diag_part` and `set_diag` with all arguments. The three are linear: the cotangent of a band is the
//! band of dy, that of a matrix dy with zeros in the band. `diag.rs` has the forms with the main diagonal alone.

mod band;
mod part;
mod set;

use super::operand::{Operand, ToOperand};
use super::{broadcast_to_shape, functions, public, zeros_of};
use crate::execute::execute1;
use crate::ops::NumberOf;
use crate::tensor::{Tensor, TensorType};
use band::Band;
use kernels::dtype::{DType, Number};
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, Shape};
use part::PartOfBand;
use set::SetBand;

/// To which side the shorter diagonals of a band are moved in their rows: TensorFlow's `align`. The first word is of the diagonals above
/// the main one, the second of those below.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DiagonalAlign {
    /// `"RIGHT_LEFT"`, as LAPACK has them.
    #[default]
    RightLeft,
    /// `"LEFT_RIGHT"`, as cuSPARSE has them.
    LeftRight,
    /// `"LEFT_LEFT"`.
    LeftLeft,
    /// `"RIGHT_RIGHT"`.
    RightRight,
}

/// Which diagonals [`diag_with`](fn@crate::diag_with), [`diag_part_with`](fn@crate::diag_part_with) and
/// [`set_diag_with`](fn@crate::set_diag_with) are about. TensorFlow's defaults: the main one alone, and zeros beside it.
///
/// ```
/// use eagerflow::{self as tf, linalg::Diagonals};
/// let x = tf::constant([[1, 2, 3], [4, 5, 6], [7, 8, 9]]);
/// assert_eq!(tf::diag_part_with(&x, &Diagonals::of(1)).to_vec::<i32>(), [2, 6]);
/// assert_eq!(tf::diag_part_with(&x, &Diagonals::of((0, 1))).to_vec::<i32>(), [0, 2, 6, 1, 5, 9]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Diagonals {
    /// The lowest and the highest diagonal: 0 is the main one, those above it count up and those below it down.
    pub k: (i64, i64),
    /// For `diag_with`: the rows of the matrices; without it as few as the diagonals need, or as many as columns if neither is told.
    pub num_rows: Option<Dim>,
    /// For `diag_with`: the columns of the matrices.
    pub num_cols: Option<Dim>,
    /// What stands beside the diagonals, a scalar of the tensor's dtype; no gradient flows to it. `set_diag_with` has no such place.
    pub padding_value: Option<Tensor>,
    /// Where diagonals lie that are shorter than the longest.
    pub align: DiagonalAlign,
}

impl Diagonals {
    /// These diagonals: one number, or the lowest and the highest of a band.
    pub fn of(k: impl IntoBand) -> Self {
        Self { k: k.into_band(), ..Self::default() }
    }
}

/// What can be written for the diagonals of a band: the number of one, or the lowest and the highest.
pub trait IntoBand {
    /// The lowest and the highest.
    #[doc(hidden)]
    fn into_band(self) -> (i64, i64);
}

macro_rules! bands {
    ($($t:ty),*) => {$(
        impl IntoBand for $t {
            fn into_band(self) -> (i64, i64) {
                (self.into(), self.into())
            }
        }
        impl IntoBand for ($t, $t) {
            fn into_band(self) -> (i64, i64) {
                (self.0.into(), self.1.into())
            }
        }
        impl IntoBand for [$t; 2] {
            fn into_band(self) -> (i64, i64) {
                (self[0].into(), self[1].into())
            }
        }
    )*};
}

bands!(i32, i64);

#[doc(hidden)]
/// A plain number or a tensor as what stands beside diagonals of a dtype; none for zero. As in TensorFlow, a number does for truth values.
#[track_caller]
pub fn try_diagonal_padding(value: impl ToOperand, dtype: DType) -> Result<Option<Tensor>> {
    match value.to_operand() {
        Operand::Number(Number::Int(0), _) => Ok(None),
        Operand::Number(Number::Int(number), _) if dtype == DType::Bool => {
            Number::Bool(number != 0).tensor("diag", dtype).map(Some)
        }
        other => other.tensor("diag", dtype).map(|tensor| Some((*tensor).clone())),
    }
}

impl Diagonals {
    fn band(&self, op: &str) -> Result<Band> {
        Band::new(op, self.k, self.align)
    }

    /// What stands beside the diagonals of a tensor, if not zeros.
    #[track_caller]
    fn padding(&self, op: &str, x: &Tensor) -> Result<Option<Tensor>> {
        let Some(value) = &self.padding_value else { return Ok(None) };
        if value.rank() != 0 || value.dtype() != x.dtype() {
            return Err(Error::invalid_argument(op, "the padding is no scalar of the tensor's dtype")
                .got(value.ty())
                .expected(TensorType::scalar(x.dtype())));
        }
        Ok(Some(functions::try_stop_gradient(value)?))
    }

    /// An error for an option that the operation has no use for.
    fn without(&self, op: &str, option: &str, given: bool) -> Result<()> {
        match given {
            false => Ok(()),
            true => Err(Error::invalid_argument(op, format!("`{option}` says nothing here"))
                .help(format!("leave `{option}` at its default"))),
        }
    }

    fn without_sizes(&self, op: &str) -> Result<()> {
        self.without(op, "num_rows", self.num_rows.is_some())?;
        self.without(op, "num_cols", self.num_cols.is_some())
    }
}

/// Matrices of which the given band lies beside one value.
#[track_caller]
fn made(x: &Tensor, how: &Diagonals) -> Result<Tensor> {
    let op = "diag";
    let band = how.band(op)?;
    let axes = if band.is_one() { 1 } else { 2 };
    if x.rank() < axes {
        return Err(Error::invalid_argument(op, "the tensor holds no such diagonals")
            .got(x.ty())
            .expected(format!("at least {axes} axes for {band}")));
    }
    let batch = x.rank() - axes;
    if axes == 2 && !x.shape().dim(batch).can_equal(Dim::known(band.count())) {
        return Err(band.miscounted(op, x.shape().dim(batch)));
    }
    let longest = x.shape().dim(x.rank() - 1);
    let (rows, cols) = band.sizes(op, longest, how.num_rows, how.num_cols)?;
    let mut shape = Shape::from_dims(&x.shape().sizes()[..batch])?;
    for size in [rows, cols] {
        shape = shape.push(size)?;
    }
    let beside = match how.padding(op, x)? {
        Some(value) => value,
        None => zeros_of(&TensorType::scalar(x.dtype()))?,
    };
    execute1(&SetBand { band, strict: false }, &[&broadcast_to_shape(&beside, &shape)?, x])
}

public! {
    /// Matrices with the vectors of the last axis on their diagonals: one diagonal for each vector, or for each matrix of vectors a band of
    /// them, the highest first.
    ///
    /// ```
    /// use eagerflow::{self as tf, linalg::Diagonals};
    /// let x = tf::diag_with(&tf::constant([1, 2]), &Diagonals { num_rows: Some(3.into()), ..Diagonals::of(-1) });
    /// assert_eq!(x.to_vec::<i32>(), [0, 0, 1, 0, 0, 2]);
    /// let band = tf::constant([[0, 8, 9], [1, 2, 3], [4, 5, 0]]);
    /// assert_eq!(tf::diag_with(&band, &Diagonals::of((-1, 1))).to_vec::<i32>(), [1, 8, 0, 4, 2, 9, 0, 5, 3]);
    /// ```
    pub fn diag_with, try_diag_with(x, how: &Diagonals) -> Tensor {
        made(x, how).map_err(|e| e.named("diag"))
    }

    /// Diagonals of the matrices in the last two axes: one as a vector, a band as a matrix with a row for each, the highest first, in which
    /// the shorter ones are filled up.
    ///
    /// ```
    /// use eagerflow::{self as tf, linalg::{DiagonalAlign, Diagonals}};
    /// let x = tf::constant([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(tf::diag_part_with(&x, &Diagonals::of((1, 2))).to_vec::<i32>(), [0, 3, 2, 6]);
    /// let left = Diagonals { align: DiagonalAlign::LeftRight, ..Diagonals::of((1, 2)) };
    /// assert_eq!(tf::diag_part_with(&x, &left).to_vec::<i32>(), [3, 0, 2, 6]);
    /// ```
    pub fn diag_part_with, try_diag_part_with(x, how: &Diagonals) -> Tensor {
        how.without_sizes("diag_part")?;
        let op = PartOfBand { band: how.band("diag_part")?, strict: true };
        let taken = match how.padding("diag_part", x)? {
            Some(value) => execute1(&op, &[x, &value]),
            None => execute1(&op, &[x]),
        };
        taken.map_err(|e| e.named("diag_part"))
    }

    /// The matrices with `diagonal` in place of a diagonal, or of a band laid out as [`diag_part_with`](fn@crate::diag_part_with) gives it.
    ///
    /// ```
    /// use eagerflow::{self as tf, linalg::Diagonals};
    /// let x = tf::set_diag_with(&tf::zeros([2, 3]), &tf::constant([5.0, 6.0]), &Diagonals::of(1));
    /// assert_eq!(x.to_vec::<f32>(), [0.0, 5.0, 0.0, 0.0, 0.0, 6.0]);
    /// ```
    pub fn set_diag_with, try_set_diag_with(x, diagonal: &Tensor, how: &Diagonals) -> Tensor {
        how.without_sizes("set_diag")?;
        how.without("set_diag", "padding_value", how.padding_value.is_some())?;
        let op = SetBand { band: how.band("set_diag")?, strict: true };
        execute1(&op, &[x, diagonal]).map_err(|e| e.named("set_diag"))
    }
}

#[cfg(test)]
mod tests;
