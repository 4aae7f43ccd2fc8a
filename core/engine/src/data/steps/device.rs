//! The stage that brings elements to a device: `prefetch_to_device`, which does it in the thread that works ahead.
//! Strings stay on the host, where all of them lie.

use super::one_input;
use crate::data::cardinality::Cardinality;
use crate::data::stage::{Item, Pass, Stage, Values};
use crate::data::state::Saved;
use crate::module::StateWriter;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::Result;
use std::panic::Location;
use std::sync::Arc;

pub(in crate::data) struct ToDevice {
    pub before: Arc<dyn Stage>,
    /// Its name in full.
    pub device: Arc<str>,
    /// The user's line.
    pub location: &'static Location<'static>,
}

impl Stage for ToDevice {
    fn begin(&self, from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let before = Values::begin(&self.before, from)?;
        Ok(Box::new(Moving { before, device: self.device.clone(), location: self.location }))
    }

    fn cardinality(&self) -> Cardinality {
        self.before.cardinality()
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.before.types()
    }

    one_input!();

    fn describe(&self) -> String {
        // A state may be taken back where the device is another one.
        "to_device".to_owned()
    }
}

struct Moving {
    before: Values,
    device: Arc<str>,
    location: &'static Location<'static>,
}

impl Pass for Moving {
    fn next(&mut self) -> Result<Option<Item>> {
        let Some(values) = self.before.next()? else { return Ok(None) };
        let there = |tensor: Tensor| match tensor.dtype() {
            DType::String | DType::Variant => Ok(tensor),
            _ => tensor.to_device(&self.device).map_err(|e| e.in_op("prefetch_to_device").at(self.location)),
        };
        values.into_iter().map(there).collect::<Result<_>>().map(|values| Some(Item::Values(values)))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        self.before.save(to)
    }
}
