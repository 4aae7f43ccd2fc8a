//! Sparse writes of variables: rows at given indices are set, added to, multiplied and so on; no gradient flows through them.
//! TensorFlow's `scatter_update`, `scatter_nd_update` and their kin. All indices are checked before anything is written.

use super::scatter_nd::{Target, check_updates};
use super::{AsTensor, reshape};
use kernels::backend::cpu::indexed_rows::Write;
use kernels::backend::cpu::{CpuCall, Work};
use kernels::backend::cuda::CudaCall;
use kernels::dtype::DTypes;
use kernels::error::{Error, OrFail, Result};
use crate::execute::execute;
use crate::op::{Access, Gradient, Infer, Kind, Op, OpRef};
use crate::variable::Variable;
use std::panic::Location;

/// Inputs: a variable's handle, indices `[..., depth]`, updates `[..., rest of the shape after depth]`. No output.
#[derive(Clone)]
pub(crate) struct ScatterVariable {
    write: Write,
    /// Whether the user writes tuples, or numbers of rows, of which the operation makes tuples of one.
    tuples: bool,
}

impl Op for ScatterVariable {
    fn name(&self) -> &'static str {
        match (self.write, self.tuples) {
            (Write::Set, true) => "scatter_nd_update",
            (Write::Add, true) => "scatter_nd_add",
            (Write::Sub, true) => "scatter_nd_sub",
            (Write::Set, false) => "scatter_update",
            (Write::Add, false) => "scatter_add",
            (Write::Sub, false) => "scatter_sub",
            (Write::Mul, _) => "scatter_mul",
            (Write::Div, _) => "scatter_div",
            (Write::Max | Write::Greatest, _) => "scatter_max",
            (Write::Min | Write::Least, _) => "scatter_min",
        }
    }

    fn keep(&self) -> OpRef {
        OpRef::Static(match (self.write, self.tuples) {
            (Write::Set, true) => &ScatterVariable { write: Write::Set, tuples: true },
            (Write::Add, true) => &ScatterVariable { write: Write::Add, tuples: true },
            (Write::Sub, true) => &ScatterVariable { write: Write::Sub, tuples: true },
            (Write::Set, false) => &ScatterVariable { write: Write::Set, tuples: false },
            (Write::Add, false) => &ScatterVariable { write: Write::Add, tuples: false },
            (Write::Sub, false) => &ScatterVariable { write: Write::Sub, tuples: false },
            (Write::Mul, _) => &ScatterVariable { write: Write::Mul, tuples: false },
            (Write::Div, _) => &ScatterVariable { write: Write::Div, tuples: false },
            (Write::Max | Write::Greatest, _) => &ScatterVariable { write: Write::Max, tuples: false },
            (Write::Min | Write::Least, _) => &ScatterVariable { write: Write::Min, tuples: false },
        })
    }

    fn as_dyn(&self) -> &dyn Op {
        self
    }

    fn kind(&self) -> Kind {
        Kind::Effect
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        let (ty, _) = cx.resource(0)?;
        cx.check_dtype(1, DTypes::INTEGERS)?;
        cx.check_dtype(2, DTypes::of(&[ty.dtype]))?;
        if matches!(self.write, Write::Max | Write::Min) && !DTypes::NUMBERS.has(ty.dtype) {
            return Err(Error::invalid_argument(self.name(), "only real numbers have an order").got(ty));
        }
        if self.write != Write::Set && !DTypes::NUMBERS.and(DTypes::COMPLEX).has(ty.dtype) {
            return Err(Error::invalid_argument(self.name(), "only numbers can be added, multiplied or divided").got(ty));
        }
        check_updates(self.name(), cx.shape(1), cx.shape(2), &ty.shape)
    }

    fn access(&self, _: usize) -> Access {
        Access::Update
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let [out, indices, updates] = [0, 1, 2].map(|i| &call.inputs[i]);
        Target { op: self.name(), write: self.write, out, indices, updates }.work(updates)
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let [out, indices, updates] = [0, 1, 2].map(|i| &call.inputs[i]);
        let target = Target { op: self.name(), write: self.write, out, indices, updates };
        // SAFETY: the variable's memory is dense and seen by nobody else; the rest is as `work` says.
        unsafe { target.run(call, phase, chunk, self.work(call).phases[1], |_, _| {}) }
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let [out, indices, updates] = [0, 1, 2].map(|i| &call.inputs[i]);
        let target = Target { op: self.name(), write: self.write, out, indices, updates };
        // SAFETY: the variable's memory is dense and seen by nobody else.
        unsafe { target.run_cuda(call, true) }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("no gradient flows through an assignment")
    }
}

impl Variable {
    #[track_caller]
    fn scatter(&self, indices: impl AsTensor, updates: impl AsTensor, write: Write, tuples: bool) -> Result<()> {
        let here = Location::caller();
        let (indices, updates) = (indices.as_tensor(), updates.as_tensor());
        let indices = if tuples { Ok(indices.clone()) } else { reshape::expand_last(&indices) };
        let written = match indices {
            Ok(indices) => execute(&ScatterVariable { write, tuples }, &[self.as_handle(), &indices, &updates]).map(drop),
            Err(error) => Err(error),
        };
        written.map_err(|e| e.variable(self.label()).at(here))
    }
}

