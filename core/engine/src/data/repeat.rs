//! Stages that change how many elements there are: `repeat`, `take` and `skip`.
//! The dataset puts them into its pipeline; elements pass through untouched.

use super::stage::{Item, Stage, Stream};
use super::state::Saved;
use crate::module::StateWriter;
use crate::tensor::TensorType;
use kernels::error::Result;
use std::sync::Arc;

/// Pass after pass over the stages before; without a count for ever.
pub(super) struct Repeat {
    pub before: Arc<dyn Stage>,
    pub count: Option<usize>,
}

impl Stage for Repeat {
    fn open(&self) -> Box<dyn Stream> {
        Box::new(Repeating { before: self.before.clone(), pass: None, left: self.count, empty: true })
    }

    fn resume(&self, from: &mut Saved<'_>) -> Result<Box<dyn Stream>> {
        // An empty pass ends a repetition without a count, too.
        let left = match (from.flag()?, self.count) {
            (true, count) => Some(from.at_most(count.unwrap_or(0))?),
            (false, None) => None,
            (false, Some(_)) => return Err(from.damaged("a repetition with a count lacks it")),
        };
        let empty = from.flag()?;
        let pass = from.flag()?.then(|| self.before.resume(from)).transpose()?;
        Ok(Box::new(Repeating { before: self.before.clone(), pass, left, empty }))
    }

    fn len(&self) -> Option<usize> {
        match (self.before.len(), self.count) {
            (Some(0), _) => Some(0),
            (Some(len), Some(count)) => len.checked_mul(count),
            (None, Some(0)) => Some(0),
            _ => None,
        }
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.before.types()
    }

    fn before(&self) -> Option<&dyn Stage> {
        Some(&*self.before)
    }

    fn describe(&self) -> String {
        self.count.map_or("repeat".to_owned(), |count| format!("repeat({count})"))
    }
}

struct Repeating {
    before: Arc<dyn Stage>,
    pass: Option<Box<dyn Stream>>,
    left: Option<usize>,
    /// Whether the present pass has given nothing yet: repeating nothing for ever would never come back.
    empty: bool,
}

impl Stream for Repeating {
    fn next(&mut self) -> Result<Option<Item>> {
        loop {
            if let Some(pass) = &mut self.pass {
                if let Some(item) = pass.next()? {
                    self.empty = false;
                    return Ok(Some(item));
                }
                self.pass = None;
                if self.empty {
                    self.left = Some(0);
                }
            }
            match &mut self.left {
                Some(0) => return Ok(None),
                Some(left) => *left -= 1,
                None => {}
            }
            self.pass = Some(self.before.open());
            self.empty = true;
        }
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.flag(self.left.is_some());
        if let Some(left) = self.left {
            to.number(left as u64);
        }
        to.flag(self.empty);
        to.flag(self.pass.is_some());
        self.pass.as_ref().map_or(Ok(()), |pass| pass.save(to))
    }
}

/// The first elements only.
pub(super) struct Take {
    pub before: Arc<dyn Stage>,
    pub count: usize,
}

impl Stage for Take {
    fn open(&self) -> Box<dyn Stream> {
        Box::new(Taking { before: self.before.open(), left: self.count })
    }

    fn resume(&self, from: &mut Saved<'_>) -> Result<Box<dyn Stream>> {
        let left = from.at_most(self.count)?;
        Ok(Box::new(Taking { before: self.before.resume(from)?, left }))
    }

    fn len(&self) -> Option<usize> {
        Some(self.before.len().map_or(self.count, |len| len.min(self.count)))
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.before.types()
    }

    fn before(&self) -> Option<&dyn Stage> {
        Some(&*self.before)
    }

    fn describe(&self) -> String {
        format!("take({})", self.count)
    }
}

struct Taking {
    before: Box<dyn Stream>,
    left: usize,
}

impl Stream for Taking {
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
pub(super) struct Skip {
    pub before: Arc<dyn Stage>,
    pub count: usize,
}

impl Stage for Skip {
    fn open(&self) -> Box<dyn Stream> {
        Box::new(Skipping { before: self.before.open(), left: self.count })
    }

    fn resume(&self, from: &mut Saved<'_>) -> Result<Box<dyn Stream>> {
        let left = from.at_most(self.count)?;
        Ok(Box::new(Skipping { before: self.before.resume(from)?, left }))
    }

    fn len(&self) -> Option<usize> {
        self.before.len().map(|len| len.saturating_sub(self.count))
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.before.types()
    }

    fn before(&self) -> Option<&dyn Stage> {
        Some(&*self.before)
    }

    fn describe(&self) -> String {
        format!("skip({})", self.count)
    }
}

struct Skipping {
    before: Box<dyn Stream>,
    /// How many are still to be passed over, which the first element that is asked for does.
    left: usize,
}

impl Stream for Skipping {
    fn next(&mut self) -> Result<Option<Item>> {
        while self.left > 0 {
            if self.before.next()?.is_none() {
                self.left = 0;
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
