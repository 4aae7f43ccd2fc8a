//! `BatchNormalization`: each channel brought to mean 0 and variance 1, by the batch while the model is trained, by what was seen else.
//! Keras's `BatchNormalization`; models of images have it behind convolutions.

use super::batch_moments::moments;
use super::batch_renorm::moved;
use super::scaled::{read, scaled, wide};
use crate::initializers::{Initializer, Ones, Zeros};
use crate::layers::base::{
    Call, Core, Layer, Masking, Outputs, Weight, buildable, known_size, layer, named, object_option,
};
use crate::shared::Shared;
use engine::library::options::{options, share};
use engine::library::{Typed, cast_to, is_frozen, reshape_to};
use engine::{Duplicate, Fields, Module, Tensor, TensorType, Variable};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use kernels::shape::{Dim, Shape, resolve_axis};

/// Each channel less its mean and over the root of its variance, then times `gamma` and plus `beta`: Ioffe and Szegedy 2015.
///
/// While the model is trained, mean and variance are the batch's, and running ones move towards these; else, and where the layer is frozen
/// with `set_trainable(false)`, they are the running ones, which then stay as they are. Of inputs with a mask only the steps count that
/// it lets. Moments are computed in `float32` at least.
///
/// Options and defaults are Keras's: the last axis, a momentum of 0.99 and an epsilon of 0.001.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::BatchNormalization;
/// let layer = BatchNormalization::new().momentum(0.9).epsilon(0.0);
/// let x = tf::constant([[1.0, 10.0], [3.0, 30.0]]);
/// assert_eq!(layer.call_training(&x, true).to_vec::<f32>(), [-1.0, -1.0, 1.0, 1.0]);
/// let mean = layer.moving_mean().unwrap().value().to_vec::<f32>();
/// assert!((mean[0] - 0.2).abs() < 1e-6 && (mean[1] - 2.0).abs() < 1e-6);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct BatchNormalization {
    pub(super) core: Core,
    axis: isize,
    pub(super) momentum: f64,
    pub(super) epsilon: f64,
    center: bool,
    scale: bool,
    /// Renormalisation: what `r` and `d` are kept within, and the momentum of its own statistics.
    renorm: Option<(f64, f64, f64)>,
    pub(super) renorm_momentum: f64,
    gamma: Weight,
    beta: Weight,
    moving_mean: Weight,
    moving_variance: Weight,
    pub(super) moving_stddev: Weight,
    pub(super) renorm_mean: Weight,
    pub(super) renorm_stddev: Weight,
}

layer!(BatchNormalization);
scaled!(BatchNormalization);

object_option!(BatchNormalization, Initializer,
/// How the running mean starts: an initializer, or its name.
moving_mean_initializer, try_moving_mean_initializer => |this, object| {
    this.renorm_mean.initializer = object.clone();
    this.moving_mean.initializer = object;
});
object_option!(BatchNormalization, Initializer,
/// How the running variance starts: an initializer, or its name.
moving_variance_initializer, try_moving_variance_initializer => |this, object| {
    this.moving_stddev.initializer = root_of(&object);
    this.renorm_stddev.initializer = root_of(&object);
    this.moving_variance.initializer = object;
});

