//! `Maximum` and `Minimum`: the largest or the smallest of several inputs, element by element.
//! Keras's layers of these names.

use super::arithmetic::merging;
use super::layer_of_many;
use super::rules::{aligned, mark, spread_mask};
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, named};
use crate::layers::copied_by_clone;
use engine::{Fields, Module, Tensor};
use kernels::error::{Error, Result};

merging! {
    /// The largest of all inputs.
    ///
    /// Steps that do not count in an input give way to those of the others.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Maximum;
    /// let (x, y) = (tf::constant([[1.0, 20.0]]), tf::constant([[10.0, 2.0]]));
    /// assert_eq!(Maximum::new().call([&x, &y]).to_vec::<f32>(), [10.0, 20.0]);
    /// ```
    Maximum, "maximum", |this, inputs, cx| {
        mark(extreme(this.core.name(), inputs, cx, |a, b| a.try_maximum(b))?, inputs, cx)
    }
}

merging! {
    /// The smallest of all inputs.
    ///
    /// Steps that do not count in an input give way to those of the others.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Minimum;
    /// let (x, y) = (tf::constant([[1.0, 20.0]]), tf::constant([[10.0, 2.0]]));
    /// assert_eq!(Minimum::new().call([&x, &y]).to_vec::<f32>(), [1.0, 2.0]);
    /// ```
    Minimum, "minimum", |this, inputs, cx| {
        mark(extreme(this.core.name(), inputs, cx, |a, b| a.try_minimum(b))?, inputs, cx)
    }
}

/// All inputs joined from the left, where what does not count takes the other's value.
#[track_caller]
fn extreme(
    layer: &str,
    inputs: &[Tensor],
    cx: &Call,
    join: impl Fn(&Tensor, &Tensor) -> Result<Tensor>,
) -> Result<Tensor> {
    let mut so_far: Option<(Tensor, Option<Tensor>)> = None;
    for (index, x) in aligned(layer, inputs)?.into_iter().enumerate() {
        let mask = cx.mask_of(inputs, index).map(|mask| spread_mask(&mask, &x)).transpose()?;
        let Some((y, own)) = so_far else {
            so_far = Some((x, mask));
            continue;
        };
        let x = mask.as_ref().map_or_else(|| Ok(x.clone()), |mask| engine::try_where(mask, &x, &y))?;
        let y = own.as_ref().map_or_else(|| Ok(y.clone()), |own| engine::try_where(own, &y, &x))?;
        let both = match (own, mask) {
            (Some(own), Some(mask)) => Some(engine::try_logical_or(&own, &mask)?),
            _ => None,
        };
        so_far = Some((join(&y, &x)?, both));
    }
    so_far.map(|(y, _)| y).ok_or_else(|| Error::internal(layer, "the inputs are gone"))
}
