//! The stage that keeps the elements of the first pass in memory for those that follow: `cache`.
//! Only a pass that came to its end fills it, as in TensorFlow; a state holds what was kept so far.

use super::one_input;
use crate::data::cardinality::Cardinality;
use crate::data::stage::{Item, Pass, Stage, Values};
use crate::data::state::{Saved, save_item, saved_item};
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::tensor::TensorType;
use kernels::error::Result;
use std::sync::{Arc, OnceLock};

pub(in crate::data) struct Cache {
    pub before: Arc<dyn Stage>,
    /// All elements, once a pass was made.
    pub kept: Arc<OnceLock<Arc<[Outputs]>>>,
}

impl Stage for Cache {
    fn begin(&self, from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let Some(from) = from else {
            return Ok(match self.kept.get() {
                Some(kept) => Box::new(Reading { kept: kept.clone(), next: 0 }),
                None => Box::new(Filling {
                    before: Values::begin(&self.before, None)?,
                    elements: Vec::new(),
                    cache: self.kept.clone(),
                }),
            });
        };
        let (whole, next) = (from.flag()?, from.number()? as usize);
        let mut elements = Vec::new();
        for _ in 0..from.count()? {
            match saved_item(from, None)? {
                Item::Values(values) => elements.push(values),
                Item::Row(_) => return Err(from.damaged("a row of no source")),
            }
        }
        if !whole {
            let before = Values::begin(&self.before, Some(from))?;
            return Ok(Box::new(Filling { before, elements, cache: self.kept.clone() }));
        }
        if next > elements.len() {
            return Err(from.damaged("a number is out of range"));
        }
        Ok(Box::new(Reading { kept: self.kept.get_or_init(|| elements.into()).clone(), next }))
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
}

fn save_kept(whole: bool, next: usize, elements: &[Outputs], to: &mut StateWriter) -> Result<()> {
    to.flag(whole);
    to.number(next as u64);
    to.number(elements.len() as u64);
    elements.iter().try_for_each(|element| save_item(&Item::Values(element.clone()), to))
}

/// The pass that fills the cache.
struct Filling {
    before: Values,
    elements: Vec<Outputs>,
    cache: Arc<OnceLock<Arc<[Outputs]>>>,
}

impl Pass for Filling {
    fn next(&mut self) -> Result<Option<Item>> {
        match self.before.next()? {
            Some(values) => {
                self.elements.push(values.clone());
                Ok(Some(Item::Values(values)))
            }
            None => {
                self.cache.get_or_init(|| self.elements.as_slice().into());
                Ok(None)
            }
        }
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        save_kept(false, 0, &self.elements, to)?;
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
        save_kept(true, self.next, &self.kept, to)
    }
}