options! { BatchNormalization:
    /// How much of the running statistics is kept at each step, from 0 to 1; the rest is the batch's.
    pub fn momentum, try_momentum(this, momentum: f64) {
        this.momentum = share("BatchNormalization", "momentum", momentum)?;
        Ok(this)
    }

    /// The momentum of the statistics that renormalisation compares the batch with, 0.99 unless set.
    pub fn renorm_momentum, try_renorm_momentum(this, momentum: f64) {
        this.renorm_momentum = share("BatchNormalization", "renorm_momentum", momentum)?;
        Ok(this)
    }

    /// Renormalisation with limits `(rmin, rmax, dmax)` for the correction: factors between the first two, offsets within the third. Infinities
    /// and 0 stand for none.
    pub fn renorm_clipping, try_renorm_clipping(this, limits: (f64, f64, f64)) {
        let (rmin, rmax, dmax) = limits;
        // A nan is no limit either.
        if !(rmin >= 0.0 && rmax >= rmin && dmax >= 0.0) {
            return Err(Error::invalid_argument("BatchNormalization", "`renorm_clipping` is out of range")
                .got(format!("rmin {rmin}, rmax {rmax}, dmax {dmax}"))
                .expected("rmin from 0 up to rmax, and dmax from 0 on"));
        }
        this.renorm = Some(limits);
        Ok(this)
    }

    /// Whether the moments are those of all devices' batches together. They are not: devices do not train together here.
    pub fn synchronized, try_synchronized(this, synchronized: bool) {
        match synchronized {
            false => Ok(this),
            true => Err(Error::invalid_argument("BatchNormalization", "batches of several devices cannot be normalised together")
                .got("synchronized = true")
                .expected("false")
                .help("a model is trained on one device; its batch is the whole batch")),
        }
    }
}

/// The root of what an initializer makes.
fn root_of(of: &Shared<dyn Initializer>) -> Shared<dyn Initializer> {
    let of = of.clone();
    crate::initializers::from_fn(move |ty| of.make(ty).and_then(|value| value.try_sqrt()).or_fail())
}

impl BatchNormalization {
    /// For the channels of the last axis.
    pub fn new() -> Self {
        Self {
            core: Core::new("batch_normalization"),
            axis: -1,
            momentum: 0.99,
            epsilon: 1e-3,
            center: true,
            scale: true,
            renorm: None,
            renorm_momentum: 0.99,
            gamma: Weight::new("gamma", Ones),
            beta: Weight::new("beta", Zeros),
            moving_mean: Weight::fixed("moving_mean", Zeros),
            moving_variance: Weight::fixed("moving_variance", Ones),
            moving_stddev: Weight::fixed("moving_stddev", Ones),
            renorm_mean: Weight::fixed("renorm_mean", Zeros),
            renorm_stddev: Weight::fixed("renorm_stddev", Ones),
        }
    }

    /// The axis of the channels.
    #[must_use]
    pub fn axis(mut self, axis: isize) -> Self {
        self.axis = axis;
        self
    }

    /// Batch renormalisation, Ioffe 2017: while it is trained, the layer corrects the batch's moments towards running ones, so that it
    /// computes what it will when it is used.
    #[must_use]
    pub fn renorm(mut self, renorm: bool) -> Self {
        self.renorm = renorm.then_some(self.renorm.unwrap_or((0.0, f64::INFINITY, f64::INFINITY)));
        self
    }

    /// The running mean of each channel, once it is built.
    pub fn moving_mean(&self) -> Option<&Variable> {
        self.moving_mean.get()
    }

    /// The running variance of each channel, once it is built.
    pub fn moving_variance(&self) -> Option<&Variable> {
        self.moving_variance.get()
    }

    #[track_caller]
    fn make(&self, x: &TensorType) -> Result<()> {
        self.built(x).map(drop)
    }

    /// Factor, offset, running mean and running variance, made for the channels if this is the first time.
    #[track_caller]
    fn built(&self, x: &TensorType) -> Result<([Option<&Variable>; 2], [&Variable; 2])> {
        let channels = match self.moving_mean.get() {
            Some(mean) => mean.shape().num_elements(),
            None => known_size(self.core.name(), x, self.axis)?,
        };
        let axis = resolve_axis(self.core.name(), self.axis, x.shape.rank()).map_err(|e| e.got(x))?;
        if !x.shape.dim(axis).can_equal(Dim::known(channels)) {
            let expected = format!("{channels} channels along axis {axis}, as the layer was built for");
            return Err(Error::invalid_argument(self.core.name(), "the input has another number of channels")
                .got(x)
                .expected(expected));
        }
        let factors = self.made().map_or_else(|| self.factors(&[channels]), Ok)?;
        let mean = self.moving_mean.make(&self.core, &[channels])?;
        let variance = self.moving_variance.make(&self.core, &[channels])?;
        if self.renorm.is_some() {
            for weight in [&self.moving_stddev, &self.renorm_mean, &self.renorm_stddev] {
                weight.make(&self.core, &[channels])?;
            }
        }
        Ok((factors, [mean, variance]))
    }

