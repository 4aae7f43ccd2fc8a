//! The stage that counts: `enumerate` puts the number of each element before its components.
//! The dataset puts it into its pipeline; numbers are `int64` scalars, as in TensorFlow.

use super::source::Source;
use super::stage::{Item, Stage, Stream};
use super::state::Saved;
use crate::module::StateWriter;
use crate::tensor::TensorType;
use kernels::dtype::DType;
use kernels::error::Result;
use std::sync::Arc;

pub(super) struct Enumerate {
    pub before: Arc<dyn Stage>,
    pub source: Arc<Source>,
}

/// The types of numbered elements.
pub(super) fn numbered(types: &[TensorType]) -> Vec<TensorType> {
    std::iter::once(TensorType::scalar(DType::I64)).chain(types.iter().copied()).collect()
}

impl Stage for Enumerate {
    fn open(&self) -> Box<dyn Stream> {
        Box::new(Counting { before: self.before.open(), source: self.source.clone(), next: 0 })
    }

    fn resume(&self, from: &mut Saved<'_>) -> Result<Box<dyn Stream>> {
        // No pass comes near the half of it.
        let next = from.at_most(i64::MAX as usize / 2)? as i64;
        Ok(Box::new(Counting { before: self.before.resume(from)?, source: self.source.clone(), next }))
    }

    fn len(&self) -> Option<usize> {
        self.before.len()
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.before.types().map(|types| numbered(&types))
    }

    fn before(&self) -> Option<&dyn Stage> {
        Some(&*self.before)
    }

    fn describe(&self) -> String {
        "enumerate".to_owned()
    }
}

struct Counting {
    before: Box<dyn Stream>,
    source: Arc<Source>,
    next: i64,
}

impl Stream for Counting {
    fn next(&mut self) -> Result<Option<Item>> {
        let Some(item) = self.before.next()? else { return Ok(None) };
        let number = crate::constant::try_constant_of(self.next, DType::I64)?;
        self.next += 1;
        let values = std::iter::once(number).chain(self.source.values(item)?).collect();
        Ok(Some(Item::Values(values)))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.number(self.next as u64);
        self.before.save(to)
    }
}
