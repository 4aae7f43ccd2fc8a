//! The states of data sets and iterators, which checkpoints hold: how later passes are ordered, and where the pass under way stands.
//! Stages write and resume their own part; a state names the pipeline it is of, and another one refuses it.
//!
//! Rows travel as numbers and computed elements as tensors, so a state is as large as the buffers. The source itself is not saved.

use super::dataset::Dataset;
use super::form::DatasetElement;
use super::iterator::DatasetIterator;
use super::order::{Order, SharedOrder};
use super::pipeline::Pipeline;
use super::stage::{Item, Pass, Rows, Stage};
use super::steps::cache::Kept;
use super::steps::window::Taken;
use crate::module::{Fields, Module, Prepared, SavedState, StateReader, StateValue, StateWriter};
use crate::op::Outputs;
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A state that stages resume from, with what its steps had kept.
pub struct Saved<'a>(StateReader<'a>, Vec<(Kept, Option<Arc<[Outputs]>>)>);

impl Saved<'_> {
    /// The elements that a step had kept.
    pub(super) fn kept_of(&self, step: &Kept) -> Option<Arc<[Outputs]>> {
        self.1.iter().find(|(kept, _)| kept.is(step))?.1.clone()
    }
}

impl<'a> Deref for Saved<'a> {
    type Target = StateReader<'a>;
    fn deref(&self) -> &StateReader<'a> {
        &self.0
    }
}

impl<'a> DerefMut for Saved<'a> {
    fn deref_mut(&mut self) -> &mut StateReader<'a> {
        &mut self.0
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
            values.iter().try_for_each(|value| save_value(value, to))
        }
    }
}

/// Elements that a step holds.
pub(super) fn save_elements(elements: &[Outputs], to: &mut StateWriter) -> Result<()> {
    to.number(elements.len() as u64);
    elements.iter().try_for_each(|element| save_item(&Item::Values(element.clone()), to))
}

/// What [`save_elements`] wrote.
pub(super) fn saved_elements(from: &mut Saved<'_>) -> Result<Vec<Outputs>> {
    let one = |from: &mut Saved<'_>| match saved_item(from, None)? {
        Item::Values(values) => Ok(values),
        Item::Row(_) => Err(from.damaged("a row of no source")),
    };
    (0..from.count()?).map(|_| one(from)).collect()
}

/// An element as a record of a file.
pub(super) fn record_of(element: &Outputs) -> Result<Vec<u8>> {
    let mut to = StateWriter::for_record();
    save_item(&Item::Values(element.clone()), &mut to)?;
    Ok(to.into_record())
}

/// The element of a record that [`record_of`] made.
pub(super) fn element_of(record: &[u8]) -> Result<Outputs> {
    let mut from = Saved(StateReader::of_record(record, "data set"), Vec::new());
    match saved_item(&mut from, None)? {
        Item::Values(values) => from.0.finish().map(|()| values),
        Item::Row(_) => Err(from.damaged("a row of no source")),
    }
}

/// A pipeline in words.
pub(super) fn words(stage: &dyn Stage) -> String {
    describe(stage)
}

/// A tensor, or a data set of elements that were taken from a pass, as `window` gives them.
fn save_value(value: &Tensor, to: &mut StateWriter) -> Result<()> {
    let window = (value.dtype() == DType::Variant).then(|| Pipeline::of(value, "save").ok()?.stages.source().cloned());
    match window.flatten() {
        Some(rows) if rows.taken() => {
            to.flag(true);
            to.number(rows.count() as u64);
            (0..rows.count()).try_for_each(|row| save_item(&Item::Values(rows.row(row)?), to))
        }
        _ => {
            to.flag(false);
            to.tensor(value)
        }
    }
}

fn saved_value(from: &mut Saved<'_>) -> Result<Tensor> {
    if !from.flag()? {
        return from.tensor();
    }
    let items = (0..from.count()?).map(|_| saved_item(from, None)).collect::<Result<_>>()?;
    Ok(Taken { items, source: None, types: None }.into_handle())
}

/// An element that [`save_item`] wrote, of a stage with this source.
pub(super) fn saved_item(from: &mut Saved<'_>, source: Option<&Arc<dyn Rows>>) -> Result<Item> {
    match from.count()? {
        0 => match source.map_or(0, |source| source.count()) {
            0 => Err(from.damaged("a row of an empty source")),
            rows => from.at_most(rows - 1).map(Item::Row),
        },
        components => (1..components).map(|_| saved_value(from)).collect::<Result<_>>().map(Item::Values),
    }
}

/// A result that waits to be given: an element, or why there is none.
pub(super) fn save_result(result: &Result<Outputs>, to: &mut StateWriter) -> Result<()> {
    to.flag(result.is_ok());
    match result {
        Ok(values) => save_item(&Item::Values(values.clone()), to),
        Err(error) => {
            to.text(&error.to_string());
            Ok(())
        }
    }
}

/// What [`save_result`] wrote. Of an error the message is left.
pub(super) fn saved_result(from: &mut Saved<'_>) -> Result<Result<Outputs>> {
    if !from.flag()? {
        let message = from.text()?.to_owned();
        return Ok(Err(Error::data_loss("dataset", "an element had failed before the state was saved").got(message)));
    }
    match saved_item(from, None)? {
        Item::Values(values) => Ok(Ok(values)),
        Item::Row(_) => Err(from.damaged("a row of no source")),
    }
}

