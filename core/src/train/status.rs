//! What became of a restore, and what is still to come: TensorFlow's status objects.
//! `Checkpoint::restore` gives one; programs ask it whether all was found.

use super::fitting::listed;
use super::restoration::Restoration;
use engine::Module;
use engine::Variable;
use engine::library::{End, Named, ObjectGraph};
use kernels::error::{Error, OrFail, Result};
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What a restore found; see [`Checkpoint::restore`](super::Checkpoint::restore).
///
/// Each question is asked of the program as it is then: variables that were made since, and took their values, count.
pub struct CheckpointLoadStatus<'c> {
    module: Box<dyn Module + 'c>,
    restoration: Arc<Restoration>,
}

/// Writes a question and its panicking form.
macro_rules! questions {
    ($($(#[$doc:meta])* $name:ident, $try_name:ident = $wrong:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        #[doc = concat!("As [`", stringify!($try_name), "`](Self::", stringify!($try_name), ") fails.")]
        #[track_caller]
        pub fn $name(&self) -> &Self {
            self.$try_name().or_fail()
        }

        $(#[$doc])*
        ///
        /// # Errors
        /// FailedPrecondition where it is not so, with the names of what is missing.
        #[track_caller]
        pub fn $try_name(&self) -> Result<&Self> {
            let here = Location::caller();
            match self.$wrong() {
                Some(error) => Err(error.at(here)),
                None => Ok(self),
            }
        }
    )*};
}

impl<'c> CheckpointLoadStatus<'c> {
    pub(super) fn new(module: Box<dyn Module + 'c>, restoration: Arc<Restoration>) -> Self {
        Self { module, restoration }
    }

    questions! {
        /// Asserts that every value of the checkpoint was taken by a variable, and every variable of the program took one.
        assert_consumed, try_assert_consumed = not_consumed;
        /// Asserts that every variable that the program has by now took a value of the checkpoint, and every iterator, data set and
        /// counter its state. TensorFlow's iterators have states that only TensorFlow reads.
        assert_existing_objects_matched, try_assert_existing_objects_matched = not_matched;
        /// Asserts that anything at all was restored.
        assert_nontrivial_match, try_assert_nontrivial_match = trivial;
    }

    /// Says that the program does not use all of the checkpoint, so that no warning tells of it.
    pub fn expect_partial(&self) -> &Self {
        self.restoration.partial.store(true, Ordering::Relaxed);
        self
    }

    fn not_consumed(&self) -> Option<Error> {
        if let Some(error) = self.not_matched() {
            return Some(error);
        }
        let unused = self.restoration.unused();
        (!unused.is_empty()).then(|| {
            // It is told now, and need not be told once more.
            self.expect_partial();
            Error::failed_precondition("assert_consumed", "the checkpoint has values that no variable of the program took")
                .got(format!("{} in `{}`", self.restoration.listed(&unused), self.restoration.file()))
                .expected("a variable for each value")
                .help(
                    "variables of layers that were not called and of optimizers that took no step are made later: ask then; where \
                     the program is smaller on purpose, call `expect_partial()`",
                )
        })
    }

    fn not_matched(&self) -> Option<Error> {
        let objects = ObjectGraph::of(&self.module);
        let mut missing = Vec::new();
        for object in &objects.objects {
            match &object.end {
                End::Variable(variable) => missing.extend(self.missed(variable, &object.path)),
                End::Slots(table) => {
                    for (place, (_, slots)) in table.all().into_iter().enumerate() {
                        let path = |name: &str| format!("{}/slots/{place}/{name}", object.path);
                        let named = slots.iter().zip(table.names());
                        missing.extend(named.filter_map(|(slot, name)| self.missed(slot.as_ref()?, &path(name.slot))));
                    }
                }
                // Files of Keras have no states of layers that draw random numbers: these begin anew.
                End::State(id) if !self.restoration.has_state(*id) && !object.path.ends_with("seed_generator") => {
                    missing.push(format!("`{}` (the state of an object of the host)", object.path));
                }
                End::Part | End::Place(_) | End::State(_) => {}
            }
        }
        (!missing.is_empty()).then(|| {
            Error::failed_precondition(
                "assert_existing_objects_matched",
                "the program has variables for which the checkpoint has no value",
            )
            .got(listed(&missing, missing.len()))
            .expected(format!("a value for each in `{}`", self.restoration.file()))
            .help(
                "parts are found by the names of their fields: where one was renamed, say so with `#[module(renamed_from = \"..\")]`; \
                 `tf::train::list_variables` shows what the checkpoint has",
            )
        })
    }

    fn missed(&self, variable: &Variable, path: &str) -> Option<String> {
        self.restoration.node_of(variable).is_none().then(|| format!("`{path}` ({})", variable.label()))
    }

    fn trivial(&self) -> Option<Error> {
        let graph = &self.restoration.graph;
        let objects = ObjectGraph::of(&self.module);
        let matched = match self.restoration.matched(&objects) {
            Ok(matched) => matched,
            Err(error) => return Some(error),
        };
        // The counter is in every checkpoint.
        let found =
            objects.objects.iter().zip(matched).skip(1).any(|(o, node)| node.is_some() && o.path != "save_counter");
        (!found && self.restoration.taken() <= 1).then(|| {
            let names = |list: Vec<&str>| format!("`{}`", list.join("`, `"));
            let saved = graph.nodes[0].children.iter().map(|(name, _)| name.as_str()).collect();
            let own = objects.objects[0].children.iter().map(|child| child.name.as_str()).collect();
            Error::failed_precondition("assert_nontrivial_match", "nothing of the checkpoint was found in the program")
                .got(format!("{} at the root of `{}`", names(saved), self.restoration.file()))
                .expected(names(own))
                .help("give the parts the names that they were saved under")
        })
    }
}

impl fmt::Debug for CheckpointLoadStatus<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckpointLoadStatus").field("unused", &self.restoration.unused().len()).finish_non_exhaustive()
    }
}
