//! [`WarnOnce`]: warnings that are told once for each line of the user. What is done silently while a function is traced is told so.

use std::collections::BTreeSet;
use std::panic::Location;
use std::sync::{Mutex, PoisonError};

/// The lines of which a warning was told.
pub(crate) struct WarnOnce(Mutex<BTreeSet<(&'static str, u32, u32)>>);

impl WarnOnce {
    pub const fn new() -> Self {
        Self(Mutex::new(BTreeSet::new()))
    }

    /// Tells of a line, if that is the first time.
    pub fn warn(&self, line: &'static Location<'static>, text: impl FnOnce() -> String) {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if said.insert((line.file(), line.line(), line.column())) {
            drop(said);
            crate::ops::write_line(true, &format!("warning: {}\n", text()));
        }
    }
}
