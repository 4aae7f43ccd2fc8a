//! `build`: the variables of a whole model, made by a call of the model that is recorded and never run.
//! Users call it before they list variables or read a checkpoint; layers have a `build` of their own for one layer.

use super::Module;
use super::fields::Named;
use super::input_spec::InputSpec;
use crate::builder::{Apart, Builder};
use kernels::error::{OrFail, Result};
use kernels::shape::Dim;
use std::panic::Location;

/// Makes all variables of a model that its layers make when the first input comes: Keras's `model.build(input_shape)`.
///
/// The model is called once, by `call`, with inputs that have a shape and a dtype but no elements. Operations are recorded and never
/// run, variables of layers are made as in a first call, and what is recorded is dropped. The shape of an input is given by numbers, or
/// by `Option`s, of which `None` is a size that is open, as a batch's; it is then `float32`. A
/// [`TensorType`](crate::TensorType) says dtype and shape. Models of several inputs take a tuple or an array of these.
///
/// ```
/// use eagerflow as tf;
/// use tf::{Module, Tensor, layers::Dense};
///
/// #[derive(Module)]
/// struct Net { hidden: Dense, output: Dense }
///
/// impl Net {
///     fn call(&self, x: &Tensor) -> Tensor {
///         self.output.call(self.hidden.call(x).relu())
///     }
/// }
///
/// let net = Net { hidden: Dense::new(16), output: Dense::new(3) };
/// tf::build(&net, [None, Some(4)], |net, x| net.call(x));
/// assert_eq!(net.variables().len(), 4);
///
/// // Two inputs.
/// let (left, right) = (Dense::new(2), Dense::new(2));
/// let both = (left, right);
/// tf::build(&both, ([8, 3], [8, 5]), |(left, right), (x, y)| left.call(x) + right.call(y));
/// assert_eq!(both.0.kernel().unwrap().shape(), [3, 2]);
/// ```
///
/// Layers that are built already stay as they are. Effects on the host, such as printing, happen once; changes of variables do not
/// happen. A number that the call reads of an open size is 2.
///
/// # Panics
/// As [`try_build`] fails, and where `call` panics.
#[track_caller]
pub fn build<M: Module + ?Sized, S: InputSpec, R>(model: &M, inputs: S, call: impl FnOnce(&M, &S::Tensors) -> R) {
    let here = Location::caller();
    record(model, inputs, |model, inputs| Ok(call(model, inputs))).map_err(|e| e.at(here)).or_fail();
}

/// As [`build`], for a call that gives its error back.
///
/// ```
/// use eagerflow as tf;
/// use tf::{Module, layers::Conv2D};
/// let conv = Conv2D::new(4, 3).name("stem");
/// let error = tf::try_build(&conv, [8, 28, 28], |conv, x| conv.try_call(x, false)).unwrap_err();
/// assert!(error.to_string().contains("stem"));
/// tf::try_build(&conv, [8, 28, 28, 1], |conv, x| conv.try_call(x, false)).unwrap();
/// assert_eq!(conv.variables().len(), 2);
/// ```
///
/// # Errors
/// InvalidArgument for a shape that cannot be; what `call` answers, as where an input does not fit a layer, with the layer's name;
/// FailedPrecondition where layers are not built afterwards, with their paths: the call did not come to them.
#[track_caller]
pub fn try_build<M: Module + ?Sized, S: InputSpec, R>(
    model: &M,
    inputs: S,
    call: impl FnOnce(&M, &S::Tensors) -> Result<R>,
) -> Result<()> {
    let here = Location::caller();
    record(model, inputs, call).map_err(|e| e.at(here))
}

fn record<M: Module + ?Sized, S: InputSpec, R>(
    model: &M,
    inputs: S,
    call: impl FnOnce(&M, &S::Tensors) -> Result<R>,
) -> Result<()> {
    {
        // The call is of nobody's: neither a tape nor a trace under way sees it.
        let _apart = Apart::reading(Some(any_size));
        let builder = Builder::standalone("build");
        let symbols = inputs.tensors(&mut |ty| builder.param(ty)).map_err(|e| e.in_op("build"))?;
        builder.record_in(|| call(model, &symbols).map(drop))?;
    }
    Named::of(model).complete("build").map(drop)
}

/// A number for a size that is open, wherever the call reads one: the least that an open size of a function has.
fn any_size(size: Dim, _: &'static Location<'static>) -> Result<usize> {
    let number = size.bind(&|_| Some(2))?;
    number.known_value().ok_or_else(|| kernels::error::Error::internal("build", "a size without a number"))
}
