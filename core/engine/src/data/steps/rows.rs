//! The stage that goes over the rows of a source in order: the first one of pipelines whose elements can be had by number.
//! `from_tensor_slices` and `from_indexed` begin with it.

use crate::data::cardinality::Cardinality;
use crate::data::stage::{Item, Pass, Rows, Stage, guarded};
use crate::data::state::Saved;
use crate::data::steps::batch::stacked;
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::tensor::TensorType;
use kernels::error::{Error, Result};
use std::ops::Range;
use std::panic::Location;
use std::sync::{Arc, OnceLock};

/// The rows of a source in order.
pub(in crate::data) struct InOrder(pub Arc<dyn Rows>);

impl Stage for InOrder {
    fn begin(&self, from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let first = from.map_or(Ok(0), |from| from.at_most(self.0.count()))?;
        Ok(Box::new(Going(first..self.0.count())))
    }

    fn cardinality(&self) -> Cardinality {
        Cardinality::Known(self.0.count())
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.0.types()
    }

    fn source(&self) -> Option<&Arc<dyn Rows>> {
        Some(&self.0)
    }

    fn inputs(&self) -> &[Arc<dyn Stage>] {
        &[]
    }

    fn describe(&self) -> String {
        self.0.describe()
    }
}

struct Going(Range<usize>);

impl Pass for Going {
    fn next(&mut self) -> Result<Option<Item>> {
        Ok(self.0.next().map(Item::Row))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.number(self.0.start as u64);
        Ok(())
    }
}

/// Elements that a function of the user's makes of their number.
pub(in crate::data) struct Indexed {
    pub count: usize,
    pub function: Arc<dyn Fn(usize) -> Result<Outputs> + Send + Sync>,
    pub location: &'static Location<'static>,
    /// Of the first element, made when somebody asks.
    pub types: OnceLock<Option<Vec<TensorType>>>,
}

impl Rows for Indexed {
    fn count(&self) -> usize {
        self.count
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        // The function may read files: only the first element is made, and errors are for the pass to tell.
        let first = || (self.count > 0).then(|| self.row(0).ok()).flatten();
        self.types.get_or_init(|| first().map(|row| row.iter().map(|t| *t.ty()).collect())).clone()
    }

    fn row(&self, row: usize) -> Result<Outputs> {
        guarded("from_indexed", || (self.function)(row)).map_err(|e| e.at(self.location))
    }

    fn rows(&self, rows: &[usize]) -> Result<Outputs> {
        match rows {
            [] => Err(Error::internal("batch", "a batch of no elements")),
            _ => stacked("batch", &rows.iter().map(|&row| self.row(row)).collect::<Result<Vec<_>>>()?),
        }
    }

    fn describe(&self) -> String {
        format!("from_indexed({})", self.count)
    }
}
