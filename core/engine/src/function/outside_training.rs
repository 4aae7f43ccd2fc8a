//! Variables that a traced function found by itself, not among its arguments: whether they are trained as they were in the trace.
//! The signature tells of those of the arguments; [`Identity`](super::identity::Identity) asks here for the others.

use super::trace::Source;
use crate::tensor::{Resource, Tensor, training_changes};
use std::sync::atomic::{AtomicU64, Ordering};

/// What a trace takes for granted of them.
#[derive(Default)]
pub(crate) struct OutsideTraining {
    /// By their numbers among the operands of the trace, which keeps them or does not.
    found: Vec<(usize, (bool, bool))>,
    /// How often variables had been frozen or unfrozen when all was found as noted: nothing is looked at until the next time.
    looked: AtomicU64,
}

/// The variable, if it is there.
fn variable(source: &Source) -> Option<Tensor> {
    match source {
        Source::Outside(tensor) => tensor.as_object::<Resource>().map(|_| tensor.clone()),
        Source::CreatedVariable(created, _) => created.handle().ok(),
        Source::Leaf(_) | Source::Argument(..) => None,
    }
}

/// Whether it is trained, and whether it is frozen: what is not meant to be trained can be frozen with its layer, which acts on that.
fn trained(source: &Source) -> Option<(bool, bool)> {
    variable(source)?.as_object::<Resource>().map(|resource| (resource.trainable(), resource.is_frozen()))
}

impl OutsideTraining {
    /// Of the operands of a trace that was just made.
    pub fn of(sources: &[Source]) -> Self {
        let looked = AtomicU64::new(training_changes());
        let found = sources.iter().enumerate().filter_map(|(i, source)| Some((i, trained(source)?))).collect();
        Self { found, looked }
    }

    /// Whether all are trained, or not, as they were.
    #[inline]
    pub fn holds(&self, sources: &[Source]) -> bool {
        self.looked.load(Ordering::Relaxed) == training_changes() || self.look_again(sources)
    }

    #[cold]
    fn look_again(&self, sources: &[Source]) -> bool {
        let now = training_changes();
        let holds = self.changed(sources).is_none();
        if holds {
            self.looked.store(now, Ordering::Relaxed);
        }
        holds
    }

    fn changed(&self, sources: &[Source]) -> Option<Tensor> {
        // Of a variable that is gone the call itself tells.
        let changed = |(at, before): &&(usize, (bool, bool))| trained(&sources[*at]).is_some_and(|now| now != *before);
        self.found.iter().find(changed).and_then(|(at, _)| variable(&sources[*at]))
    }

    /// Why a call does not fit, in the user's words.
    pub fn difference(&self, sources: &[Source]) -> Option<String> {
        let changed = self.changed(sources)?;
        Some(format!("{}, which is no argument, was frozen, or is trained again", Resource::wording(&changed)))
    }
}
