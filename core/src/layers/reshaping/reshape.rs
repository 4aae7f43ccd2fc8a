//! `Reshape`: the elements of each example under another shape.
//! Keras's `Reshape`; it copies nothing where the input lies in order.

use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, misfit, named};
use crate::layers::copied_by_clone;
use engine::library::Typed;
use engine::{Fields, Module, Tensor};
use kernels::error::{Error, OrFail, Result};
use kernels::shape::{Dim, Shape};
use std::panic::Location;

/// The elements of each example under `target_shape`, in which one size may be -1: it is worked out.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Reshape;
/// let x = tf::ones([5, 12]);
/// assert_eq!(Reshape::new([3, 4]).call(&x).shape(), [5, 3, 4]);
/// assert_eq!(Reshape::new([-1, 2, 2]).call(&x).shape(), [5, 3, 2, 2]);
/// let error = Reshape::new([5]).try_call(&x, false).unwrap_err().to_string();
/// assert!(error.contains("reshape") && error.contains("12"));
/// ```
#[derive(Clone, Debug)]
pub struct Reshape {
    core: Core,
    target_shape: Vec<isize>,
}

layer!(Reshape);
copied_by_clone!(Reshape);

impl Reshape {
    /// A layer that gives examples this shape, which is without the batch.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(target_shape: impl Into<Vec<isize>>) -> Self {
        Self::try_new(target_shape).or_fail()
    }

    /// A layer that gives examples this shape, which may be none.
    ///
    /// # Errors
    /// InvalidArgument for negative sizes other than -1, or more than one of these.
    #[track_caller]
    pub fn try_new(target_shape: impl Into<Vec<isize>>) -> Result<Self> {
        let here = Location::caller();
        let target_shape = target_shape.into();
        let open = target_shape.iter().filter(|&&size| size == -1).count();
        if open > 1 || target_shape.iter().any(|&size| size < -1) {
            return Err(Error::invalid_argument("Reshape", "`target_shape` is no shape")
                .got(format!("{target_shape:?}"))
                .expected("sizes of 0 or more, and -1 at most once")
                .at(here));
        }
        Ok(Self { core: Core::new("reshape"), target_shape })
    }

    /// The shape of the output for one input.
    fn target(&self, x: &Tensor) -> Result<Shape> {
        let Some((&batch, rest)) = x.shape().sizes().split_first() else {
            return Err(misfit(self.core.name(), "a scalar is no batch", x.ty(), "[batch, …]"));
        };
        let elements = rest.iter().fold(Dim::ONE, |product, &dim| product * dim);
        let told =
            self.target_shape.iter().filter(|&&size| size != -1).fold(1, |product, &size| product * size as usize);
        let is_open = self.target_shape.contains(&-1);
        let fits = |n: usize| if is_open { told != 0 && n.is_multiple_of(told) } else { n == told };
        if elements.known_value().is_some_and(|n| !fits(n)) {
            let expected = match is_open {
                true => format!("a multiple of {told}, for {:?}", self.target_shape),
                false => format!("{told} elements, for {:?}", self.target_shape),
            };
            let what = format!("an example has {elements} elements, which the target shape does not hold");
            return Err(misfit(self.core.name(), &what, x.ty(), expected));
        }
        let open = if is_open { elements / Dim::known(told.max(1)) } else { Dim::ONE };
        let size = |&size: &isize| if size == -1 { open } else { Dim::known(size as usize) };
        let dims: Vec<Dim> = std::iter::once(batch).chain(self.target_shape.iter().map(size)).collect();
        Shape::from_dims(&dims)
    }
}

impl Layer for Reshape {
    named!();

    fn masking(&self) -> Masking {
        Masking::Refuses
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        engine::library::reshape_to(&inputs[0], &self.target(&inputs[0])?).map(Outputs::one)
    }
}

impl Module for Reshape {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&self.target_shape);
    }
}
