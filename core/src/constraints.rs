//! Constraints: what weights are kept within after each step of an optimizer. Keras's by their names; layers take one for each
//! variable; [`Constraint`] is the trait for one's own.

use crate::shared::{Shared, shared_objects, unknown};
use engine::library::options::{finite, magnitude, share};
use engine::{Axes, IntoAxes, Tensor, keep_dims};
use kernels::error::{Error, OrFail, Result};
use std::fmt;
use std::panic::Location;

/// A projection of a variable's value, after each step.
///
/// ```
/// use eagerflow as tf;
/// use tf::constraints::{Constraint, MaxNorm};
/// let w = tf::constant([[3.0, 0.3], [4.0, 0.4]]);
/// let kept = MaxNorm::new(1.0).call(&w);
/// assert!((kept.to_vec::<f32>()[0] - 0.6).abs() < 1e-5);
/// ```
pub trait Constraint: fmt::Debug + Send + Sync {
    /// Keras's name, such as `"max_norm"`.
    fn name(&self) -> &str;

    /// The projected value, of the same type.
    ///
    /// # Errors
    /// InvalidArgument for a value that the constraint does not take.
    #[track_caller]
    fn project(&self, value: &Tensor) -> Result<Tensor>;

    /// The projected value.
    ///
    /// # Panics
    /// As [`project`](Self::project) fails, at the caller's line.
    #[track_caller]
    fn call(&self, value: &Tensor) -> Tensor {
        let here = Location::caller();
        self.project(value).map_err(|e| e.at(here)).or_fail()
    }

    /// An error where the options are out of range; a layer asks when it is given the constraint.
    ///
    /// # Errors
    /// InvalidArgument with the option.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

shared_objects!(Constraint, get);

/// The constraint of a name, with Keras's defaults: `"max_norm"`, `"min_max_norm"`, `"non_neg"` or `"unit_norm"`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::constraints::get("non_neg")?.name(), "non_neg");
/// # Ok::<(), tf::Error>(())
/// ```
///
/// # Errors
/// InvalidArgument for a name that is not known.
pub fn get(name: &str) -> Result<Shared<dyn Constraint>> {
    use crate::shared::IntoShared;
    match name {
        "max_norm" => MaxNorm::new(2.0).into_shared(),
        "min_max_norm" => MinMaxNorm::new().into_shared(),
        "non_neg" => NonNeg.into_shared(),
        "unit_norm" => UnitNorm::new().into_shared(),
        _ => Err(unknown("constraint", name, &["max_norm", "min_max_norm", "non_neg", "unit_norm"])),
    }
}

/// What Keras adds to a length before it divides by it.
const EPSILON: f64 = 1e-7;

/// The lengths along the axes, which stay as dimensions of size 1.
#[track_caller]
fn lengths(value: &Tensor, axes: Axes) -> Result<Tensor> {
    value.try_square()?.try_reduce_sum(keep_dims(axes))?.try_sqrt()
}

/// No element below zero.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct NonNeg;

impl Constraint for NonNeg {
    fn name(&self) -> &str {
        "non_neg"
    }

    #[track_caller]
    fn project(&self, value: &Tensor) -> Result<Tensor> {
        value.try_maximum(0.0)
    }
}

/// Vectors along an axis no longer than a length: Srivastava et al. 2014.
#[derive(Clone, PartialEq, Debug)]
pub struct MaxNorm {
    max_value: f64,
    axis: Axes,
}

impl MaxNorm {
    /// The greatest length, Keras's default is 2; along axis 0, which has the inputs of a dense layer's units.
    pub fn new(max_value: f64) -> Self {
        Self { max_value, axis: 0.into_axes() }
    }

    /// The axis, or several.
    #[must_use]
    pub fn axis(mut self, axis: impl IntoAxes) -> Self {
        self.axis = axis.into_axes();
        self
    }
}

impl Constraint for MaxNorm {
    fn name(&self) -> &str {
        "max_norm"
    }

    #[track_caller]
    fn project(&self, value: &Tensor) -> Result<Tensor> {
        let own = lengths(value, self.axis.clone())?;
        let wanted = own.try_maximum(0.0)?.try_minimum(self.max_value)?;
        value.try_multiply(&wanted.try_divide(&own.try_add(EPSILON)?)?)
    }

    fn check(&self) -> Result<()> {
        magnitude("MaxNorm", "max_value", self.max_value).map(drop)
    }
}

/// Vectors along an axis of length 1.
#[derive(Clone, PartialEq, Debug)]
pub struct UnitNorm {
    axis: Axes,
}

impl UnitNorm {
    /// Along axis 0.
    pub fn new() -> Self {
        Self { axis: 0.into_axes() }
    }

    /// The axis, or several.
    #[must_use]
    pub fn axis(mut self, axis: impl IntoAxes) -> Self {
        self.axis = axis.into_axes();
        self
    }
}

impl Default for UnitNorm {
    fn default() -> Self {
        Self::new()
    }
}

impl Constraint for UnitNorm {
    fn name(&self) -> &str {
        "unit_norm"
    }

    #[track_caller]
    fn project(&self, value: &Tensor) -> Result<Tensor> {
        value.try_divide(&lengths(value, self.axis.clone())?.try_add(EPSILON)?)
    }
}

/// Vectors along an axis no shorter and no longer than two lengths, towards which each step moves them by a share of the way.
#[derive(Clone, PartialEq, Debug)]
pub struct MinMaxNorm {
    min_value: f64,
    max_value: f64,
    rate: f64,
    axis: Axes,
}

impl MinMaxNorm {
    /// Keras's defaults: between 0 and 1, all the way, along axis 0.
    pub fn new() -> Self {
        Self { min_value: 0.0, max_value: 1.0, rate: 1.0, axis: 0.into_axes() }
    }

    /// The least length.
    #[must_use]
    pub fn min_value(mut self, min_value: f64) -> Self {
        self.min_value = min_value;
        self
    }

    /// The greatest length.
    #[must_use]
    pub fn max_value(mut self, max_value: f64) -> Self {
        self.max_value = max_value;
        self
    }

    /// The share of the way, from 0 to 1.
    #[must_use]
    pub fn rate(mut self, rate: f64) -> Self {
        self.rate = rate;
        self
    }

    /// The axis, or several.
    #[must_use]
    pub fn axis(mut self, axis: impl IntoAxes) -> Self {
        self.axis = axis.into_axes();
        self
    }
}

impl Default for MinMaxNorm {
    fn default() -> Self {
        Self::new()
    }
}

impl Constraint for MinMaxNorm {
    fn name(&self) -> &str {
        "min_max_norm"
    }

    #[track_caller]
    fn project(&self, value: &Tensor) -> Result<Tensor> {
        let own = lengths(value, self.axis.clone())?;
        let within = own.try_maximum(self.min_value)?.try_minimum(self.max_value)?.try_multiply(self.rate)?;
        let wanted = within.try_add(&own.try_multiply(1.0 - self.rate)?)?;
        value.try_multiply(&wanted.try_divide(&own.try_add(EPSILON)?)?)
    }

    fn check(&self) -> Result<()> {
        let low = magnitude("MinMaxNorm", "min_value", self.min_value)?;
        let high = finite("MinMaxNorm", "max_value", self.max_value)?;
        share("MinMaxNorm", "rate", self.rate)?;
        match low > high {
            true => Err(Error::invalid_argument("MinMaxNorm", "`min_value` is above `max_value`")
                .got(format!("min_value {low}, max_value {high}"))),
            false => Ok(()),
        }
    }
}
