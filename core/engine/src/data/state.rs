//! The states of data sets and iterators, which checkpoints hold: how later passes are ordered, and where the pass under way stands.
//! Stages write and resume their own part; a state names the pipeline it is of, and another one refuses it.
//!
//! Rows travel as numbers and computed elements as tensors, so a state is as large as the buffers. The source itself is not saved.

use super::dataset::Dataset;
use super::iterator::DatasetIterator;
use super::pipeline::Pipeline;
use super::shuffle::{Order, SharedOrder};
use super::stage::{Item, Stage, Stream};
use super::structure::Structure;
use crate::module::{Fields, Module, Prepared, SavedState, StateReader, StateValue, StateWriter};
use kernels::error::{Error, Result};
use std::ops::{Deref, DerefMut};
use std::sync::PoisonError;

/// A state that stages resume from.
pub(super) struct Saved<'a> {
    reader: StateReader<'a>,
    /// Of the source.
    rows: usize,
}

impl<'a> Deref for Saved<'a> {
    type Target = StateReader<'a>;
    fn deref(&self) -> &StateReader<'a> {
        &self.reader
    }
}

impl<'a> DerefMut for Saved<'a> {
    fn deref_mut(&mut self) -> &mut StateReader<'a> {
        &mut self.reader
    }
}

/// An element that waits in a buffer.
pub(super) fn save_item(item: &Item, to: &mut StateWriter) -> Result<()> {
    match item {
        Item::Row(row) => {
            to.number(0);
            to.number(*row as u64);
            Ok(())
        }
        Item::Values(values) => {
            to.number(1 + values.len() as u64);
            values.iter().try_for_each(|value| to.tensor(value))
        }
    }
}

/// An element that [`save_item`] wrote.
pub(super) fn saved_item(from: &mut Saved<'_>) -> Result<Item> {
    match from.count()? {
        0 => match from.rows {
            0 => Err(from.damaged("a row of an empty source")),
            rows => from.at_most(rows - 1).map(Item::Row),
        },
        components => (1..components).map(|_| from.tensor()).collect::<Result<_>>().map(Item::Values),
    }
}

/// All stages, the last one first.
fn stages(pipeline: &Pipeline) -> impl Iterator<Item = &dyn Stage> {
    std::iter::successors(Some(&*pipeline.stages), |stage| stage.before())
}

/// A pipeline in words, from the source on.
fn describe(pipeline: &Pipeline) -> String {
    let mut words: Vec<String> = stages(pipeline).map(Stage::describe).collect();
    words.reverse();
    words.join(" | ")
}

/// The orders of a pipeline's shuffles.
fn orders(pipeline: &Pipeline) -> impl Iterator<Item = &SharedOrder> {
    stages(pipeline).filter_map(Stage::order)
}

/// What both kinds of state begin with: the pipeline, and how its passes to come are ordered.
fn save_pipeline(pipeline: &Pipeline, kind: &'static str) -> StateWriter {
    let mut to = StateWriter::new(kind);
    to.text(&describe(pipeline));
    for order in orders(pipeline) {
        let Order { seed, passes } = *order.lock().unwrap_or_else(PoisonError::into_inner);
        to.signed(seed);
        to.number(passes);
    }
    to
}

/// Orders that were read, for the shuffles that they are of.
struct SavedOrders(Vec<(SharedOrder, Order)>);

impl SavedOrders {
    fn put_back(self) {
        for (shared, order) in self.0 {
            *shared.lock().unwrap_or_else(PoisonError::into_inner) = order;
        }
    }
}

/// Reads what [`save_pipeline`] wrote.
fn saved_pipeline<'a>(pipeline: &Pipeline, bytes: &'a [u8], kind: &'static str) -> Result<(Saved<'a>, SavedOrders)> {
    let mut reader = StateReader::new(bytes, kind)?;
    let (saved, here) = (reader.text()?, describe(pipeline));
    if saved != here {
        return Err(Error::failed_precondition("restore", format!("the state is that of a {kind} with other steps"))
            .got(saved)
            .expected(here)
            .help("build the pipeline as it was when the checkpoint was saved"));
    }
    let mut found = Vec::new();
    for order in orders(pipeline) {
        found.push((order.clone(), Order { seed: reader.signed()?, passes: reader.number()? }));
    }
    Ok((Saved { reader, rows: pipeline.source.len().unwrap_or(0) }, SavedOrders(found)))
}

const DATASET: &str = "dataset";

/// How the passes to come are ordered: seeds, and how many passes there were.
impl<S: Structure> SavedState for Dataset<S> {
    fn kind(&self) -> &'static str {
        DATASET
    }

    fn id(&self) -> u64 {
        self.handle().id()
    }

    fn save(&self) -> Result<StateValue> {
        Ok(StateValue::Bytes(save_pipeline(Pipeline::of(self.handle(), "save")?, DATASET).finish()))
    }

    fn prepare(&self, value: &StateValue) -> Result<Prepared> {
        let pipeline = Pipeline::of(self.handle(), "restore")?;
        let (saved, orders) = saved_pipeline(pipeline, value.bytes(DATASET)?, DATASET)?;
        saved.reader.finish()?;
        Ok(Prepared::new(|| orders.put_back()))
    }

    fn commit(&self, prepared: Prepared) {
        prepared.exchange();
    }
}

/// A checkpoint holds how the passes to come are shuffled, not the elements: saved between two epochs and restored, the next epoch has
/// the order that it would have had.
///
/// Traced functions with loops over it are traced anew for another dataset.
impl<S: Structure> Module for Dataset<S> {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value(&self.handle().id());
        fields.state(self);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}

const ITERATOR: &str = "dataset iterator";

/// Where the pass stands, and how those to come are ordered.
impl<S: Structure> SavedState for DatasetIterator<S> {
    fn kind(&self) -> &'static str {
        ITERATOR
    }

    fn id(&self) -> u64 {
        self.handle.id()
    }

    fn save(&self) -> Result<StateValue> {
        // Locked first: a pass that goes on meanwhile could begin another one.
        let stream = self.state.stream();
        let mut to = save_pipeline(&self.state.pipeline, ITERATOR);
        to.flag(stream.is_some());
        if let Some(stream) = &*stream {
            stream.save(&mut to)?;
        }
        Ok(StateValue::Bytes(to.finish()))
    }

    fn prepare(&self, value: &StateValue) -> Result<Prepared> {
        let pipeline = &self.state.pipeline;
        let (mut saved, orders) = saved_pipeline(pipeline, value.bytes(ITERATOR)?, ITERATOR)?;
        let stream: Option<Box<dyn Stream>> = match saved.flag()? {
            true => Some(pipeline.stages.resume(&mut saved)?),
            false => None,
        };
        saved.reader.finish()?;
        let state = self.state.clone();
        Ok(Prepared::new(move || {
            let mut running = state.stream();
            orders.put_back();
            *running = stream;
        }))
    }

    fn commit(&self, prepared: Prepared) {
        prepared.exchange();
    }
}

/// A checkpoint holds where the pass stands, with what waits in buffers, and goes on with exactly the elements that were left; functions
/// of `map` are not called again for those that were given.
impl<S: Structure> Module for DatasetIterator<S> {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.state(self);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}
