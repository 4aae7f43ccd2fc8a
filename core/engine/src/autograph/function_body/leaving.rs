//! Ways out of a body other than its result: `?` and `panic!`. Generated code calls them where a body has branches of the graph.

use super::Fun;
use crate::autograph::dispatch::{Message, fail_in_graph};
use crate::autograph::question_mark::Tried;
use crate::autograph::regions;
use kernels::error::{Error, OrFail};

impl<R> Fun<'_, R> {
    /// What `?` is asked of.
    ///
    /// # Panics
    /// If it leaves the body from a branch of the graph.
    #[track_caller]
    pub fn tried<T: Tried>(&self, value: T) -> T {
        match value.leaves().filter(|_| self.panics_in_graph()) {
            Some((what, text)) => Err(leaves_a_branch(what, text)).or_fail(),
            // What is given on here is one of several errors, and the graph alone knows which.
            None if self.region.is_some() && regions::has_left() && value.is_error() => {
                Err(leaves_a_branch("one of several errors", None)).or_fail()
            }
            None => value,
        }
    }

    /// The message of a `panic!`, empty.
    pub fn message(&self) -> Message {
        Message::new(self.panics_in_graph())
    }

    fn panics_in_graph(&self) -> bool {
        self.region.is_some_and(|region| !regions::is_native_to(region))
    }

    /// `panic!(..)`: returns only where a graph records it as a failing assertion.
    #[track_caller]
    pub fn panic(&mut self, message: Message) {
        if !self.panics_in_graph() {
            panic!("{}", message.into_text());
        }
        fail_in_graph(message);
        regions::end();
    }
}

#[cold]
fn leaves_a_branch(what: &str, text: Option<String>) -> Error {
    let what = format!("{what} leaves the function by `?` in a branch of the graph");
    let error = Error::invalid_argument("tf_function", what)
        .expected("`?` on what the host decides alone: whether this branch is taken is known only when the graph runs")
        .help("call what may fail in front of the branch, or use `assert!`, which checks when the graph runs");
    match text {
        Some(text) => error.got(text),
        None => error,
    }
}
