//! Stages that change how many elements there are: `repeat` and `take`.
//! The dataset puts them into its pipeline; elements pass through untouched.

use super::stage::{Item, Stage, Stream};
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

    fn len(&self) -> Option<usize> {
        Some(self.before.len().map_or(self.count, |len| len.min(self.count)))
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.before.types()
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
}
