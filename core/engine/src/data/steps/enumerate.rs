//! The stage that counts: `enumerate` puts the number of each element before its components.
//! The dataset puts it into its pipeline; numbers are `int64` scalars, as in TensorFlow.

use super::one_input;
use crate::data::cardinality::Cardinality;
use crate::data::stage::{Item, Pass, Stage, Values};
use crate::data::state::Saved;
use crate::module::StateWriter;
use crate::tensor::TensorType;
use kernels::dtype::DType;
use kernels::error::Result;
use std::sync::Arc;

pub(in crate::data) struct Enumerate {
    pub before: Arc<dyn Stage>,
    /// The first number.
    pub start: i64,
}

/// The types of numbered elements.
pub(in crate::data) fn numbered(types: &[TensorType]) -> Vec<TensorType> {
    std::iter::once(TensorType::scalar(DType::I64)).chain(types.iter().copied()).collect()
}

impl Stage for Enumerate {
    fn begin(&self, mut from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let next = from.as_deref_mut().map_or(Ok(self.start), |from| from.signed())?;
        Ok(Box::new(Counting { before: Values::begin(&self.before, from)?, next }))
    }

    fn cardinality(&self) -> Cardinality {
        self.before.cardinality()
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.before.types().map(|types| numbered(&types))
    }

    one_input!();

    fn describe(&self) -> String {
        if self.start == 0 { "enumerate".to_owned() } else { format!("enumerate({})", self.start) }
    }
}

struct Counting {
    before: Values,
    next: i64,
}

impl Pass for Counting {
    fn next(&mut self) -> Result<Option<Item>> {
        let Some(values) = self.before.next()? else { return Ok(None) };
        let number = crate::constant::try_constant_of(self.next, DType::I64)?;
        self.next = self.next.wrapping_add(1);
        Ok(Some(Item::Values(std::iter::once(number).chain(values).collect())))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.signed(self.next);
        self.before.save(to)
    }
}
