//! Jacobians: the derivative of every element of a target, by one walk backwards for each.
//! Methods of both tapes; the walks run over kept entries, so their operations can be recorded like any others.

use super::active_tape::{Running, value_type};
use super::driver::Seed;
use super::gradient_tape::{GradientTape, PersistentTape};
use super::{Differentiable, Sources};
use crate::ops;
use crate::tape::{Cotangent, Gradients};
use crate::tensor::local::{InName, user_line};
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use kernels::shape::{Dim, Shape};
use smallvec::SmallVec;

/// A vector that is one at one place, in a floating-point dtype.
fn one_at(index: usize, len: usize, dtype: DType) -> Result<Tensor> {
    let mut elements = vec![0.0f32; len];
    elements[index] = 1.0;
    ops::cast_to(&Tensor::from(elements), dtype)
}

/// The number of elements in the dimensions of a target from `first` on. Each has a walk of its own, so a function that is
/// being traced gets a trace for these sizes.
#[track_caller]
fn pinned_count(op: &str, target: &Tensor, first: usize) -> Result<usize> {
    (first..target.rank()).map(|axis| ops::pinned_size(op, target.shape(), axis)).product()
}

fn floating(op: &str, target: &Tensor) -> Result<()> {
    if target.dtype().is_floating() {
        return Ok(());
    }
    Err(Error::invalid_argument(op, "the target is not floating-point")
        .got(target.ty())
        .expected("a float dtype")
        .help("differentiate before the conversion to integers"))
}

/// Puts the rows of one source under each other along `axis`; a row that is missing between others is zero.
fn stacked(rows: Vec<Option<Cotangent>>, ty: &TensorType, axis: usize, shape: &Shape) -> Result<Option<Tensor>> {
    if !rows.is_empty() && rows.iter().all(Option::is_none) {
        return Ok(None);
    }
    let row_shape = insert_one(&ty.shape, axis)?;
    let row = |row: Option<Cotangent>| {
        let row = row.map_or_else(|| ops::zeros_of(ty), Cotangent::into_dense)?;
        ops::reshape_to(&row, &row_shape)
    };
    let rows = rows.into_iter().map(row).collect::<Result<Vec<_>>>()?;
    let all = match rows.as_slice() {
        [] => ops::zeros_of(&TensorType::new(ty.dtype, *shape))?,
        [one] => one.clone(),
        rows => ops::concat_all(&rows.iter().collect::<Vec<_>>(), axis)?,
    };
    ops::reshape_to(&all, shape).map(Some)
}

fn insert_one(shape: &Shape, axis: usize) -> Result<Shape> {
    let mut dims = shape.sizes().to_vec();
    dims.insert(axis, Dim::ONE);
    Shape::from_dims(&dims)
}

impl Running {
    /// One list of rows per source: the gradients of `target` for each of `seeds`.
    fn rows(
        &self,
        target: &Tensor,
        handles: &[&Tensor],
        seeds: impl Iterator<Item = Result<Tensor>>,
    ) -> Result<Vec<Vec<Option<Cotangent>>>> {
        let mut rows: Vec<Vec<Option<Cotangent>>> = handles.iter().map(|_| Vec::new()).collect();
        for seed in seeds {
            let seed = SmallVec::from_buf([Seed::Given(seed?)]);
            let list = self.with_kept(|entries| self.walk(&[target], seed, handles, entries))?;
            rows.iter_mut().zip(list).for_each(|(rows, row)| rows.push(row));
        }
        Ok(rows)
    }

    #[track_caller]
    fn jacobian(&self, target: &Tensor, handles: &[&Tensor]) -> Result<Gradients> {
        floating("jacobian", target)?;
        let count = pinned_count("jacobian", target, 0)?;
        let seeds = (0..count).map(|i| ops::reshape_to(&one_at(i, count, target.dtype())?, target.shape()));
        let rows = self.rows(target, handles, seeds)?;
        let mut list = SmallVec::new();
        for (rows, handle) in rows.into_iter().zip(handles) {
            let ty = value_type(handle);
            let shape = Shape::from_dims(&[target.shape().sizes(), ty.shape.sizes()].concat())?;
            list.push(stacked(rows, &ty, 0, &shape)?.map(Cotangent::Dense));
        }
        let reasons = self.reasons(&[target], handles, &list);
        Ok(Gradients { list, reasons })
    }