/// A pipeline in words, from the source on.
fn describe(stage: &dyn Stage) -> String {
    match stage.inputs() {
        [] => stage.describe(),
        [before] => format!("{} | {}", describe(&**before), stage.describe()),
        several => {
            let each: Vec<String> = several.iter().map(|input| describe(&**input)).collect();
            format!("{}[{}]", stage.describe(), each.join("; "))
        }
    }
}

/// The orders of a pipeline's random steps, the last step's first.
fn orders<'a>(stage: &'a dyn Stage, into: &mut Vec<&'a SharedOrder>) {
    into.extend(stage.orders());
    stage.inputs().iter().for_each(|input| orders(&**input, into));
}

/// What a pipeline's steps keep, the last step's first.
fn kept<'a>(stage: &'a dyn Stage, into: &mut Vec<&'a Kept>) {
    into.extend(stage.kept());
    stage.inputs().iter().for_each(|input| kept(&**input, into));
}

/// What both kinds of state begin with: the pipeline, how its passes to come are ordered, and what its steps keep.
fn save_pipeline(pipeline: &Pipeline, kind: &'static str) -> Result<StateWriter> {
    let mut to = StateWriter::new(kind);
    to.text(&describe(&*pipeline.stages));
    let mut all = Vec::new();
    orders(&*pipeline.stages, &mut all);
    for order in all {
        let Order { seed, passes } = order.get();
        to.signed(seed);
        to.number(passes);
    }
    let mut all = Vec::new();
    kept(&*pipeline.stages, &mut all);
    for kept in all {
        let elements = kept.get();
        to.flag(elements.is_some());
        elements.map_or(Ok(()), |elements| save_elements(&elements, &mut to))?;
    }
    Ok(to)
}

/// What steps share from pass to pass, as it was read.
struct SavedOrders {
    orders: Vec<(SharedOrder, Order)>,
    kept: Vec<(Kept, Option<Arc<[Outputs]>>)>,
}

impl SavedOrders {
    fn put_back(self) {
        self.orders.into_iter().for_each(|(shared, order)| shared.set(order));
        self.kept.into_iter().for_each(|(kept, elements)| kept.set(elements));
    }
}

/// Reads what [`save_pipeline`] wrote.
fn saved_pipeline<'a>(pipeline: &Pipeline, bytes: &'a [u8], kind: &'static str) -> Result<(Saved<'a>, SavedOrders)> {
    let mut reader = StateReader::new(bytes, kind)?;
    let (saved, here) = (reader.text()?, describe(&*pipeline.stages));
    if saved != here {
        return Err(Error::failed_precondition("restore", format!("the state is that of a {kind} with other steps"))
            .got(saved)
            .expected(here)
            .help("build the pipeline as it was when the checkpoint was saved"));
    }
    let (mut all, mut found) = (Vec::new(), Vec::new());
    orders(&*pipeline.stages, &mut all);
    for order in all {
        found.push((order.clone(), Order { seed: reader.signed()?, passes: reader.number()? }));
    }
    let mut saved = Saved(reader, Vec::new());
    let mut all = Vec::new();
    kept(&*pipeline.stages, &mut all);
    for kept in all {
        let elements = saved.flag()?.then(|| saved_elements(&mut saved)).transpose()?;
        saved.1.push((kept.clone(), elements.map(Into::into)));
    }
    let orders = SavedOrders { orders: found, kept: saved.1.clone() };
    Ok((saved, orders))
}

const DATASET: &str = "dataset";

/// How the passes to come are ordered: seeds, and how many passes there were.
impl<S: DatasetElement> SavedState for Dataset<S> {
    fn kind(&self) -> &'static str {
        DATASET
    }

    fn id(&self) -> u64 {
        self.handle().id()
    }

    fn save(&self) -> Result<StateValue> {
        Ok(StateValue::Bytes(save_pipeline(Pipeline::of(self.handle(), "save")?, DATASET)?.finish()))
    }

    fn prepare(&self, value: &StateValue) -> Result<Prepared> {
        let pipeline = Pipeline::of(self.handle(), "restore")?;
        let (saved, orders) = saved_pipeline(pipeline, value.bytes(DATASET)?, DATASET)?;
        saved.0.finish()?;
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
impl<S: DatasetElement> Module for Dataset<S> {
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
impl<S: DatasetElement> SavedState for DatasetIterator<S> {
    fn kind(&self) -> &'static str {
        ITERATOR
    }

    fn id(&self) -> u64 {
        self.handle.id()
    }

    fn save(&self) -> Result<StateValue> {
        // Locked first: a pass that goes on meanwhile could begin another one.
        let stream = self.state.stream();
        let mut to = save_pipeline(&self.state.pipeline, ITERATOR)?;
        to.flag(stream.is_some());
        if let Some(stream) = &*stream {
            stream.save(&mut to)?;
        }
        Ok(StateValue::Bytes(to.finish()))
    }

    fn prepare(&self, value: &StateValue) -> Result<Prepared> {
        let pipeline = &self.state.pipeline;
        let (mut saved, orders) = saved_pipeline(pipeline, value.bytes(ITERATOR)?, ITERATOR)?;
        let stream: Option<Box<dyn Pass>> = match saved.flag()? {
            true => Some(pipeline.stages.begin(Some(&mut saved))?),
            false => None,
        };
        saved.0.finish()?;
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
impl<S: DatasetElement> Module for DatasetIterator<S> {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.state(self);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}