    /// A statistic in the dtype of the variables.
    #[track_caller]
    pub(super) fn stored(&self, value: &Tensor) -> Result<Tensor> {
        cast_to(value, self.core.policy().variable_dtype())
    }
}

impl Default for BatchNormalization {
    fn default() -> Self {
        Self::new()
    }
}

buildable!(BatchNormalization, "BatchNormalization::new()", "[1, 8]", 4);

impl Layer for BatchNormalization {
    named!();

    fn masking(&self) -> Masking {
        Masking::Passes
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
        let dtype: DType = wide(inputs[0].ty());
        let x = cast_to(&inputs[0], dtype)?;
        let ([gamma, beta], [moving_mean, moving_variance]) = self.built(x.ty())?;
        let axis = resolve_axis(self.core.name(), self.axis, x.rank())?;
        let mut factors = [read(gamma, dtype)?, read(beta, dtype)?];
        let (mean, variance) = match cx.is_training() && !is_frozen(moving_mean) {
            true => {
                let (mean, variance) = moments(self.core.name(), &x, axis, cx.mask_of(inputs, 0).as_ref())?;
                if let Some(limits) = self.renorm {
                    factors = self.renormalised(limits, [&mean, &variance], factors, [moving_mean, moving_variance])?;
                } else {
                    for (running, seen) in [(moving_mean, &mean), (moving_variance, &variance)] {
                        let old = cast_to(&running.value(), dtype)?;
                        running.try_assign(&self.stored(&moved(&old, seen, self.momentum)?)?)?;
                    }
                }
                (mean, variance)
            }
            false => (cast_to(&moving_mean.value(), dtype)?, cast_to(&moving_variance.value(), dtype)?),
        };
        // The channels stand along their axis.
        let mut sizes = vec![Dim::ONE; x.rank()];
        sizes[axis] = x.shape().dim(axis);
        let along = Shape::from_dims(&sizes)?;
        let spread = |channels: &Tensor| {
            if axis + 1 == x.rank() { Ok(channels.clone()) } else { reshape_to(channels, &along) }
        };
        let [gamma, beta] = factors.map(|factor| factor.map(|factor| spread(&factor)).transpose());
        let (gamma, beta) = (gamma?, beta?);
        let y = engine::try_batch_normalization(
            &x,
            &spread(&mean)?,
            &spread(&variance)?,
            beta.as_ref(),
            gamma.as_ref(),
            self.epsilon,
        )?;
        cast_to(&y, self.core.compute()).map(Outputs::one)
    }
}

impl Module for BatchNormalization {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        let renorm = self.renorm.map(|(rmin, rmax, dmax)| [rmin, rmax, dmax, self.renorm_momentum].map(f64::to_bits));
        fields.value(&(self.axis, self.momentum.to_bits(), self.epsilon.to_bits(), self.center, self.scale, renorm));
        if self.scale {
            fields.field("gamma", &self.gamma);
        }
        if self.center {
            fields.field("beta", &self.beta);
        }
        fields.field("moving_mean", &self.moving_mean);
        fields.field("moving_variance", &self.moving_variance);
        if self.renorm.is_some() {
            fields.field("moving_stddev", &self.moving_stddev);
            fields.field("renorm_mean", &self.renorm_mean);
            fields.field("renorm_stddev", &self.renorm_stddev);
        }
    }
}
