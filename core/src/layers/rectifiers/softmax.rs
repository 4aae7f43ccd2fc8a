//! `Softmax`: shares of a whole along axes, of which a mask may leave places out.
//! Keras's `Softmax`; attention that is written by hand uses it.

use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, misfit, named};
use crate::layers::copied_by_clone;
use crate::layers::normalization::IntoAxisList;
use engine::library::{Typed, cast_to};
use engine::{Fields, Module, Tensor, keep_dims};
use kernels::dtype::DType;
use kernels::error::Result;

/// The [`softmax`](fn@crate::softmax) along an axis, or along several together. Where the input has a mask, or is given one with the call,
/// places that it leaves out have a share of 0; a mask broadcasts to the input.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Call, Softmax};
/// let x = tf::constant([[1.0, 1.0, 5.0]]);
/// let seen = Call::inference().mask(tf::constant([[true, true, false]]));
/// assert_eq!(Softmax::new().call_with(&x, &seen).to_vec::<f32>(), [0.5, 0.5, 0.0]);
/// ```
#[derive(Clone, Debug)]
pub struct Softmax {
    core: Core,
    axes: Vec<isize>,
}

layer!(Softmax);
copied_by_clone!(Softmax);

impl Softmax {
    /// Along the last axis.
    pub fn new() -> Self {
        Self { core: Core::new("softmax"), axes: vec![-1] }
    }

    /// The axis, or several, whose places add up to 1.
    #[must_use]
    pub fn axis(mut self, axes: impl IntoAxisList) -> Self {
        self.axes = axes.into_list();
        self
    }

    /// The mask as truth values, if it broadcasts to the input.
    #[track_caller]
    fn seen(&self, mask: &Tensor, x: &Tensor) -> Result<Tensor> {
        let sizes = mask.shape().iter().rev().zip(x.shape().iter().rev());
        let fits = sizes.clone().all(|(own, of_x)| own == 1 || own.can_equal(of_x));
        if mask.rank() > x.rank() || !fits {
            let expected = format!("an input to which the mask {} broadcasts", mask.ty());
            return Err(misfit(self.core.name(), "the mask does not fit the input", x.ty(), expected));
        }
        match mask.dtype() {
            DType::Bool => Ok(mask.clone()),
            dtype if dtype.is_floating() => mask.try_greater(0.5),
            _ => cast_to(mask, DType::Bool),
        }
    }
}

impl Default for Softmax {
    fn default() -> Self {
        Self::new()
    }
}

impl Layer for Softmax {
    named!();

    fn masking(&self) -> Masking {
        Masking::Passes
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
        let x = &inputs[0];
        let seen = cx.mask_of(inputs, 0).map(|mask| self.seen(&mask, x)).transpose()?;
        // Keras's large numbers, which `float16` must hold.
        let least = if x.dtype() == DType::F16 { -3e4 } else { -1e9 };
        let scores = seen.as_ref().map_or_else(|| Ok(x.clone()), |seen| engine::try_where(seen, x, least))?;
        let shares = match self.axes[..] {
            [axis] => scores.try_softmax(axis)?,
            _ => scores.try_subtract(&scores.try_reduce_logsumexp(keep_dims(&self.axes[..]))?)?.try_exp()?,
        };
        match seen {
            Some(seen) => engine::try_where(&seen, &shares, 0).map(Outputs::one),
            None => Ok(Outputs::one(shares)),
        }
    }
}

impl Module for Softmax {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&self.axes);
    }
}
