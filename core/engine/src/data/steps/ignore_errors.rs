//! The stage that goes on behind elements that failed: `ignore_errors`, which counts them.
//! The data set puts it into its pipeline; other elements pass through untouched.

use super::one_input;
use crate::data::cardinality::Cardinality;
use crate::data::stage::{Item, Pass, Stage};
use crate::data::state::Saved;
use crate::module::StateWriter;
use kernels::error::Result;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many elements `ignore_errors` has left out, in all passes; clones share the number.
///
/// ```
/// use eagerflow as tf;
/// use tf::data::{Dataset, IgnoredErrors};
/// let ignored = IgnoredErrors::new();
/// let odd = |n: tf::Tensor| match n.item::<i64>() % 2 {
///     1 => Ok(n),
///     _ => Err(tf::Error::invalid_argument("odd", "the number is even")),
/// };
/// let odd = Dataset::range(5).try_map(odd).ignore_errors_counted(&ignored);
/// assert_eq!(odd.iter().count(), 2);
/// assert_eq!(ignored.count(), 3);
/// ```
#[derive(Clone, Debug, Default)]
pub struct IgnoredErrors(Arc<AtomicUsize>);

impl IgnoredErrors {
    /// None so far.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many elements were left out.
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

pub(in crate::data) struct IgnoreErrors {
    pub before: Arc<dyn Stage>,
    pub ignored: IgnoredErrors,
    /// Whether each error is printed.
    pub log: bool,
}

impl Stage for IgnoreErrors {
    fn begin(&self, from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        Ok(Box::new(Ignoring { before: self.before.begin(from)?, ignored: self.ignored.clone(), log: self.log }))
    }

    fn cardinality(&self) -> Cardinality {
        match self.before.cardinality() {
            Cardinality::Known(0) => Cardinality::Known(0),
            Cardinality::Infinite => Cardinality::Infinite,
            _ => Cardinality::Unknown,
        }
    }

    one_input!(with its types and rows);

    fn describe(&self) -> String {
        "ignore_errors".to_owned()
    }
}

struct Ignoring {
    before: Box<dyn Pass>,
    ignored: IgnoredErrors,
    log: bool,
}

impl Pass for Ignoring {
    fn next(&mut self) -> Result<Option<Item>> {
        loop {
            match self.before.next() {
                Ok(item) => return Ok(item),
                Err(error) => {
                    self.ignored.0.fetch_add(1, Ordering::Relaxed);
                    if self.log {
                        eprintln!("ignore_errors: an element was left out: {error}");
                    }
                }
            }
        }
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        self.before.save(to)
    }
}
