//! The stage that gives data sets of neighbouring elements: `window`.
//! Windows hold their elements in memory, rows as numbers, and are sources of pipelines themselves.

use super::one_input;
use super::rows::InOrder;
use crate::data::cardinality::Cardinality;
use crate::data::pipeline::Pipeline;
use crate::data::stage::{Item, Pass, Rows, Stage, values};
use crate::data::state::{Saved, save_item, saved_item};
use crate::data::steps::batch::stacked;
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::tensor::TensorType;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use smallvec::smallvec;
use std::collections::VecDeque;
use std::sync::Arc;

/// Elements that were taken from a pass.
pub(in crate::data) struct Taken {
    pub items: Vec<Item>,
    pub source: Option<Arc<dyn Rows>>,
    pub types: Option<Vec<TensorType>>,
}

impl Taken {
    /// A data set's handle of them.
    #[track_caller]
    pub fn into_handle(self) -> crate::Tensor {
        Pipeline { stages: Arc::new(InOrder(Arc::new(self))) }.into_handle()
    }
}

fn copy(item: &Item) -> Item {
    match item {
        Item::Row(row) => Item::Row(*row),
        Item::Values(values) => Item::Values(values.clone()),
    }
}

impl Rows for Taken {
    fn count(&self) -> usize {
        self.items.len()
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.types.clone()
    }

    fn row(&self, row: usize) -> Result<Outputs> {
        values(self.source.as_ref(), copy(&self.items[row]))
    }

    fn rows(&self, rows: &[usize]) -> Result<Outputs> {
        let of_source = |&row: &usize| match self.items[row] {
            Item::Row(number) => Some(number),
            Item::Values(_) => None,
        };
        if let (Some(source), Some(numbers)) = (&self.source, rows.iter().map(of_source).collect::<Option<Vec<_>>>()) {
            return source.rows(&numbers);
        }
        match rows {
            [] => Err(Error::internal("batch", "a batch of no elements")),
            _ => stacked("batch", &rows.iter().map(|&row| self.row(row)).collect::<Result<Vec<_>>>()?),
        }
    }

    fn describe(&self) -> String {
        format!("{} elements", self.items.len())
    }

    fn taken(&self) -> bool {
        true
    }
}

pub(in crate::data) struct Window {
    pub before: Arc<dyn Stage>,
    pub size: usize,
    pub shift: usize,
    pub stride: usize,
    pub exact: bool,
}

impl Window {
    /// How many elements a whole window spans.
    fn span(&self) -> usize {
        (self.size - 1).saturating_mul(self.stride).saturating_add(1)
    }
}

impl Stage for Window {
    fn begin(&self, mut from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let source = self.before.source();
        let (mut buffer, mut running) = (VecDeque::new(), true);
        if let Some(from) = from.as_deref_mut() {
            let count = from.count()?;
            buffer = (0..count).map(|_| saved_item(from, source)).collect::<Result<_>>()?;
            running = from.flag()?;
        }
        let before = running.then(|| self.before.begin(from)).transpose()?;
        let (span, shift, stride, exact) = (self.span(), self.shift, self.stride, self.exact);
        let (source, types) = (source.cloned(), self.before.types());
        Ok(Box::new(Windowing { before, buffer, span, shift, stride, exact, source, types }))
    }

    fn cardinality(&self) -> Cardinality {
        self.before.cardinality().map(|count| match self.exact {
            true => count.checked_sub(self.span()).map_or(0, |rest| rest / self.shift + 1),
            false => count.div_ceil(self.shift),
        })
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        Some(vec![TensorType::scalar(DType::Variant)])
    }

    one_input!();

    fn describe(&self) -> String {
        let Self { size, shift, stride, exact, .. } = self;
        format!("window({size}, shift {shift}, stride {stride}{})", if *exact { ", whole ones" } else { "" })
    }
}

struct Windowing {
    /// Nothing once the end was seen.
    before: Option<Box<dyn Pass>>,
    buffer: VecDeque<Item>,
    span: usize,
    shift: usize,
    stride: usize,
    exact: bool,
    source: Option<Arc<dyn Rows>>,
    types: Option<Vec<TensorType>>,
}

impl Pass for Windowing {
    fn next(&mut self) -> Result<Option<Item>> {
        while let Some(before) = &mut self.before
            && self.buffer.len() < self.span
        {
            match before.next()? {
                Some(item) => self.buffer.push_back(item),
                None => self.before = None,
            }
        }
        if self.buffer.is_empty() || self.exact && self.buffer.len() < self.span {
            self.buffer.clear();
            return Ok(None);
        }
        let items = self.buffer.iter().step_by(self.stride).map(copy).collect();
        let window = Taken { items, source: self.source.clone(), types: self.types.clone() }.into_handle();
        let beyond = self.shift.saturating_sub(self.buffer.len());
        self.buffer.drain(..self.shift.min(self.buffer.len()));
        for _ in 0..beyond {
            let Some(before) = &mut self.before else { break };
            if before.next()?.is_none() {
                self.before = None;
            }
        }
        Ok(Some(Item::Values(smallvec![window])))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.number(self.buffer.len() as u64);
        self.buffer.iter().try_for_each(|item| save_item(item, to))?;
        to.flag(self.before.is_some());
        self.before.as_ref().map_or(Ok(()), |before| before.save(to))
    }
}
