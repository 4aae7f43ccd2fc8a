//! `Normalization`: features less a mean and over a standard deviation that are told, or taken from data by `adapt`.
//! Keras's `Normalization`; models of tables begin with it.

use super::IntoAxisList;
use crate::initializers::{Ones, Zeros};
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, Weight, buildable, known_size, layer, misfit, named};
use engine::library::{Typed, cast_to, reshape_to};
use engine::{AsTensor, Duplicate, Fields, Module, Tensor, TensorType, Variable};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use kernels::shape::{AxisSet, Dim, Shape, resolve_axes};
use std::panic::Location;

/// The least standard deviation that is divided by, Keras's.
const EPSILON: f64 = 1e-7;

/// Values less their mean and over their standard deviation, feature by feature. Both are told, or seen in data by [`adapt`](Self::adapt).
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Normalization;
/// let layer = Normalization::new();
/// layer.adapt(tf::constant([[1.0, 10.0], [3.0, 30.0]]));
/// assert_eq!(layer.call(tf::constant([[2.0, 30.0]])).to_vec::<f32>(), [0.0, 1.0]);
/// let told = Normalization::new().axis(()).mean_and_variance(tf::constant(5.0), tf::constant(4.0));
/// assert_eq!(told.call(tf::constant([[7.0, 5.0]])).to_vec::<f32>(), [1.0, 0.0]);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct Normalization {
    core: Core,
    axes: Vec<isize>,
    told: Option<(Tensor, Tensor)>,
    invert: bool,
    mean: Weight,
    variance: Weight,
    count: Weight,
}

layer!(Normalization);

impl Normalization {
    /// For the features of the last axis.
    pub fn new() -> Self {
        Self {
            core: Core::new("normalization"),
            axes: vec![-1],
            told: None,
            invert: false,
            mean: Weight::fixed("mean", Zeros),
            variance: Weight::fixed("variance", Ones),
            count: Weight::fixed("count", Zeros),
        }
    }

    /// The axis, or several, whose places have a mean and a variance each; with `()` there is one for all values.
    #[must_use]
    pub fn axis(mut self, axes: impl IntoAxisList) -> Self {
        self.axes = axes.into_list();
        self
    }

    /// Whether the layer does the opposite: from normalised values to those with the mean and the variance.
    #[must_use]
    pub fn invert(mut self, invert: bool) -> Self {
        self.invert = invert;
        self
    }

    /// The mean and the variance, in place of those that `adapt` would see: Keras's options `mean` and `variance`. Both have one shape, of
    /// no more dimensions than the layer has axes.
    ///
    /// # Panics
    /// As [`try_mean_and_variance`](Self::try_mean_and_variance) fails, at the caller's line.
    #[must_use]
    #[track_caller]
    pub fn mean_and_variance(self, mean: impl AsTensor, variance: impl AsTensor) -> Self {
        self.try_mean_and_variance(mean, variance).or_fail()
    }

    /// The mean and the variance, which may not fit.
    ///
    /// # Errors
    /// InvalidArgument for two shapes.
    #[track_caller]
    pub fn try_mean_and_variance(mut self, mean: impl AsTensor, variance: impl AsTensor) -> Result<Self> {
        let here = Location::caller();
        let (mean, variance) = ((*mean.as_tensor()).clone(), (*variance.as_tensor()).clone());
        if mean.shape() != variance.shape() {
            return Err(Error::invalid_argument("Normalization", "mean and variance have different shapes")
                .got(format!("{} and {}", mean.shape(), variance.shape()))
                .at(here));
        }
        self.told = Some((mean, variance));
        Ok(self)
    }

    /// Takes mean and variance from data: a tensor of examples. What was seen before is forgotten.
    ///
    /// # Panics
    /// As [`try_adapt`](Self::try_adapt) fails, at the caller's line.
    #[track_caller]
    pub fn adapt(&self, data: impl AsTensor) {
        self.try_adapt(data).or_fail();
    }

    /// Takes mean and variance from a tensor.
    ///
    /// # Errors
    /// InvalidArgument where mean and variance are told, or the data does not fit the layer.
    #[track_caller]
    pub fn try_adapt(&self, data: impl AsTensor) -> Result<()> {
        let data = (*data.as_tensor()).clone();
        self.try_adapt_batches([data])
    }

    /// Takes mean and variance from batches, such as those of a data set, one after the other, so that not all need fit into memory.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Normalization;
    /// let layer = Normalization::new();
    /// layer.adapt_batches([tf::constant([[1.0], [2.0]]), tf::constant([[3.0]])]);
    /// assert_eq!(layer.mean().unwrap().value().to_vec::<f32>(), [2.0]);
    /// ```
    ///
    /// # Panics
    /// As [`try_adapt_batches`](Self::try_adapt_batches) fails, at the caller's line.
    #[track_caller]
    pub fn adapt_batches(&self, batches: impl IntoIterator<Item = Tensor>) {
        self.try_adapt_batches(batches).or_fail();
    }

    /// Takes mean and variance from batches.
    ///
    /// # Errors
    /// As [`try_adapt`](Self::try_adapt), and for no batches.
    #[track_caller]
    pub fn try_adapt_batches(&self, batches: impl IntoIterator<Item = Tensor>) -> Result<()> {
        let here = Location::caller();
        self.adapted(&mut batches.into_iter()).map_err(|e| e.variable(self.core.name()).at(here))
    }

    /// The mean of each place, once it is built.
    pub fn mean(&self) -> Option<&Variable> {
        self.mean.get()
    }

    /// The variance of each place, once it is built.
    pub fn variance(&self) -> Option<&Variable> {
        self.variance.get()
    }

