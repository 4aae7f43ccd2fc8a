//! The stage that puts elements together: `batch`, with a new first axis over the elements of a batch.
//! Rows straight from the source become a batch by one gather; elements that were computed are stacked.

use super::one_input;
use crate::data::cardinality::Cardinality;
use crate::data::pipeline::named_alike;
use crate::data::stage::{Item, Pass, Rows, Stage, values};
use crate::data::state::Saved;
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::ops;
use crate::tensor::{Tensor, TensorType, strings};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Dim;
use std::panic::Location;
use std::sync::Arc;

pub(in crate::data) struct Batch {
    pub before: Arc<dyn Stage>,
    pub size: usize,
    /// Whether a last batch with fewer elements is left out.
    pub exact: bool,
    /// The user's line.
    pub location: &'static Location<'static>,
}

impl Stage for Batch {
    fn begin(&self, from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let Self { size, exact, location, .. } = *self;
        Ok(Box::new(Batching {
            before: self.before.begin(from)?,
            source: self.before.source().cloned(),
            size,
            exact,
            location,
        }))
    }

    fn cardinality(&self) -> Cardinality {
        self.before.cardinality().map(|count| if self.exact { count / self.size } else { count.div_ceil(self.size) })
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        batched(&self.before.types()?, self.size, self.exact).ok()
    }

    one_input!();

    fn describe(&self) -> String {
        format!("batch{}({})", if self.exact { "_exact" } else { "" }, self.size)
    }
}

/// The types of batches of elements.
pub(in crate::data) fn batched(types: &[TensorType], size: usize, exact: bool) -> Result<Vec<TensorType>> {
    let types = named_alike(types)?;
    let unknown: usize = types.iter().map(|ty| ty.shape.rank()).sum();
    let rows = if exact { Dim::known(size) } else { Dim::unbacked(unknown as u32) };
    types.iter().map(|ty| Ok(TensorType::new(ty.dtype, ty.shape.insert(0, rows)?))).collect()
}

struct Batching {
    before: Box<dyn Pass>,
    source: Option<Arc<dyn Rows>>,
    size: usize,
    exact: bool,
    location: &'static Location<'static>,
}

impl Pass for Batching {
    fn next(&mut self) -> Result<Option<Item>> {
        let mut items = Vec::new();
        while items.len() < self.size {
            match self.before.next()? {
                Some(item) => items.push(item),
                None => break,
            }
        }
        if items.is_empty() || self.exact && items.len() < self.size {
            return Ok(None);
        }
        let batch = self.together(items).map_err(|e| e.at(self.location))?;
        Ok(Some(Item::Values(batch)))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        self.before.save(to)
    }
}

impl Batching {
    fn together(&self, items: Vec<Item>) -> Result<Outputs> {
        let rows = items.iter().map(|item| match item {
            Item::Row(row) => Some(*row),
            Item::Values(_) => None,
        });
        if let (Some(source), Some(rows)) = (&self.source, rows.collect::<Option<Vec<usize>>>()) {
            return source.rows(&rows);
        }
        let element = |item| values(self.source.as_ref(), item);
        stacked("batch", &items.into_iter().map(element).collect::<Result<Vec<Outputs>>>()?)
    }
}

/// Elements put together under a new first axis; there is at least one.
pub(in crate::data) fn stacked(step: &str, elements: &[Outputs]) -> Result<Outputs> {
    (0..elements[0].len()).map(|c| stack(step, elements, c)).collect()
}

/// Component `c` of all elements under a new first axis.
fn stack(step: &str, elements: &[Outputs], c: usize) -> Result<Tensor> {
    let first = elements[0][c].ty();
    if let Some(other) = elements.iter().map(|e| e[c].ty()).find(|ty| *ty != first) {
        return Err(Error::invalid_argument(step, format!("component {c} has not the same type in all elements"))
            .got(format!("{first} and {other}"))
            .help("make the elements equal in `map`, fill them up by `padded_batch`, or batch one by one"));
    }
    if first.dtype == DType::String && elements.iter().all(|e| !e[c].is_symbol()) {
        let shape = first.shape.insert(0, Dim::known(elements.len()))?;
        if let Some(batch) = strings::stacked(elements.iter().map(|e| &e[c]), &shape)? {
            return Ok(batch);
        }
    }
    let shape = first.shape.insert(0, Dim::ONE)?;
    let rows = elements.iter().map(|e| ops::reshape_to(&e[c], &shape)).collect::<Result<Vec<_>>>()?;
    ops::concat_all(&rows.iter().collect::<Vec<_>>(), 0)
}
