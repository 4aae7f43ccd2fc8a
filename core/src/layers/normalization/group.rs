//! `GroupNormalization`: groups of channels of each example brought to mean 0 and variance 1.
//! Keras's `GroupNormalization`; models of images have it where batches are small.

use super::scaled::{read, scaled, wide};
use crate::initializers::{Ones, Zeros};
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, Weight, buildable, known_size, layer, named};
use engine::library::options::options;
use engine::library::{Typed, cast_to};
use engine::{Duplicate, Fields, Module, Tensor, TensorType, Variable};
use kernels::error::{Error, Result};

/// The channels of each example in groups of neighbours, each less its mean and over the root of its variance; then each channel times `gamma`
/// and plus `beta`: Wu and He 2018.
///
/// Options and defaults are Keras's: 32 groups of the last axis, an epsilon of 0.001, a factor that starts at 1 and an offset that starts
/// at 0. One group is the normalisation of the whole example, -1 stands for as many groups as channels.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::GroupNormalization;
/// let y = GroupNormalization::new().groups(2).epsilon(0.0).call(tf::constant([[1.0, 3.0, 10.0, 30.0]]));
/// assert_eq!(y.to_vec::<f32>(), [-1.0, 1.0, -1.0, 1.0]);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct GroupNormalization {
    core: Core,
    groups: isize,
    axis: isize,
    epsilon: f64,
    center: bool,
    scale: bool,
    gamma: Weight,
    beta: Weight,
}

layer!(GroupNormalization);
scaled!(GroupNormalization);

options! { GroupNormalization:
    /// The number of groups, which divides the channels, or -1 for as many as channels.
    pub fn groups, try_groups(this, groups: isize) {
        if groups < -1 || groups == 0 {
            return Err(Error::invalid_argument("GroupNormalization", "`groups` is out of range")
                .got(groups)
                .expected("a number from 1 on, or -1 for one group per channel"));
        }
        this.groups = groups;
        Ok(this)
    }
}

impl GroupNormalization {
    /// 32 groups of the last axis.
    pub fn new() -> Self {
        Self {
            core: Core::new("group_normalization").uncast(),
            groups: 32,
            axis: -1,
            epsilon: 1e-3,
            center: true,
            scale: true,
            gamma: Weight::new("gamma", Ones),
            beta: Weight::new("beta", Zeros),
        }
    }

    /// The axis of the channels.
    #[must_use]
    pub fn axis(mut self, axis: isize) -> Self {
        self.axis = axis;
        self
    }

    #[track_caller]
    fn make(&self, x: &TensorType) -> Result<()> {
        self.built(x).map(drop)
    }

    #[track_caller]
    fn built(&self, x: &TensorType) -> Result<(usize, [Option<&Variable>; 2])> {
        // What is made needs no sizes, which may be unknown now.
        let made = self.made();
        if let (Some(made), Ok(groups)) = (made, usize::try_from(self.groups)) {
            return Ok((groups, made));
        }
        let of_variable = made.and_then(|[gamma, beta]| gamma.or(beta)).map(|variable| variable.shape().num_elements());
        let channels = of_variable.map_or_else(|| known_size(self.core.name(), x, self.axis), Ok)?;
        let groups = usize::try_from(self.groups).unwrap_or(channels);
        if channels % groups != 0 {
            return Err(Error::invalid_argument(self.core.name(), "the channels do not divide into so many groups")
                .got(format!("{groups} groups of {channels} channels in {x}"))
                .expected("a number of groups that divides the channels")
                .help("set another number with `groups`; it is 32 unless set"));
        }
        let factors = made.map_or_else(|| self.factors(&[channels]), Ok)?;
        Ok((groups, factors))
    }
}

impl Default for GroupNormalization {
    fn default() -> Self {
        Self::new()
    }
}

buildable!(GroupNormalization, "GroupNormalization::new()", "[1, 64]", 2);

impl Layer for GroupNormalization {
    named!();

    fn masking(&self) -> Masking {
        Masking::Passes
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let dtype = wide(inputs[0].ty());
        let x = cast_to(&inputs[0], dtype)?;
        let (groups, [gamma, beta]) = self.built(x.ty())?;
        let (gamma, beta) = (read(gamma, dtype)?, read(beta, dtype)?);
        let y = engine::try_group_normalization(&x, groups, self.axis, gamma.as_ref(), beta.as_ref(), self.epsilon)?;
        cast_to(&y, self.core.compute()).map(Outputs::one)
    }
}

impl Module for GroupNormalization {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&(self.groups, self.axis, self.epsilon.to_bits(), self.center, self.scale));
        if self.scale {
            fields.field("gamma", &self.gamma);
        }
        if self.center {
            fields.field("beta", &self.beta);
        }
    }
}
