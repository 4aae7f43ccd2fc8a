//! What became of a file of weights: names that were loaded, and those that were not, with the nearest ones.
//! `WeightsLoader` answers it, and makes its errors of it.

use super::names::nearest;
use std::fmt;

/// What [`load_weights`](super::load_weights) did.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LoadReport {
    /// Names of the file, with the paths of the variables that they were loaded into.
    pub loaded: Vec<(String, String)>,
    /// Paths of variables for which the file has nothing, which are as they were.
    pub missing: Vec<String>,
    /// Names of the file for which the model has no variable.
    pub unexpected: Vec<String>,
    /// Names of the file and paths of variables that have another shape or dtype, which are as they were, with both.
    pub misshapen: Vec<(String, String)>,
}

/// How many names a text has of a kind.
const SHOWN: usize = 10;

impl LoadReport {
    /// Whether everything in the file was loaded, and everything in the model.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.unexpected.is_empty() && self.misshapen.is_empty()
    }
}

/// A list with its heading, unless it is empty.
fn list(f: &mut fmt::Formatter<'_>, heading: &str, lines: &mut dyn ExactSizeIterator<Item = String>) -> fmt::Result {
    let all = lines.len();
    if all == 0 {
        return Ok(());
    }
    write!(f, "; {all} {heading}: ")?;
    for (i, line) in lines.take(SHOWN).enumerate() {
        write!(f, "{}{line}", if i == 0 { "" } else { ", " })?;
    }
    match all.saturating_sub(SHOWN) {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}

/// In one line: how many were loaded, and the others by name.
impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} loaded", self.loaded.len())?;
        let near = |name: &String, others: &[String]| match nearest(name, others.iter().map(String::as_str)) {
            Some(near) => format!("`{name}` (near `{near}`)"),
            None => format!("`{name}`"),
        };
        list(f, "missing in the file", &mut self.missing.iter().map(|name| near(name, &self.unexpected)))?;
        list(f, "unexpected in the file", &mut self.unexpected.iter().map(|name| near(name, &self.missing)))?;
        list(f, "of another shape or dtype", &mut self.misshapen.iter().map(|(_, text)| text.clone()))
    }
}
