//! Parts of variables: what an index names is read, or assigned to where it lies.
//! TensorFlow's `v[1:3].assign(x)`; users call it as `v.at(s![1..3]).assign(x)`.

use super::index::{AnyIndex, IntoIndex, Parts};
use super::{Part, rows_of, take};
use crate::execute::execute;
use crate::ops::assign::read_variable;
use crate::ops::slice::AssignPart;
use crate::ops::where_indices::indices_of;
use crate::ops::{AsTensor, Operand, ToOperand, functions, reshape_to, zeros_of};
use crate::tensor::{Tensor, TensorRef, TensorType};
use crate::variable::Variable;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::{Dim, MAX_RANK, Shape};
use smallvec::SmallVec;
use std::fmt;
use std::panic::Location;

/// A part of a [`Variable`], as [`Variable::at`] names it: it is read, or assigned to.
///
/// A function that takes tensors takes the part as well, and reads it then.
#[must_use = "a part of a variable does nothing until it is read or assigned to"]
pub struct VariablePart<'a> {
    variable: &'a Variable,
    index: Result<AnyIndex>,
}

/// What is done to the part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Set,
    Add,
    Sub,
}

impl Variable {
    /// The part that an index, a range, [`s![]`](crate::s) or a tensor of row numbers or truth values names, by the rules of
    /// [`Tensor::at`]: TensorFlow's `v[...]`, which is read or assigned to.
    ///
    /// ```
    /// use eagerflow::{self as tf, s};
    /// let v = tf::Variable::new([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    /// v.at(s![1.., 0]).assign(tf::constant([30.0, 50.0]));
    /// v.at(0).assign_add(10.0);
    /// assert_eq!(v.value().to_vec::<f32>(), [11.0, 12.0, 30.0, 4.0, 50.0, 6.0]);
    /// assert_eq!(v.at(-1).value().to_vec::<f32>(), [50.0, 6.0]);
    /// ```
    #[track_caller]
    pub fn at(&self, index: impl IntoIndex) -> VariablePart<'_> {
        VariablePart { variable: self, index: index.into_index() }
    }
}

impl VariablePart<'_> {
    /// The present value of the part. Nothing is copied, and later writes do not change what was read.
    ///
    /// # Panics
    /// As [`try_value`](Self::try_value) fails.
    #[track_caller]
    pub fn value(&self) -> Tensor {
        self.try_value().or_fail()
    }

    /// The present value of the part.
    ///
    /// # Errors
    /// As [`Tensor::try_at`].
    #[track_caller]
    pub fn try_value(&self) -> Result<Tensor> {
        let here = Location::caller();
        let read = match &self.index {
            Ok(AnyIndex::Parts(parts)) => read_variable(self.variable.as_handle()).and_then(|x| take(&x, parts)),
            Ok(AnyIndex::Rows(rows)) => read_variable(self.variable.as_handle()).and_then(|x| rows_of(&x, rows)),
            Err(error) => Err(error.clone().in_op("at")),
        };
        read.map_err(|e| e.variable(self.variable.label()).at(here))
    }

    #[track_caller]
    fn change(&self, value: Operand<'_>, change: Change) -> Result<()> {
        let here = Location::caller();
        let changed = match (value.tensor("assign", self.variable.dtype()), &self.index) {
            (Ok(value), Ok(AnyIndex::Parts(parts))) => self.change_part(parts, &value, change),
            (Ok(value), Ok(AnyIndex::Rows(rows))) => self.change_rows(rows, &value, change),
            (_, Err(error)) => Err(error.clone().in_op("at")),
            (Err(error), _) => Err(error),
        };
        changed.map_err(|e| e.variable(self.variable.label()).at(here))
    }

    #[track_caller]
    fn change_part(&self, parts: &Parts, value: &Tensor, change: Change) -> Result<()> {
        let ty = TensorType::new(self.variable.dtype(), self.variable.shape());
        let part = Part::named(&ty, parts)?;
        let result = Shape::from_dims(&part.result)?;
        let slice = part.slice()?;
        let value = spread(value, &result)?;
        let value = match change {
            Change::Sub => negative(&value)?,
            _ => value,
        };
        let value = reshape_to(&value, &slice.size)?;
        execute(&AssignPart { slice, adds: change != Change::Set }, &[self.variable.as_handle(), &value]).map(drop)
    }

    /// Rows by number, and elements or rows where a mask is true.
    #[track_caller]
    fn change_rows(&self, rows: &Tensor, value: &Tensor, change: Change) -> Result<()> {
        let whole = self.variable.shape();
        let by_mask = rows.dtype() == DType::Bool;
        let (names, covered) = match by_mask {
            true => {
                let covered = whole.sizes().get(..rows.rank());
                let fits = covered.is_some_and(|sizes| sizes.iter().zip(rows.shape().iter()).all(|(a, b)| a.can_equal(b)));
                if rows.rank() == 0 || !fits {
                    return Err(Error::invalid_argument("at", "the mask does not fit the variable")
                        .got(format!("{} for {whole}", rows.ty()))
                        .expected("truth values with the sizes of the first axes"));
                }
                (indices_of(rows)?, rows.rank())
            }
            false => (rows.clone(), 1),
        };
        if whole.rank() == 0 {
            return Err(Error::invalid_argument("at", "a scalar has no rows").got(rows.ty()));
        }
        let outer = if by_mask { 1 } else { names.rank() };
        let dims: SmallVec<[Dim; MAX_RANK]> =
            names.shape().iter().take(outer).chain(whole.iter().skip(covered)).collect();
        let value = spread(value, &Shape::from_dims(&dims)?)?;
        let v = self.variable;
        let written = match (change, by_mask) {
            (Change::Set, false) => v.try_scatter_update(&names, &value),
            (Change::Add, false) => v.try_scatter_add(&names, &value),
            (Change::Sub, false) => v.try_scatter_sub(&names, &value),
            (Change::Set, true) => v.try_scatter_nd_update(&names, &value),
            (Change::Add, true) => v.try_scatter_nd_add(&names, &value),
            (Change::Sub, true) => v.try_scatter_nd_sub(&names, &value),
        };
        written.map_err(|e| e.named("assign"))
    }
}

