//! `UnitNormalization`: vectors along axes brought to length 1.
//! Keras's `UnitNormalization`; models that compare directions end with it.

use super::IntoAxisList;
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, named};
use crate::layers::copied_by_clone;
use engine::{Fields, Module, Tensor};
use kernels::dtype::DType;
use kernels::error::Result;

/// Vectors along axes of each example, over their length; a vector of zeros stays as it is.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::UnitNormalization;
/// let y = UnitNormalization::new().call(tf::constant([[0.0, 0.0], [8.0, 0.0]]));
/// assert_eq!(y.to_vec::<f32>(), [0.0, 0.0, 1.0, 0.0]);
/// ```
#[derive(Clone, Debug)]
pub struct UnitNormalization {
    core: Core,
    axes: Vec<isize>,
}

layer!(UnitNormalization);
copied_by_clone!(UnitNormalization);

impl UnitNormalization {
    /// Along the last axis.
    pub fn new() -> Self {
        Self { core: Core::new("unit_normalization"), axes: vec![-1] }
    }

    /// The axis, or several, whose elements are one vector.
    #[must_use]
    pub fn axis(mut self, axes: impl IntoAxisList) -> Self {
        self.axes = axes.into_list();
        self
    }
}

impl Default for UnitNormalization {
    fn default() -> Self {
        Self::new()
    }
}

impl Layer for UnitNormalization {
    named!();

    fn masking(&self) -> Masking {
        Masking::Passes
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        // The least sum of squares, so that zeros stay zeros; `float16` has no smaller number.
        let epsilon = if inputs[0].dtype() == DType::F16 { 1e-7 } else { 1e-24 };
        engine::try_l2_normalize(&inputs[0], &self.axes[..], epsilon).map(Outputs::one)
    }
}

impl Module for UnitNormalization {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&self.axes);
    }
}
