//! Stages that give a part of the elements before them: `take`, `skip` and `shard`.
//! The dataset puts them into its pipeline; elements pass through untouched.

use super::one_input;
use crate::data::cardinality::Cardinality;
use crate::data::stage::{Item, Pass, Stage};
use crate::data::state::Saved;
use crate::module::StateWriter;
use kernels::error::Result;
use std::sync::Arc;

/// The first elements only.
pub(in crate::data) struct Take {
    pub before: Arc<dyn Stage>,
    pub count: usize,
}

impl Stage for Take {
    fn begin(&self, mut from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let left = from.as_deref_mut().map_or(Ok(self.count), |from| from.at_most(self.count))?;
        Ok(Box::new(Taking { before: self.before.begin(from)?, left }))
    }

    fn cardinality(&self) -> Cardinality {
        self.before.cardinality().at_most(self.count)
    }

    one_input!(with its types and rows);

    fn describe(&self) -> String {
        format!("take({})", self.count)
    }
}

struct Taking {
    before: Box<dyn Pass>,
    left: usize,
}

impl Pass for Taking {
    fn next(&mut self) -> Result<Option<Item>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        self.before.next()
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.number(self.left as u64);
        self.before.save(to)
    }
}

/// All but the first elements.
pub(in crate::data) struct Skip {
    pub before: Arc<dyn Stage>,
    pub count: usize,
}

impl Stage for Skip {
    fn begin(&self, mut from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let left = from.as_deref_mut().map_or(Ok(self.count), |from| from.at_most(self.count))?;
        Ok(Box::new(Skipping { before: self.before.begin(from)?, left }))
    }

    fn cardinality(&self) -> Cardinality {
        self.before.cardinality().map(|count| count.saturating_sub(self.count))
    }

    one_input!(with its types and rows);

    fn describe(&self) -> String {
        format!("skip({})", self.count)
    }
}

struct Skipping {
    before: Box<dyn Pass>,
    left: usize,
}

impl Pass for Skipping {
    fn next(&mut self) -> Result<Option<Item>> {
        while self.left > 0 {
            if self.before.next()?.is_none() {
                return Ok(None);
            }
            self.left -= 1;
        }
        self.before.next()
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.number(self.left as u64);
        self.before.save(to)
    }
}

/// Every so many-th element, from one of the first on.
pub(in crate::data) struct Shard {
    pub before: Arc<dyn Stage>,
    pub shards: usize,
    pub index: usize,
}

impl Stage for Shard {
    fn begin(&self, mut from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let ahead = from.as_deref_mut().map_or(Ok(self.index), |from| from.at_most(self.shards - 1))?;
        Ok(Box::new(Sharding { before: self.before.begin(from)?, ahead, shards: self.shards }))
    }

    fn cardinality(&self) -> Cardinality {
        let part = |count: usize| count / self.shards + usize::from(self.index < count % self.shards);
        self.before.cardinality().map(part)
    }

    one_input!(with its types and rows);

    fn describe(&self) -> String {
        format!("shard({}, {})", self.shards, self.index)
    }
}

struct Sharding {
    before: Box<dyn Pass>,
    /// How many elements come before the next one of this part.
    ahead: usize,
    shards: usize,
}

impl Pass for Sharding {
    fn next(&mut self) -> Result<Option<Item>> {
        while self.ahead > 0 {
            if self.before.next()?.is_none() {
                return Ok(None);
            }
            self.ahead -= 1;
        }
        let item = self.before.next()?;
        self.ahead = self.shards - 1;
        Ok(item)
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.number(self.ahead as u64);
        self.before.save(to)
    }
}
