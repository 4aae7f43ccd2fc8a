//! `RepeatVector`: the row of each example as so many equal steps.
//! Keras's `RepeatVector`; decoders of sequences begin with it.

use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, misfit, named};
use crate::layers::copied_by_clone;
use engine::library::{Typed, options};
use engine::{Fields, Module, Tensor};
use kernels::error::{OrFail, Result};
use std::panic::Location;

/// Each row `n` times: `[batch, features]` becomes `[batch, n, features]`.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::RepeatVector;
/// assert_eq!(RepeatVector::new(3).call(&tf::ones([2, 32])).shape(), [2, 3, 32]);
/// ```
#[derive(Clone, Debug)]
pub struct RepeatVector {
    core: Core,
    n: usize,
}

layer!(RepeatVector);
copied_by_clone!(RepeatVector);

impl RepeatVector {
    /// A layer that repeats `n` times.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(n: usize) -> Self {
        Self::try_new(n).or_fail()
    }

    /// A layer that repeats `n` times, which may be never.
    ///
    /// # Errors
    /// InvalidArgument for 0.
    #[track_caller]
    pub fn try_new(n: usize) -> Result<Self> {
        let here = Location::caller();
        let n = options::count("RepeatVector", "n", n).map_err(|e| e.at(here))?;
        Ok(Self { core: Core::new("repeat_vector"), n })
    }
}

impl Layer for RepeatVector {
    named!();

    fn masking(&self) -> Masking {
        Masking::Refuses
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let x = &inputs[0];
        if x.rank() != 2 {
            return Err(misfit(self.core.name(), "the input is no batch of rows", x.ty(), "[batch, features]"));
        }
        let steps = x.try_expand_dims(1)?;
        engine::try_broadcast_to(&steps, &steps.shape().with(1, self.n)?).map(Outputs::one)
    }
}

impl Module for RepeatVector {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&self.n);
    }
}
