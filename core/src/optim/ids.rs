//! Sets of variables, by handle and by patterns of their names: what weight decay leaves out, and whose a group is.
//! Optimizers keep them as options.

use engine::{Copies, Duplicate, Fields, Module};
use kernels::error::{Error, Result};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Variables by their numbers; those of a copy are the copies of the variables, where these are copied too.
#[derive(Clone, Debug, Default)]
pub(super) struct Ids(Arc<Mutex<BTreeSet<u64>>>);

impl Ids {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn has(&self, id: u64) -> bool {
        self.lock().contains(&id)
    }
}

impl FromIterator<u64> for Ids {
    fn from_iter<I: IntoIterator<Item = u64>>(ids: I) -> Self {
        Self(Arc::new(Mutex::new(ids.into_iter().collect())))
    }
}

impl Duplicate for Ids {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        let copy: Self = self.lock().iter().copied().collect();
        let of_copy = copy.clone();
        copies.at_the_end(move |copies| {
            let mut ids = of_copy.lock();
            *ids = ids.iter().map(|&id| copies.id_of_copy(id)).collect();
        });
        copy
    }
}

impl Module for Ids {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value(&*self.lock());
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}

/// Regular expressions, any of which is looked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Patterns(Vec<Regex>);

impl Patterns {
    /// The patterns of an option.
    ///
    /// # Errors
    /// InvalidArgument for one that is no regular expression.
    pub fn new(owner: &str, option: &str, patterns: &[&str]) -> Result<Self> {
        let one = |&pattern: &&str| {
            Regex::new(pattern).map_err(|e| {
                Error::invalid_argument(owner, format!("`{option}` has a pattern that is no regular expression"))
                    .got(format!("{pattern:?}: {}", e.to_string().replace('\n', " ")))
                    .expected("parts of names, or regular expressions")
            })
        };
        Ok(Self(patterns.iter().map(one).collect::<Result<_>>()?))
    }

    /// Whether one of them is somewhere in the text.
    pub fn find_in(&self, text: &str) -> bool {
        self.0.iter().any(|pattern| pattern.is_match(text))
    }
}

impl Duplicate for Patterns {
    fn duplicate_in(&self, _: &mut Copies) -> Self {
        self.clone()
    }
}

impl Module for Patterns {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.0.iter().for_each(|pattern| fields.value(pattern.as_str()));
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}