    #[track_caller]
    fn batch_jacobian(&self, target: &Tensor, handle: &Tensor) -> Result<Tensor> {
        floating("batch_jacobian", target)?;
        let ty = value_type(handle);
        let (&[batch, ref inner @ ..], &[rows, ref within @ ..]) = (target.shape().sizes(), ty.shape.sizes()) else {
            return Err(Error::invalid_argument("batch_jacobian", "target and source need a batch axis")
                .got(format!("{} and {ty}", target.ty())));
        };
        if batch.is_known() && rows.is_known() && batch != rows {
            return Err(Error::invalid_argument("batch_jacobian", "target and source have different batch sizes")
                .got(format!("{} and {ty}", target.ty()))
                .expected("the same first dimension"));
        }
        let count = pinned_count("batch_jacobian", target, 1)?;
        let element = Shape::from_dims(&[&[Dim::ONE], inner].concat())?;
        let seeds = (0..count).map(|i| {
            let one = ops::reshape_to(&one_at(i, count, target.dtype())?, &element)?;
            ops::broadcast_to_shape(&one, target.shape())
        });
        let mut all = self.rows(target, &[handle], seeds)?;
        let shape = Shape::from_dims(&[&[batch], inner, within].concat())?;
        let mut list = SmallVec::new();
        list.push(stacked(all.swap_remove(0), &ty, 1, &shape)?.map(Cotangent::Dense));
        let reasons = self.reasons(&[target], &[handle], &list);
        Ok(Gradients { list, reasons }.try_to_vec()?.swap_remove(0))
    }
}

macro_rules! jacobians {
    ($tape:ident, $this:ty, $ready:expr) => {
        impl $tape {
            /// The derivative of every element of `target` by every element of the sources: its shape is the target's
            /// followed by the source's.
            ///
            /// ```
            /// use eagerflow as tf;
            /// let x = tf::constant([1.0, 2.0]);
            /// let mut tape = tf::GradientTape::new();
            /// tape.watch(&x);
            /// let y = &x * &x;
            /// assert_eq!(tape.jacobian(&y, &x).to_vec::<f32>(), [2.0, 0.0, 0.0, 4.0]);
            /// ```
            ///
            /// # Panics
            /// As [`try_jacobian`](Self::try_jacobian) fails.
            #[track_caller]
            pub fn jacobian<S: Sources>(self: $this, target: &Tensor, sources: S) -> S::Answer {
                self.try_jacobian(target, sources).or_fail()
            }

            /// [`jacobian`](Self::jacobian) that answers an error instead of panicking.
            ///
            /// # Errors
            /// InvalidArgument for a target that is not floating-point, and as
            /// [`try_gradient`](GradientTape::try_gradient) for sources without a gradient.
            #[track_caller]
            pub fn try_jacobian<S: Sources>(self: $this, target: &Tensor, sources: S) -> Result<S::Answer> {
                let here = user_line();
                let _name = InName::of(Some(here));
                $ready(&self.0);
                let handles = sources.handles();
                let all = |gradients: &Gradients| gradients.tensors().cloned().collect();
                let list = self.0.remembered(|| self.0.jacobian(target, &handles), all);
                list.and_then(S::answer).map_err(|e| e.at(here))
            }

            /// The Jacobian of each example of a batch: for a target `[b, ...t]` and a source `[b, ...s]`, where
            /// example `i` of the target depends on example `i` of the source alone, a tensor `[b, ...t, ...s]`.
            ///
            /// ```
            /// use eagerflow as tf;
            /// let x = tf::constant([[1.0, 2.0], [3.0, 4.0]]);
            /// let mut tape = tf::GradientTape::new();
            /// tape.watch(&x);
            /// let y = &x * &x;
            /// let j = tape.batch_jacobian(&y, &x);
            /// assert_eq!(j.shape(), [2, 2, 2]);
            /// assert_eq!(j.to_vec::<f32>(), [2.0, 0.0, 0.0, 4.0, 6.0, 0.0, 0.0, 8.0]);
            /// ```
            ///
            /// # Panics
            /// As [`try_batch_jacobian`](Self::try_batch_jacobian) fails.
            #[track_caller]
            pub fn batch_jacobian(self: $this, target: &Tensor, source: impl Differentiable) -> Tensor {
                self.try_batch_jacobian(target, source).or_fail()
            }

            /// [`batch_jacobian`](Self::batch_jacobian) that answers an error instead of panicking.
            ///
            /// # Errors
            /// InvalidArgument for different batch sizes, and as [`try_jacobian`](Self::try_jacobian).
            #[track_caller]
            pub fn try_batch_jacobian(self: $this, target: &Tensor, source: impl Differentiable) -> Result<Tensor> {
                let here = user_line();
                let _name = InName::of(Some(here));
                $ready(&self.0);
                let ask = || self.0.batch_jacobian(target, source.handle());
                self.0.remembered(ask, |answer| SmallVec::from_elem(answer.clone(), 1)).map_err(|e| e.at(here))
            }
        }
    };
}

// A tape that gives one gradient does not record the walks.
jacobians!(GradientTape, Self, Running::stop);
jacobians!(PersistentTape, &Self, |_| ());
