//! The stage that keeps the elements of the first pass in memory for those that follow: `cache`.
//! Only a pass that came to its end fills it, as in TensorFlow; a state holds what was kept so far.

use super::one_input;
use crate::data::cardinality::Cardinality;
use crate::data::stage::{Item, Pass, Stage, Values};
use crate::data::state::{Saved, save_elements, saved_elements};
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::tensor::TensorType;
use kernels::error::Result;
use std::sync::{Arc, Mutex, PoisonError};

/// All elements, once a pass was made. Pipelines with the same step share them.
#[derive(Clone, Default)]
pub struct Kept(Arc<Mutex<Option<Arc<[Outputs]>>>>);

impl Kept {
    pub fn get(&self) -> Option<Arc<[Outputs]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn set(&self, elements: Option<Arc<[Outputs]>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = elements;
    }

    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

pub(in crate::data) struct Cache {
    pub before: Arc<dyn Stage>,
    pub kept: Kept,
}

impl Stage for Cache {
    fn begin(&self, from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let filling = |before, elements| Filling { before, elements, cache: self.kept.clone() };
        let Some(from) = from else {
            return Ok(match self.kept.get() {
                Some(kept) => Box::new(Reading { kept, next: 0 }),
                None => Box::new(filling(Values::begin(&self.before, None)?, Vec::new())),
            });
        };
        if from.flag()? {
            // The elements are part of the pipeline's state.
            let Some(kept) = from.kept_of(&self.kept) else { return Err(from.damaged("a cache is empty")) };
            let next = from.at_most(kept.len())?;
            return Ok(Box::new(Reading { kept, next }));
        }
        let elements = saved_elements(from)?;
        Ok(Box::new(filling(Values::begin(&self.before, Some(from))?, elements)))
    }

    fn cardinality(&self) -> Cardinality {
        self.before.cardinality()
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.before.types()
    }

    one_input!();

    fn describe(&self) -> String {
        "cache".to_owned()
    }

    fn kept(&self) -> Option<&Kept> {
        Some(&self.kept)
    }
}

/// The pass that fills the cache.
struct Filling {
    before: Values,
    elements: Vec<Outputs>,
    cache: Kept,
}

impl Pass for Filling {
    fn next(&mut self) -> Result<Option<Item>> {
        match self.before.next()? {
            Some(values) => {
                self.elements.push(values.clone());
                Ok(Some(Item::Values(values)))
            }
            None => {
                self.cache.set(Some(self.elements.as_slice().into()));
                Ok(None)
            }
        }
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.flag(false);
        save_elements(&self.elements, to)?;
        self.before.save(to)
    }
}

/// A pass over what is kept.
struct Reading {
    kept: Arc<[Outputs]>,
    next: usize,
}

impl Pass for Reading {
    fn next(&mut self) -> Result<Option<Item>> {
        let element = self.kept.get(self.next).cloned();
        self.next += usize::from(element.is_some());
        Ok(element.map(Item::Values))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.flag(true);
        to.number(self.next as u64);
        Ok(())
    }
}
