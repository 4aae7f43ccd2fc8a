//! Where the suite looks at what gradient rules give, and makes one wrong, to prove that its tables would notice.
//! The backward pass calls [`inspect`] for every cotangent; without the hidden feature `testing` that is nothing.

use crate::tape::Contribution;
use kernels::error::Result;

/// What a rule gave to an input.
#[cfg(not(feature = "testing"))]
#[inline(always)]
pub(super) fn inspect(_op: &str, _index: usize, given: Contribution) -> Result<Contribution> {
    Ok(given)
}

#[cfg(feature = "testing")]
pub(super) use watched::inspect;
#[cfg(feature = "testing")]
pub use watched::{flip_rule, rules_seen};

#[cfg(feature = "testing")]
mod watched {
    use super::{Contribution, Result};
    use crate::ops::functions::try_multiply;
    use std::cell::RefCell;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Set once a test of this process watches rules; without one, a rule costs a single load.
    static IN_USE: AtomicBool = AtomicBool::new(false);

    #[derive(Default)]
    struct State {
        /// The operation and input whose cotangent gets the wrong sign.
        flipped: Option<(String, usize)>,
        /// The operations and inputs to which rules have given cotangents.
        seen: Vec<(String, usize)>,
    }

    thread_local! {
        static STATE: RefCell<State> = RefCell::default();
    }

    /// From now on, on this thread, the rule of operation `op` gives input `index` a cotangent of the wrong sign.
    pub fn flip_rule(flipped: Option<(&str, usize)>) {
        IN_USE.store(true, Ordering::Relaxed);
        STATE.with_borrow_mut(|state| state.flipped = flipped.map(|(op, index)| (op.to_string(), index)));
    }

    /// The operations and inputs to which rules on this thread gave cotangents since the last call.
    pub fn rules_seen() -> Vec<(String, usize)> {
        IN_USE.store(true, Ordering::Relaxed);
        STATE.with_borrow_mut(|state| std::mem::take(&mut state.seen))
    }

    /// What a rule gave to an input, noted and perhaps falsified.
    #[inline]
    pub(in super::super) fn inspect(op: &str, index: usize, given: Contribution) -> Result<Contribution> {
        if IN_USE.load(Ordering::Relaxed) { falsify(op, index, given) } else { Ok(given) }
    }

    #[cold]
    fn falsify(op: &str, index: usize, given: Contribution) -> Result<Contribution> {
        let flipped = STATE.with_borrow_mut(|state| {
            if !state.seen.iter().any(|(name, i)| name == op && *i == index) {
                state.seen.push((op.to_string(), index));
            }
            state.flipped.as_ref().is_some_and(|(name, i)| name == op && *i == index)
        });
        if !flipped {
            return Ok(given);
        }
        Ok(Contribution::Dense(try_multiply(given.into_dense()?, -1.0)?))
    }
}
