//! The stage that gives each element once: `unique`, which remembers what it has given.
//! The data set puts it into its pipeline.

use super::one_input;
use crate::data::cardinality::Cardinality;
use crate::data::stage::{Item, Pass, Stage, Values};
use crate::data::state::{Saved, save_elements, saved_elements};
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
            given = saved_elements(from)?;
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
        save_elements(&self.given, to)?;
        self.before.save(to)
    }
}
