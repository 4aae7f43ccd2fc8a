//! `RMSNormalization`: values over the root of the mean of their squares.
//! Keras's `RMSNormalization`; many language models have it in place of `LayerNormalization`.

use super::IntoAxisList;
use super::scaled::{sized, wide};
use crate::initializers::Ones;
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, Weight, buildable, known_size, layer, named};
use engine::library::options::{magnitude, options};
use engine::library::{Typed, cast_to};
use engine::{Duplicate, Fields, Module, Tensor, TensorType, Variable};
use kernels::error::Result;
use kernels::shape::resolve_axes;

/// Values over the root of the mean of their squares along axes of each example, times a factor `scale`: Zhang and Sennrich 2019.
///
/// Options and defaults are Keras's: the last axis and an epsilon of 1e-6. As in Keras the layer does not take inputs with masks.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::RMSNormalization;
/// let y = RMSNormalization::new().epsilon(0.0).call(tf::constant([[1.0, 7.0], [5.0, 5.0]]));
/// assert_eq!(y.to_vec::<f32>(), [0.2, 1.4, 1.0, 1.0]);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct RMSNormalization {
    core: Core,
    axes: Vec<isize>,
    epsilon: f64,
    scale: Weight,
}

layer!(RMSNormalization);

options! { RMSNormalization:
    /// What is added to the mean of the squares, so that it is not 0.
    pub fn epsilon, try_epsilon(this, epsilon: f64) {
        this.epsilon = magnitude("RMSNormalization", "epsilon", epsilon)?;
        Ok(this)
    }
}

impl RMSNormalization {
    /// Along the last axis.
    pub fn new() -> Self {
        let scale = Weight::new("scale", Ones);
        Self { core: Core::new("rms_normalization"), axes: vec![-1], epsilon: 1e-6, scale }
    }

    /// The axis, or several, which are normalised together.
    #[must_use]
    pub fn axis(mut self, axes: impl IntoAxisList) -> Self {
        self.axes = axes.into_list();
        self
    }

    /// The factor, once it is built.
    pub fn scale(&self) -> Option<&Variable> {
        self.scale.get()
    }

    #[track_caller]
    fn make(&self, x: &TensorType) -> Result<()> {
        self.factor(x).map(drop)
    }

    #[track_caller]
    fn factor(&self, x: &TensorType) -> Result<&Variable> {
        // What is made needs no sizes, which may be unknown now.
        if let Some(scale) = self.scale.get() {
            return Ok(scale);
        }
        let axes = resolve_axes(self.core.name(), &self.axes, x.shape.rank()).map_err(|e| e.got(x))?;
        let size = |axis: usize| known_size(self.core.name(), x, axis as isize);
        let sizes = axes.iter().map(size).collect::<Result<Vec<usize>>>()?;
        self.scale.make(&self.core, &sizes)
    }
}

impl Default for RMSNormalization {
    fn default() -> Self {
        Self::new()
    }
}

buildable!(RMSNormalization, "RMSNormalization::new()", "[1, 8]", 1);

impl Layer for RMSNormalization {
    named!();

    fn masking(&self) -> Masking {
        Masking::Refuses
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let dtype = wide(inputs[0].ty());
        let x = cast_to(&inputs[0], dtype)?;
        let factor = self.factor(x.ty())?;
        let x = sized(self.core.name(), x, &self.axes, Some(factor))?;
        let scale = cast_to(&self.core.read(factor)?, dtype)?;
        let y = engine::try_rms_norm(&x, &self.axes[..], Some(&scale), self.epsilon)?;
        cast_to(&y, self.core.compute()).map(Outputs::one)
    }
}

impl Module for RMSNormalization {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&(&self.axes, self.epsilon.to_bits()));
        fields.field("scale", &self.scale);
    }
}
