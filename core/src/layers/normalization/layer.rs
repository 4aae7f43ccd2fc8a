//! `LayerNormalization`: each example brought to mean 0 and variance 1 along some axes.
//! Keras's `LayerNormalization`; transformers have it around attention and dense layers.

use super::IntoAxisList;
use super::scaled::{read, scaled, sized, wide};
use crate::initializers::{Ones, Zeros};
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, Weight, buildable, known_size, layer, named};
use engine::library::{Typed, cast_to};
use engine::{Duplicate, Fields, Module, Tensor, TensorType};
use kernels::error::Result;
use kernels::shape::resolve_axes;

/// Values less their mean, over the root of their variance, along axes of each example; then times `gamma` and plus `beta`, which have the
/// sizes of the axes: Ba et al. 2016.
///
/// Options and defaults are Keras's: the last axis, an epsilon of 0.001, a factor that starts at 1 and an offset that starts at 0. Moments
/// are computed in `float32` at least.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::LayerNormalization;
/// let y = LayerNormalization::new().epsilon(0.0).call(tf::constant([[1.0, 3.0], [2.0, 6.0]]));
/// assert_eq!(y.to_vec::<f32>(), [-1.0, 1.0, -1.0, 1.0]);
/// let images = LayerNormalization::new().axis([1, 2]);
/// assert_eq!(images.call(tf::ones([2, 4, 5, 3])).shape(), [2, 4, 5, 3]);
/// assert_eq!(images.gamma().unwrap().shape(), [4, 5]);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct LayerNormalization {
    core: Core,
    axes: Vec<isize>,
    epsilon: f64,
    center: bool,
    scale: bool,
    gamma: Weight,
    beta: Weight,
}

layer!(LayerNormalization);
scaled!(LayerNormalization);

impl LayerNormalization {
    /// Along the last axis.
    pub fn new() -> Self {
        Self {
            core: Core::new("layer_normalization").uncast(),
            axes: vec![-1],
            epsilon: 1e-3,
            center: true,
            scale: true,
            gamma: Weight::new("gamma", Ones),
            beta: Weight::new("beta", Zeros),
        }
    }

    /// The axis, or several, which are normalised together.
    #[must_use]
    pub fn axis(mut self, axes: impl IntoAxisList) -> Self {
        self.axes = axes.into_list();
        self
    }

    #[track_caller]
    fn make(&self, x: &TensorType) -> Result<()> {
        self.built(x).map(drop)
    }

    #[track_caller]
    fn built(&self, x: &TensorType) -> Result<[Option<&engine::Variable>; 2]> {
        // What is made needs no sizes, which may be unknown now.
        if let Some(made) = self.made() {
            return Ok(made);
        }
        let axes = resolve_axes(self.core.name(), &self.axes, x.shape.rank()).map_err(|e| e.got(x))?;
        let size = |axis: usize| known_size(self.core.name(), x, axis as isize);
        let sizes = axes.iter().map(size).collect::<Result<Vec<usize>>>()?;
        self.factors(&sizes)
    }
}

impl Default for LayerNormalization {
    fn default() -> Self {
        Self::new()
    }
}

buildable!(LayerNormalization, "LayerNormalization::new()", "[1, 8]", 2);

impl Layer for LayerNormalization {
    named!();

    fn masking(&self) -> Masking {
        Masking::Passes
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let dtype = wide(inputs[0].ty());
        let x = cast_to(&inputs[0], dtype)?;
        let [gamma, beta] = self.built(x.ty())?;
        let x = sized(self.core.name(), x, &self.axes, gamma.or(beta))?;
        let (gamma, beta) = (read(gamma, dtype)?, read(beta, dtype)?);
        let y = engine::try_layer_normalization(&x, &self.axes[..], gamma.as_ref(), beta.as_ref(), self.epsilon)?;
        cast_to(&y, self.core.compute()).map(Outputs::one)
    }
}

impl Module for LayerNormalization {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&(&self.axes, self.epsilon.to_bits(), self.center, self.scale));
        if self.scale {
            fields.field("gamma", &self.gamma);
        }
        if self.center {
            fields.field("beta", &self.beta);
        }
    }
}