    #[track_caller]
    fn adapted(&self, batches: &mut dyn Iterator<Item = Tensor>) -> Result<()> {
        if self.told.is_some() {
            return Err(Error::failed_precondition(
                self.core.name(),
                "mean and variance are told, so nothing is adapted",
            ));
        }
        let mut seen: Option<(Tensor, Tensor, f64)> = None;
        for batch in batches {
            let x = cast_to(&batch, if batch.dtype() == DType::F64 { DType::F64 } else { DType::F32 })?;
            self.make(x.ty())?;
            let axes = self.places(x.ty())?;
            let others: Vec<isize> = axes.complement(x.rank()).iter().map(|axis| axis as isize).collect();
            let (mean, variance) = match others.is_empty() {
                true => (x.clone(), engine::try_zeros_like(&x)?),
                false => engine::try_moments(&x, &others[..])?,
            };
            let count = others.iter().map(|&axis| x.shape().dims()[axis as usize] as f64).product::<f64>();
            if count == 0.0 {
                continue;
            }
            seen = Some(match seen {
                None => (mean, variance, count),
                Some(before) => joined(before, (mean, variance, count))?,
            });
        }
        let (mean, variance, _) = seen.ok_or_else(|| {
            Error::invalid_argument(self.core.name(), "there is no data to adapt to").got("no examples")
        })?;
        for (weight, value) in [(&self.mean, mean), (&self.variance, variance)] {
            if let Some(variable) = weight.get() {
                variable.try_assign(&cast_to(&value, variable.dtype())?)?;
            }
        }
        Ok(())
    }

    /// The axes whose places have a mean and a variance each.
    fn places(&self, x: &TensorType) -> Result<AxisSet> {
        resolve_axes(self.core.name(), &self.axes, x.shape.rank()).map_err(|e| e.got(x))
    }

    #[track_caller]
    fn make(&self, x: &TensorType) -> Result<()> {
        if self.told.is_some() {
            return Ok(());
        }
        let size = |axis: usize| known_size(self.core.name(), x, axis as isize);
        let sizes = self.places(x)?.iter().map(size).collect::<Result<Vec<usize>>>()?;
        if let Some(mean) = self.mean.get()
            && mean.shape().dims() != sizes
        {
            let expected = format!("sizes {} along the axes {:?}, as the layer was built for", mean.shape(), self.axes);
            return Err(misfit(self.core.name(), "the input has other features", x, expected));
        }
        self.mean.make(&self.core, &sizes)?;
        self.variance.make(&self.core, &sizes)?;
        self.count.make_of(&self.core, DType::I64, &[]).map(drop)
    }

    /// A statistic in the layer's dtype, with its sizes along their axes.
    #[track_caller]
    fn spread(&self, statistic: &Tensor, x: &TensorType) -> Result<Tensor> {
        let axes: Vec<usize> = self.places(x)?.iter().collect();
        let Some(skipped) = axes.len().checked_sub(statistic.rank()) else {
            let expected = format!("at most {} dimensions, one for each axis", axes.len());
            return Err(misfit(
                self.core.name(),
                "the mean has more dimensions than the layer has axes",
                statistic.ty(),
                expected,
            ));
        };
        let mut sizes = vec![Dim::ONE; x.shape.rank()];
        for (at, &axis) in axes[skipped..].iter().enumerate() {
            sizes[axis] = statistic.shape().dim(at);
        }
        cast_to(&reshape_to(statistic, &Shape::from_dims(&sizes)?)?, self.core.compute())
    }
}

type Seen = (Tensor, Tensor, f64);

/// Mean, variance and number of two batches together.
#[track_caller]
fn joined(a: Seen, b: Seen) -> Result<Seen> {
    let number = a.2 + b.2;
    let (of_a, of_b) = (a.2 / number, b.2 / number);
    let mean = a.0.try_multiply(of_a)?.try_add(&b.0.try_multiply(of_b)?)?;
    let part = |(own, variance, _): &Seen, share: f64| -> Result<Tensor> {
        variance.try_add(&own.try_subtract(&mean)?.try_square()?)?.try_multiply(share)
    };
    let variance = part(&a, of_a)?.try_add(&part(&b, of_b)?)?;
    Ok((mean, variance, number))
}

impl Default for Normalization {
    fn default() -> Self {
        Self::new()
    }
}

buildable!(Normalization, "Normalization::new()", "[1, 8]", 3);

impl Layer for Normalization {
    named!();

    fn masking(&self) -> Masking {
        Masking::Passes
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let x = cast_to(&inputs[0], self.core.compute())?;
        self.make(x.ty())?;
        let (mean, variance) = match (&self.told, self.mean.get(), self.variance.get()) {
            (Some(told), ..) => told.clone(),
            (None, Some(mean), Some(variance)) => (mean.value(), variance.value()),
            _ => return Err(Error::internal(self.core.name(), "the statistics are gone")),
        };
        let mean = self.spread(&mean, x.ty())?;
        let deviation = self.spread(&variance, x.ty())?.try_sqrt()?.try_maximum(EPSILON)?;
        let y = match self.invert {
            true => mean.try_add(&x.try_multiply(&deviation)?)?,
            false => x.try_subtract(&mean)?.try_divide(&deviation)?,
        };
        Ok(Outputs::one(y))
    }
}

impl Module for Normalization {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&(&self.axes, self.invert, self.told.is_some()));
        match &self.told {
            Some((mean, variance)) => {
                fields.field("told_mean", mean);
                fields.field("told_variance", variance);
            }
            None => {
                fields.field("mean", &self.mean);
                fields.field("variance", &self.variance);
                fields.field("count", &self.count);
            }
        }
    }
}
