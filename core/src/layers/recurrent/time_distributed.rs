//! `TimeDistributed`: a layer that is applied to each step of a sequence alike.
//! Keras's layer of this name.

use super::with_state::built_by_call;
use crate::layers::base::{Masking, misfit, run};
use crate::layers::{Call, Core, Layer, Outputs, layer, named};
use engine::library::{Typed, reshape_to, set_mask};
use engine::{Copies, Duplicate, Fields, Module, Tensor};
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, Shape};
use std::sync::Arc;

/// A layer over every step of sequences `[batch, steps, …]`: Keras's `TimeDistributed`.
///
/// The steps of all sequences go through the layer as one batch, `[batch * steps, …]`, so its speed is that of the layer, whatever the number of steps. That
/// is what Keras computes step by step for every layer that looks at each example by itself; batch normalisation, while it is trained, takes
/// the mean over all steps at once. A mask `[batch, steps]` goes on; of one with more axes each step's part goes to the layer.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Conv2D, TimeDistributed};
/// let frames = TimeDistributed::new(Conv2D::new(8, 3));
/// assert_eq!(frames.call(tf::ones([2, 5, 16, 16, 3])).shape(), [2, 5, 14, 14, 8]);
/// ```
#[derive(Clone)]
pub struct TimeDistributed {
    core: Core,
    layer: Arc<dyn Layer>,
}

layer!(TimeDistributed);
built_by_call!(TimeDistributed);

impl TimeDistributed {
    /// A layer for each step.
    pub fn new(layer: impl Layer + 'static) -> Self {
        Self { core: Core::new("time_distributed"), layer: Arc::new(layer) }
    }

    /// The layer that each step goes through.
    pub fn layer(&self) -> &Arc<dyn Layer> {
        &self.layer
    }
}

/// Batches of steps as one batch.
#[track_caller]
fn folded(x: &Tensor) -> Result<Tensor> {
    let sizes = x.shape().sizes();
    let all: Vec<Dim> = std::iter::once(sizes[0] * sizes[1]).chain(sizes[2..].iter().copied()).collect();
    reshape_to(x, &Shape::from_dims(&all)?)
}

impl Layer for TimeDistributed {
    named!();

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
        let name = self.core.name();
        if let Some(flat) = inputs.iter().find(|x| x.rank() < 3) {
            return Err(misfit(name, "the input is no batch of sequences", flat.ty(), "[batch, steps, …]"));
        }
        let (batch, steps) = (inputs[0].shape().dim(0), inputs[0].shape().dim(1));
        let mask = cx.mask_of(inputs, 0);
        if let Some(mask) = &mask
            && !(mask.rank() >= 2 && mask.shape().dim(0).can_equal(batch) && mask.shape().dim(1).can_equal(steps))
        {
            return Err(Error::invalid_argument(name, "the mask does not fit the sequences")
                .got(format!("a mask {} for {}", mask.ty(), inputs[0].ty()))
                .expected("a mask bool[batch, steps, …]"));
        }
        let all: Vec<Tensor> = inputs.iter().map(folded).collect::<Result<_>>()?;
        let inner = match &mask {
            // What is left of it for a step has an axis that the layer can heed.
            Some(mask) if mask.rank() > 2 && self.layer.masking() != Masking::Refuses => {
                cx.without_masks().masks([Some(folded(mask)?)])
            }
            _ => cx.without_masks().masks([None]),
        };
        let outputs = run(&*self.layer, &all, &inner).map_err(|e| e.within(self.layer.layer_name()))?;
        let unfolded = |y: Tensor| {
            if y.rank() == 0 {
                return Err(misfit(name, "the layer gives no batch", y.ty(), "[batch, …]"));
            }
            let sizes: Vec<Dim> = [batch, steps].into_iter().chain(y.shape().sizes()[1..].iter().copied()).collect();
            reshape_to(&y, &Shape::from_dims(&sizes)?)
        };
        let outputs: Vec<Tensor> = outputs.into_iter().map(unfolded).collect::<Result<_>>()?;
        if let (Some(mask), Some(first)) = (&mask, outputs.first()) {
            set_mask(first, mask);
        }
        Ok(Outputs::many(outputs))
    }
}

impl Duplicate for TimeDistributed {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        let layer = copies.shared(Arc::as_ptr(&self.layer).addr() as u64, |copies| self.layer.copied(copies));
        Self { core: self.core.clone(), layer }
    }
}

impl Module for TimeDistributed {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.field("layer", &self.layer);
    }
}

impl std::fmt::Debug for TimeDistributed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TimeDistributed").field(&self.layer.layer_name()).finish()
    }
}
