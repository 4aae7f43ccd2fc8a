//! The stage that gives each element once: `unique`, which remembers what it has given.
//! The data set puts it into its pipeline.

use super::one_input;
use crate::data::cardinality::Cardinality;
use crate::data::stage::{Item, Pass, Stage, Values};
use crate::data::state::{Saved, save_item, saved_item};
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::tensor::TensorType;
use kernels::error::Result;
use std::collections::HashSet;
use std::sync::Arc;

pub(in crate::data) struct Unique {
    pub before: Arc<dyn Stage>,
}

impl Stage for Unique {
    fn begin(&self, mut from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let mut given = Vec::new();
        if let Some(from) = from.as_deref_mut() {
            for _ in 0..from.count()? {
                match saved_item(from, None)? {
                    Item::Values(values) => given.push(values),
                    Item::Row(_) => return Err(from.damaged("a row of no source")),
                }
            }
        }
        let seen = given.iter().map(bits).collect::<Result<_>>()?;
        Ok(Box::new(Telling { before: Values::begin(&self.before, from)?, seen, given }))
    }

    fn cardinality(&self) -> Cardinality {
        match self.before.cardinality() {
            Cardinality::Known(0) => Cardinality::Known(0),
            _ => Cardinality::Unknown,
        }
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.before.types()
    }

    one_input!();

    fn describe(&self) -> String {
        "unique".to_owned()
    }
}

/// An element to the bit.
fn bits(element: &Outputs) -> Result<Vec<u8>> {
    let mut writer = StateWriter::new("");
    element.iter().try_for_each(|tensor| writer.tensor(tensor))?;
    Ok(writer.finish())
}

struct Telling {
    before: Values,
    seen: HashSet<Vec<u8>>,
    given: Vec<Outputs>,
}

impl Pass for Telling {
    fn next(&mut self) -> Result<Option<Item>> {
        while let Some(element) = self.before.next()? {
            if self.seen.insert(bits(&element)?) {
                self.given.push(element.clone());
                return Ok(Some(Item::Values(element)));
            }
        }
        Ok(None)
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.number(self.given.len() as u64);
        self.given.iter().try_for_each(|element| save_item(&Item::Values(element.clone()), to))?;
        self.before.save(to)
    }
}
