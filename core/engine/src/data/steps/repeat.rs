//! The stage that begins passes anew: `repeat`, so many times or for ever.
//! The dataset puts it into its pipeline; elements pass through untouched.

use super::one_input;
use crate::data::cardinality::Cardinality;
use crate::data::stage::{Item, Pass, Stage};
use crate::data::state::Saved;
use crate::module::StateWriter;
use kernels::error::Result;
use std::sync::Arc;

/// Pass after pass over the stages before; without a count for ever.
pub(in crate::data) struct Repeat {
    pub before: Arc<dyn Stage>,
    pub count: Option<usize>,
}

impl Stage for Repeat {
    fn begin(&self, from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let before = self.before.clone();
        let Some(from) = from else {
            return Ok(Box::new(Repeating { before, pass: None, left: self.count, empty: true }));
        };
        // An empty pass ends a repetition without a count, too.
        let left = match (from.flag()?, self.count) {
            (true, count) => Some(from.at_most(count.unwrap_or(0))?),
            (false, None) => None,
            (false, Some(_)) => return Err(from.damaged("a repetition with a count lacks it")),
        };
        let empty = from.flag()?;
        let pass = from.flag()?.then(|| self.before.begin(Some(from))).transpose()?;
        Ok(Box::new(Repeating { before, pass, left, empty }))
    }

    fn cardinality(&self) -> Cardinality {
        self.before.cardinality().times(self.count)
    }

    one_input!(with its types and rows);

    fn describe(&self) -> String {
        self.count.map_or("repeat".to_owned(), |count| format!("repeat({count})"))
    }
}

struct Repeating {
    before: Arc<dyn Stage>,
    pass: Option<Box<dyn Pass>>,
    left: Option<usize>,
    /// Whether the present pass has given nothing yet: repeating nothing for ever would never come back.
    empty: bool,
}

impl Pass for Repeating {
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
            match self.before.begin(None) {
                Ok(pass) => self.pass = Some(pass),
                // What cannot begin would fail for ever, and whoever passes over errors would never come back.
                Err(error) => {
                    self.left = Some(0);
                    return Err(error);
                }
            }
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