impl AsTensor for VariablePart<'_> {
    #[track_caller]
    fn as_tensor(&self) -> TensorRef<'_> {
        TensorRef::Owned(self.value())
    }
}

impl fmt::Debug for VariablePart<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.try_value() {
            Ok(value) => value.fmt(f),
            Err(error) => error.fmt(f),
        }
    }
}

/// The value in the shape of what it is assigned to.
#[track_caller]
fn spread(value: &Tensor, to: &Shape) -> Result<Tensor> {
    if value.shape() == to {
        return Ok(value.clone());
    }
    // Sizes that only the run knows are taken to be the same, which the run checks axis by axis.
    let same = |(from, to): (Dim, Dim)| from == to || (from.known_value().is_none() && from.can_equal(to));
    if value.rank() == to.rank() && value.shape().iter().zip(to.iter()).all(same) {
        return functions::try_ensure_shape(value, *to).map_err(|e| e.named("assign"));
    }
    let fits = value.rank() <= to.rank()
        && value.shape().iter().rev().zip(to.iter().rev()).all(|(from, to)| from == Dim::ONE || from.can_equal(to));
    if !fits {
        return Err(Error::invalid_argument("assign", "the value does not fit the part")
            .got(value.shape())
            .expected(format!("{to}, or what broadcasts to it")));
    }
    functions::try_broadcast_to(value, *to)
}

/// What is added to subtract; unsigned numbers go round.
#[track_caller]
fn negative(x: &Tensor) -> Result<Tensor> {
    match DTypes::of(&[DType::U8, DType::U16, DType::U32, DType::U64]).has(x.dtype()) {
        true => functions::try_subtract(&zeros_of(x.ty())?, x),
        false => functions::try_neg(x),
    }
}

macro_rules! changes {
    ($($(#[$doc:meta])* $name:ident $try_name:ident $change:ident;)*) => {
        impl VariablePart<'_> {$(
            $(#[$doc])*
            ///
            /// The value has the variable's dtype and the part's shape, or broadcasts to it. What was read before stays as it was. The
            /// time is that of the part, unless somebody holds the old value: the variable is copied then.
            ///
            /// # Panics
            #[doc = concat!("As [`", stringify!($try_name), "`](Self::", stringify!($try_name), ") fails.")]
            #[track_caller]
            pub fn $name(&self, value: impl ToOperand) {
                self.$try_name(value).or_fail()
            }

            #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") that answers an error instead of panicking.")]
            ///
            /// # Errors
            /// OutOfRange for an index outside the variable, InvalidArgument for a value of another dtype or of a shape that does not fit
            /// and for a variable of strings; the value is then unchanged.
            #[track_caller]
            pub fn $try_name(&self, value: impl ToOperand) -> Result<()> {
                self.change(value.to_operand(), Change::$change)
            }
        )*}
    };
}

changes! {
    /// Sets the part. Of rows that a tensor of numbers names twice, the last counts.
    ///
    /// ```
    /// use eagerflow::{self as tf, s};
    /// let v = tf::Variable::new([1, 2, 3, 4]);
    /// v.at(s![..;2]).assign(tf::constant([10, 30]));
    /// v.at(tf::greater(v.value(), 5)).assign(0);
    /// assert_eq!(v.value().to_vec::<i32>(), [0, 2, 0, 4]);
    /// ```
    assign try_assign Set;

    /// Adds to the part. Rows that a tensor of numbers names twice are added to twice.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let v = tf::Variable::new([1, 2, 3, 4]);
    /// v.at(1..3).assign_add(10);
    /// assert_eq!(v.value().to_vec::<i32>(), [1, 12, 13, 4]);
    /// ```
    assign_add try_assign_add Add;

    /// Subtracts from the part. Rows that a tensor of numbers names twice are subtracted from twice.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let v = tf::Variable::new([1, 2, 3, 4]);
    /// v.at(-1).assign_sub(4);
    /// assert_eq!(v.value().to_vec::<i32>(), [1, 2, 3, 0]);
    /// ```
    assign_sub try_assign_sub Sub;
}
