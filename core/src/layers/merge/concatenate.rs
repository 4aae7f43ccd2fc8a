//! `Concatenate`: all inputs one after the other along an axis.
//! Keras's `Concatenate`.

use super::layer_of_many;
use super::rules::{over_features, spread_mask};
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, misfit, named};
use crate::layers::copied_by_clone;
use engine::library::{Typed, set_mask};
use engine::{Fields, Module, Tensor};
use kernels::dtype::DType;
use kernels::error::{Error, Result};

/// All inputs one after the other along an axis.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Concatenate;
/// let (x, y) = (tf::ones([2, 3]), tf::zeros([2, 1]));
/// assert_eq!(Concatenate::new().call([&x, &y]).shape(), [2, 4]);
/// ```
///
/// Where an input has a mask, the output has one: a step counts where it counts in any input, and inputs without a mask count.
#[derive(Clone, Debug)]
pub struct Concatenate {
    core: Core,
    axis: isize,
}

layer_of_many!(Concatenate);
copied_by_clone!(Concatenate);

impl Concatenate {
    /// Along the last axis.
    pub fn new() -> Self {
        Self { core: Core::new("concatenate"), axis: -1 }
    }

    /// Another axis.
    #[must_use]
    pub fn axis(mut self, axis: isize) -> Self {
        self.axis = axis;
        self
    }
}

impl Default for Concatenate {
    fn default() -> Self {
        Self::new()
    }
}

impl Concatenate {
    /// The masks of the inputs side by side, as Keras joins them; none where no input has one.
    #[track_caller]
    fn mask(&self, inputs: &[Tensor], cx: &Call) -> Result<Option<Tensor>> {
        let masks: Vec<Option<Tensor>> = (0..inputs.len()).map(|index| cx.mask_of(inputs, index)).collect();
        if masks.iter().all(Option::is_none) {
            return Ok(None);
        }
        let spread = inputs.iter().zip(&masks).map(|(x, mask)| match mask {
            Some(mask) => spread_mask(mask, x),
            None => engine::library::cast_to(&engine::try_ones_like(x)?, DType::Bool),
        });
        let joined = engine::try_concat(&spread.collect::<Result<Vec<Tensor>>>()?, self.axis)?;
        over_features(&joined).map(Some)
    }
}

impl Layer for Concatenate {
    named!();

    fn masking(&self) -> Masking {
        Masking::Own
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
        if inputs.is_empty() {
            return Err(Error::invalid_argument(self.core.name(), "there is nothing to join").got("no inputs"));
        }
        if let Some(scalar) = inputs.iter().find(|x| x.rank() == 0) {
            return Err(misfit(self.core.name(), "a scalar cannot be joined", scalar.ty(), "[batch, …]"));
        }
        let y = engine::try_concat(inputs, self.axis)?;
        if let Some(mask) = self.mask(inputs, cx)? {
            set_mask(&y, &mask);
        }
        Ok(Outputs::one(y))
    }
}

impl Module for Concatenate {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&self.axis);
    }
}
