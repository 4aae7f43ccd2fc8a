//! `Permute`: the dimensions of each example in another order.
//! Keras's `Permute`; it is a view, and copies nothing.

use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, misfit, named};
use crate::layers::copied_by_clone;
use engine::library::Typed;
use engine::{Fields, Module, Tensor};
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

/// The dimensions behind the batch in another order; they are counted from 1, as in Keras.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Permute;
/// assert_eq!(Permute::new([2, 1]).call(&tf::ones([5, 10, 64])).shape(), [5, 64, 10]);
/// ```
#[derive(Clone, Debug)]
pub struct Permute {
    core: Core,
    dims: Vec<usize>,
}

layer!(Permute);
copied_by_clone!(Permute);

impl Permute {
    /// A layer whose output has the input's dimension `dims[i]` in place i + 1.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(dims: impl Into<Vec<usize>>) -> Self {
        Self::try_new(dims).or_fail()
    }

    /// A layer for an order, which may be none.
    ///
    /// # Errors
    /// InvalidArgument unless the numbers are 1, 2, … in some order.
    #[track_caller]
    pub fn try_new(dims: impl Into<Vec<usize>>) -> Result<Self> {
        let here = Location::caller();
        let dims = dims.into();
        let mut sorted = dims.clone();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(1..=dims.len()) {
            return Err(Error::invalid_argument("Permute", "`dims` is no order of the dimensions behind the batch")
                .got(format!("{dims:?}"))
                .expected(format!("the numbers 1 to {}, each once", dims.len().max(1)))
                .at(here));
        }
        Ok(Self { core: Core::new("permute"), dims })
    }
}

impl Layer for Permute {
    named!();

    fn masking(&self) -> Masking {
        Masking::Refuses
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let x = &inputs[0];
        if x.rank() != self.dims.len() + 1 {
            let expected = format!("rank {}, for the order {:?}", self.dims.len() + 1, self.dims);
            return Err(misfit(self.core.name(), "the input has another number of dimensions", x.ty(), expected));
        }
        let order: Vec<isize> = std::iter::once(0).chain(self.dims.iter().map(|&dim| dim as isize)).collect();
        engine::try_transpose(x, &order).map(Outputs::one)
    }
}

impl Module for Permute {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&self.dims);
    }
}
