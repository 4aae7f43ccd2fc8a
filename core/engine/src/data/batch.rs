//! The stage that puts elements together: `batch`, with a new first axis over the elements of a batch.
//! Rows straight from the source become a batch by one gather; elements that were computed are stacked.

use super::pipeline::named_alike;
use super::source::Source;
use super::stage::{Item, Stage, Stream};
use super::state::Saved;
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::ops;
use crate::tensor::{Tensor, TensorType};
use kernels::error::{Error, Result};
use kernels::shape::Dim;
use std::panic::Location;
use std::sync::Arc;

pub(super) struct Batch {
    pub before: Arc<dyn Stage>,
    pub source: Arc<Source>,
    pub size: usize,
    /// Whether a last batch with fewer elements is left out.
    pub exact: bool,
    /// The user's line.
    pub location: &'static Location<'static>,
}

impl Stage for Batch {
    fn open(&self) -> Box<dyn Stream> {
        self.over(self.before.open())
    }

    fn resume(&self, from: &mut Saved<'_>) -> Result<Box<dyn Stream>> {
        Ok(self.over(self.before.resume(from)?))
    }

    fn len(&self) -> Option<usize> {
        let len = self.before.len()?;
        Some(if self.exact { len / self.size } else { len.div_ceil(self.size) })
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        batched(&self.before.types()?, self.size, self.exact).ok()
    }

    fn before(&self) -> Option<&dyn Stage> {
        Some(&*self.before)
    }

    fn describe(&self) -> String {
        format!("batch{}({})", if self.exact { "_exact" } else { "" }, self.size)
    }
}

impl Batch {
    fn over(&self, before: Box<dyn Stream>) -> Box<dyn Stream> {
        let Self { source, size, exact, location, .. } = self;
        Box::new(Batching { before, source: source.clone(), size: *size, exact: *exact, location })
    }
}

/// The types of batches of elements.
pub(super) fn batched(types: &[TensorType], size: usize, exact: bool) -> Result<Vec<TensorType>> {
    let types = named_alike(types)?;
    let unknown: usize = types.iter().map(|ty| ty.shape.rank()).sum();
    let rows = if exact { Dim::known(size) } else { Dim::unbacked(unknown as u32) };
    types.iter().map(|ty| Ok(TensorType::new(ty.dtype, ty.shape.insert(0, rows)?))).collect()
}

struct Batching {
    before: Box<dyn Stream>,
    source: Arc<Source>,
    size: usize,
    exact: bool,
    location: &'static Location<'static>,
}

impl Stream for Batching {
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
        if let Some(rows) = rows.collect::<Option<Vec<usize>>>() {
            return self.source.rows(&rows);
        }
        let elements = items.into_iter().map(|item| self.source.values(item)).collect::<Result<Vec<Outputs>>>()?;
        (0..elements[0].len()).map(|c| stack(&elements, c)).collect()
    }
}

/// Component `c` of all elements under a new first axis.
fn stack(elements: &[Outputs], c: usize) -> Result<Tensor> {
    let first = elements[0][c].ty();
    if let Some(other) = elements.iter().map(|e| e[c].ty()).find(|ty| *ty != first) {
        return Err(Error::invalid_argument("batch", format!("component {c} has not the same type in all elements"))
            .got(format!("{first} and {other}"))
            .help("make the elements equal in `map`, or batch one by one"));
    }
    let shape = first.shape.insert(0, Dim::ONE)?;
    let rows = elements.iter().map(|e| ops::reshape_to(&e[c], &shape)).collect::<Result<Vec<_>>>()?;
    ops::concat_all(&rows.iter().collect::<Vec<_>>(), 0)
}
