//! The stage over a folder that `save` wrote: the record files in turn, an element of each.
//! It checks that there are as many elements as the description says.

use super::description::Description;
use crate::data::cardinality::Cardinality;
use crate::data::stage::{Item, Pass, Stage};
use crate::data::state::{Saved, element_of};
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::tensor::TensorType;
use formats::records::{BUFFER, Position, RecordReader, Records};
use kernels::error::{Error, Result};
use std::path::PathBuf;
use std::sync::Arc;

pub(super) struct Loaded {
    pub folder: PathBuf,
    pub description: Arc<Description>,
}

impl Loaded {
    fn open(&self, shard: usize, from: Position) -> Result<RecordReader> {
        let Description { shards, compression, .. } = *self.description;
        // Many files share what one has to itself.
        let buffer = (BUFFER / shards).max(16 << 10);
        RecordReader::open(&self.folder.join(self.description.file(shard)), compression, buffer, from)
    }
}

impl Stage for Loaded {
    fn begin(&self, from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let of = Arc::new(Self { folder: self.folder.clone(), description: self.description.clone() });
        let shards = self.description.shards;
        let Some(from) = from else {
            let open = (0..shards).map(|shard| self.open(shard, Position::default())).collect::<Result<_>>()?;
            return Ok(Box::new(Loading { of, open, given: 0 }));
        };
        let (mut open, given) = (Vec::new(), from.number()?);
        for shard in 0..shards {
            let place = Position { offset: from.number()?, record: from.number()?, line: 0 };
            open.push(self.open(shard, place)?);
        }
        Ok(Box::new(Loading { of, open, given }))
    }

    fn cardinality(&self) -> Cardinality {
        usize::try_from(self.description.count).map_or(Cardinality::Unknown, Cardinality::Known)
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.description.types.clone()
    }

    fn inputs(&self) -> &[Arc<dyn Stage>] {
        &[]
    }

    fn describe(&self) -> String {
        let Description { count, shards, .. } = *self.description;
        format!("load({count} elements of {shards} files)")
    }
}

struct Loading {
    of: Arc<Loaded>,
    open: Vec<RecordReader>,
    given: u64,
}

impl Loading {
    fn element(&mut self) -> Result<Outputs> {
        let shard = (self.given % self.open.len() as u64) as usize;
        let name = || self.of.folder.join(self.of.description.file(shard)).display().to_string();
        let Some(record) = self.open[shard].next()? else {
            return Err(Error::data_loss(name(), "the file holds fewer elements than were saved")
                .got(format!("{} of the data set", self.given))
                .expected(self.of.description.count));
        };
        let element = element_of(record)?;
        match self.of.description.components {
            Some(components) if components != element.len() => {
                Err(Error::data_loss(name(), "an element has another number of tensors than was saved"))
            }
            _ => Ok(element),
        }
    }
}

impl Pass for Loading {
    fn next(&mut self) -> Result<Option<Item>> {
        if self.given >= self.of.description.count {
            return Ok(None);
        }
        let element = self.element();
        // A damaged file cannot be read on: nor can what lies in turn with it.
        self.given = if element.is_ok() { self.given + 1 } else { self.of.description.count };
        element.map(|element| Some(Item::Values(element)))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.number(self.given);
        for open in &self.open {
            let Position { offset, record, .. } = open.position();
            to.number(offset);
            to.number(record);
        }
        Ok(())
    }
}