macro_rules! scatters {
    ($($(#[$doc:meta])* $name:ident $try_name:ident $write:ident $tuples:literal;)*) => {
        impl Variable {$(
            $(#[$doc])*
            ///
            /// # Panics
            #[doc = concat!("As [`", stringify!($try_name), "`](Self::", stringify!($try_name), ") fails.")]
            #[track_caller]
            pub fn $name(&self, indices: impl AsTensor, updates: impl AsTensor) {
                self.$try_name(indices, updates).or_fail()
            }

            #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") that answers an error instead of panicking.")]
            ///
            /// # Errors
            /// OutOfRange for an index outside the variable, InvalidArgument for shapes or dtypes that do not fit, and for integers
            /// divided by zero; the value is then unchanged.
            #[track_caller]
            pub fn $try_name(&self, indices: impl AsTensor, updates: impl AsTensor) -> Result<()> {
                self.scatter(indices, updates, Write::$write, $tuples)
            }
        )*}
    };
}

scatters! {
    /// Sets the rows at `indices` to `updates`, which has the shape of the indices, then that of a row.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let v = tf::Variable::new([1.0, 2.0, 3.0]);
    /// v.scatter_update(&tf::constant([2, 0]), &tf::constant([30.0, 10.0]));
    /// assert_eq!(v.value().to_vec::<f32>(), [10.0, 2.0, 30.0]);
    /// ```
    scatter_update try_scatter_update Set false;

    /// Adds `updates` to the rows at `indices`; those for one row add up.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let v = tf::Variable::new([1.0, 2.0, 3.0]);
    /// v.scatter_add(&tf::constant([2, 2]), &tf::constant([30.0, 10.0]));
    /// assert_eq!(v.value().to_vec::<f32>(), [1.0, 2.0, 43.0]);
    /// ```
    scatter_add try_scatter_add Add false;

    /// Subtracts `updates` from the rows at `indices`; those for one row add up.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let v = tf::Variable::new([1.0, 2.0, 3.0]);
    /// v.scatter_sub(&tf::constant(1), &tf::constant(5.0));
    /// assert_eq!(v.value().to_vec::<f32>(), [1.0, -3.0, 3.0]);
    /// ```
    scatter_sub try_scatter_sub Sub false;

    /// Multiplies the rows at `indices` by `updates`; those for one row all count. Products of integers wrap.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let v = tf::Variable::new([1.0, 2.0, 3.0]);
    /// v.scatter_mul(&tf::constant([2, 2]), &tf::constant([2.0, 5.0]));
    /// assert_eq!(v.value().to_vec::<f32>(), [1.0, 2.0, 30.0]);
    /// ```
    scatter_mul try_scatter_mul Mul false;

    /// Divides the rows at `indices` by `updates`, one after the other where several are for one row. Quotients of integers are cut
    /// towards zero. A float divided by zero is infinite or NaN, as TensorFlow's is on a GPU; on a CPU it refuses such updates.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let v = tf::Variable::new([1.0, 2.0, 30.0]);
    /// v.scatter_div(&tf::constant([2, 2]), &tf::constant([2.0, 5.0]));
    /// assert_eq!(v.value().to_vec::<f32>(), [1.0, 2.0, 3.0]);
    /// ```
    scatter_div try_scatter_div Div false;

    /// Puts the greater of both in place of the rows at `indices`. As in TensorFlow, an update that is NaN changes nothing, and a NaN
    /// of the variable stays.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let v = tf::Variable::new([1.0, 2.0, 3.0]);
    /// v.scatter_max(&tf::constant([2, 0, 2]), &tf::constant([2.0, 5.0, 4.0]));
    /// assert_eq!(v.value().to_vec::<f32>(), [5.0, 2.0, 4.0]);
    /// ```
    scatter_max try_scatter_max Max false;

    /// Puts the lesser of both in place of the rows at `indices`; NaN as for [`scatter_max`](Self::scatter_max).
    ///
    /// ```
    /// use eagerflow as tf;
    /// let v = tf::Variable::new([1.0, 2.0, 3.0]);
    /// v.scatter_min(&tf::constant([2, 0, 2]), &tf::constant([2.0, 5.0, 4.0]));
    /// assert_eq!(v.value().to_vec::<f32>(), [1.0, 2.0, 2.0]);
    /// ```
    scatter_min try_scatter_min Min false;

    /// Sets the elements or rows that the tuples in the last dimension of `indices` name.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let v = tf::Variable::new([[1.0, 2.0], [3.0, 4.0]]);
    /// v.scatter_nd_update(&tf::constant([[0, 1], [1, 0]]), &tf::constant([20.0, 30.0]));
    /// assert_eq!(v.value().to_vec::<f32>(), [1.0, 20.0, 30.0, 4.0]);
    /// ```
    scatter_nd_update try_scatter_nd_update Set true;

    /// Adds to the elements or rows that the tuples in the last dimension of `indices` name.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let v = tf::Variable::new([[1.0, 2.0], [3.0, 4.0]]);
    /// v.scatter_nd_add(&tf::constant([[1]]), &tf::constant([[10.0, 20.0]]));
    /// assert_eq!(v.value().to_vec::<f32>(), [1.0, 2.0, 13.0, 24.0]);
    /// ```
    scatter_nd_add try_scatter_nd_add Add true;

    /// Subtracts from the elements or rows that the tuples in the last dimension of `indices` name.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let v = tf::Variable::new([1.0, 2.0]);
    /// v.scatter_nd_sub(&tf::constant([[1]]), &tf::constant([5.0]));
    /// assert_eq!(v.value().to_vec::<f32>(), [1.0, -3.0]);
    /// ```
    scatter_nd_sub try_scatter_nd_sub Sub true;
}

#[cfg(test)]
mod tests;
