//! An `Err` among the values of a way through a graph. One of the library's own type fails the call that takes this way, and the
//! call gives it back; one of another type is refused. The protocol objects of bodies and branches ask.

use super::regions;
use crate::ops::fail_with;
use crate::structure::{LeafSink, Place};
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::error::{Error, Result};
use std::any::Any;
use std::cell::Cell;
use std::fmt;

/// The error side of a `Result`.
pub(super) enum Failed {
    /// The library's own error, which calls give back.
    Own(Error),
    Other,
}

#[derive(Default)]
struct FirstError(Option<Failed>);

impl LeafSink for FirstError {
    fn tensor(&mut self, _: &dyn fmt::Display, _: &Tensor) {}
    fn variable(&mut self, _: &dyn fmt::Display, _: &Variable) {}
    fn word(&mut self, _: &dyn fmt::Display, _: u64) {}
    fn error(&mut self, error: &dyn Any) {
        self.0
            .get_or_insert_with(|| error.downcast_ref::<Error>().map_or(Failed::Other, |own| Failed::Own(own.clone())));
    }
}

thread_local! {
    /// How many ways this thread has recorded that fail.
    static RECORDED: Cell<u64> = const { Cell::new(0) };
}

/// How many ways have been recorded so far that fail.
pub(super) fn recorded() -> u64 {
    RECORDED.get()
}

impl Failed {
    /// The `Err` that a value is or holds: no graph has a value for it.
    pub fn of(place: &Place<'_>) -> Option<Self> {
        let mut search = FirstError::default();
        place.visit(&mut search);
        search.0
    }

    /// Ends the way that is being recorded: calls that take it fail at the caller's line.
    ///
    /// # Errors
    /// InvalidArgument for an error of another type.
    #[track_caller]
    pub fn record(self) -> Result<()> {
        // A way that has failed comes to no other error.
        if regions::has_left() {
            return Ok(());
        }
        match self {
            Self::Own(error) => fail_with(error)?,
            Self::Other => return Err(of_another_type()),
        }
        RECORDED.set(RECORDED.get() + 1);
        regions::end();
        Ok(())
    }
}

#[cold]
fn of_another_type() -> Error {
    Error::invalid_argument("tf_function", "an `Err` is returned in a branch of the graph")
        .expected("errors under conditions of the host: whether this one is returned is known only when the graph runs")
        .help("return `tf::Result`, whose error the graph can hold; or use `assert!`, or `tf::debugging`, which check when the graph runs")
}
