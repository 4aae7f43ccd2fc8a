//! Stages that cut batches up: `unbatch` into single elements, `rebatch` into batches of other sizes.
//! Rows are views of the batches they come from, and copied only where pieces of several batches meet.

use super::one_input;
use crate::data::cardinality::Cardinality;
use crate::data::stage::{Item, Pass, Stage, Values};
use crate::data::state::{Saved, save_item, saved_item};
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::ops;
use crate::tensor::{Tensor, TensorType};
use kernels::error::{Error, Result};
use kernels::shape::Dim;
use std::panic::Location;
use std::sync::Arc;

/// A batch with the number of its next row.
struct Cut {
    batch: Outputs,
    next: usize,
    rows: usize,
}

impl Cut {
    fn new(step: &str, batch: Outputs) -> Result<Self> {
        let rows = batch.first().and_then(|t| t.shape().dims().first().copied());
        match rows {
            Some(rows) if batch.iter().all(|t| t.rank() > 0 && t.shape()[0] == rows) => {
                Ok(Self { batch, next: 0, rows })
            }
            _ => {
                let types: Vec<String> = batch.iter().map(|t| t.ty().to_string()).collect();
                Err(Error::invalid_argument(step, "the components of a batch have not the same number of rows")
                    .got(types.join(", "))
                    .expected("the same first dimension in all"))
            }
        }
    }

    /// So many rows, which are there.
    fn rows(&mut self, count: usize) -> Result<Outputs> {
        let first = self.next;
        self.next += count;
        let cut = |t: &Tensor| ops::slice_axis(t, 0, Dim::known(first), Dim::known(count));
        self.batch.iter().map(cut).collect()
    }

    fn save(cut: Option<&Self>, to: &mut StateWriter) -> Result<()> {
        to.flag(cut.is_some());
        let Some(cut) = cut else { return Ok(()) };
        save_item(&Item::Values(cut.batch.clone()), to)?;
        to.number(cut.next as u64);
        Ok(())
    }

    fn resume(step: &str, from: &mut Saved<'_>) -> Result<Option<Self>> {
        if !from.flag()? {
            return Ok(None);
        }
        let Item::Values(batch) = saved_item(from, None)? else { return Err(from.damaged("a row of no source")) };
        let mut cut = Self::new(step, batch)?;
        cut.next = from.at_most(cut.rows)?;
        Ok(Some(cut))
    }
}

pub(in crate::data) struct Unbatch {
    pub before: Arc<dyn Stage>,
    pub location: &'static Location<'static>,
}

/// The types of rows; none where something has no rows.
pub(in crate::data) fn unbatched(types: &[TensorType]) -> Option<Vec<TensorType>> {
    let row = |ty: &TensorType| (ty.shape.rank() > 0).then(|| TensorType::new(ty.dtype, ty.shape.remove(0)));
    types.iter().map(row).collect()
}

impl Stage for Unbatch {
    fn begin(&self, mut from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let cut = from.as_deref_mut().map_or(Ok(None), |from| Cut::resume("unbatch", from))?;
        Ok(Box::new(Unbatching { before: Values::begin(&self.before, from)?, cut, location: self.location }))
    }

    fn cardinality(&self) -> Cardinality {
        let rows = self.before.types().and_then(|types| types.first()?.shape.iter().next()?.known_value());
        match (self.before.cardinality(), rows) {
            (Cardinality::Known(0), _) => Cardinality::Known(0),
            (Cardinality::Known(_), None) => Cardinality::Unknown,
            (own, rows) => own.times(Some(rows.unwrap_or(1))),
        }
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        unbatched(&self.before.types()?)
    }

    one_input!();

    fn describe(&self) -> String {
        "unbatch".to_owned()
    }
}

struct Unbatching {
    before: Values,
    cut: Option<Cut>,
    location: &'static Location<'static>,
}

impl Pass for Unbatching {
    fn next(&mut self) -> Result<Option<Item>> {
        loop {
            if let Some(cut) = &mut self.cut
                && cut.next < cut.rows
            {
                let row = cut.rows(1)?;
                let flat = |t: &Tensor| ops::reshape_to(t, &t.shape().remove(0));
                return row.iter().map(flat).collect::<Result<_>>().map(|row| Some(Item::Values(row)));
            }
            self.cut = None;
            let Some(batch) = self.before.next()? else { return Ok(None) };
            self.cut = Some(Cut::new("unbatch", batch).map_err(|e| e.at(self.location))?);
        }
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        Cut::save(self.cut.as_ref(), to)?;
        self.before.save(to)
    }
}

pub(in crate::data) struct Rebatch {
    pub before: Arc<dyn Stage>,
    /// The sizes of the batches to make, over and over.
    pub sizes: Vec<usize>,
    pub exact: bool,
    pub location: &'static Location<'static>,
}

impl Stage for Rebatch {
    fn begin(&self, mut from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let (mut at, mut cut) = (0, None);
        if let Some(from) = from.as_deref_mut() {
            at = from.at_most(self.sizes.len() - 1)?;
            cut = Cut::resume("rebatch", from)?;
        }
        let (sizes, exact, location) = (self.sizes.clone(), self.exact, self.location);
        Ok(Box::new(Rebatching { before: Values::begin(&self.before, from)?, sizes, at, cut, exact, location }))
    }

    fn cardinality(&self) -> Cardinality {
        match self.before.cardinality() {
            Cardinality::Known(0) => Cardinality::Known(0),
            Cardinality::Infinite => Cardinality::Infinite,
            _ => Cardinality::Unknown,
        }
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        let rows = unbatched(&self.before.types()?)?;
        let alike = self.exact && self.sizes.iter().all(|size| *size == self.sizes[0]);
        super::batch::batched(&rows, self.sizes[0], alike).ok()
    }

    one_input!();

    fn describe(&self) -> String {
        let sizes: Vec<String> = self.sizes.iter().map(usize::to_string).collect();
        format!("rebatch{}({})", if self.exact { "_exact" } else { "" }, sizes.join(", "))
    }
}

struct Rebatching {
    before: Values,
    sizes: Vec<usize>,
    /// Which size is next.
    at: usize,
    cut: Option<Cut>,
    exact: bool,
    location: &'static Location<'static>,
}

impl Pass for Rebatching {
    fn next(&mut self) -> Result<Option<Item>> {
        let size = self.sizes[self.at];
        let (mut pieces, mut rows): (Vec<Outputs>, usize) = (Vec::new(), 0);
        while rows < size {
            match &mut self.cut {
                Some(cut) if cut.next < cut.rows => {
                    let count = (cut.rows - cut.next).min(size - rows);
                    pieces.push(cut.rows(count)?);
                    rows += count;
                }
                _ => match self.before.next()? {
                    Some(batch) => self.cut = Some(Cut::new("rebatch", batch).map_err(|e| e.at(self.location))?),
                    None => break,
                },
            }
        }
        if rows == 0 || self.exact && rows < size {
            return Ok(None);
        }
        self.at = (self.at + 1) % self.sizes.len();
        let whole = |c: usize| match &pieces[..] {
            [only] => Ok(only[c].clone()),
            _ => ops::concat_all(&pieces.iter().map(|piece| &piece[c]).collect::<Vec<_>>(), 0),
        };
        let batch = (0..pieces[0].len()).map(whole).collect::<Result<Outputs>>();
        batch.map(|batch| Some(Item::Values(batch))).map_err(|e| e.at(self.location))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.number(self.at as u64);
        Cut::save(self.cut.as_ref(), to)?;
        self.before.save(to)
    }
}
