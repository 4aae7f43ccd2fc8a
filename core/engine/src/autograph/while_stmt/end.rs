//! The end of a loop: what its breaks took along and what falls out of its condition become the state that follows.
//! Expansions call these methods of `While` behind the loop.

use super::super::opaque_state::none_hidden;
use super::super::regions;
use super::super::staged_loop::VALUE;
use super::super::state;
use super::{Phase, While};
use crate::structure::{Place, StateVtable, place};
use kernels::error::{OrFail, Result};

impl<V> While<V> {
    /// The loop is over: what follows sees the state with which it was left.
    #[track_caller]
    pub fn after(&mut self, after: &mut [Place<'_>]) {
        self.finish(after, true).or_fail();
    }

    /// The value of a loop whose breaks are part of the graph; [`after_value`](Self::after_value) puts its tensors in.
    pub fn value(&mut self) -> V {
        match self.broken.take() {
            Some(value) => value,
            None => super::super::rt::never(),
        }
    }

    /// As [`after`](Self::after), for a loop whose breaks have values.
    #[track_caller]
    pub fn after_value(&mut self, mut value: V, table: &'static StateVtable, after: &mut [Place<'_>]) -> V {
        let mut places: Vec<Place<'_>> = vec![place(VALUE, &mut value, table)];
        places.extend(after.iter_mut().map(Place::reborrow));
        self.finish(&mut places, true).or_fail();
        drop(places);
        value
    }

    pub(super) fn finish(&mut self, after: &mut [Place<'_>], goes_on: bool) -> Result<()> {
        let Some(region) = self.region else { return Ok(()) };
        if self.phase == Phase::Done {
            return Ok(());
        }
        self.phase = Phase::Done;
        if self.staged.is_some() || self.broke {
            none_hidden("while", after, self.location)?;
        }
        match &self.staged {
            Some(staged) => staged.put_after(after, &self.taken, &self.growing)?,
            None if self.broke => {
                let reached = goes_on && regions::with_top(|top| !top.left).unwrap_or(false);
                self.stage_as_taken(after, reached)?;
            }
            None => {}
        }
        self.end_breaks(after, goes_on)?;
        let values = goes_on.then(|| state::tensors(after));
        let (fell, watch) = regions::settle_watched(region, Some(self.breaks), values)?;
        if let Some(fell) = &fell {
            state::put(after, fell);
            watch.map_or(Ok(()), |(watch, line)| watch.check_rest(after, line))?;
        }
        let closed = regions::exit(None);
        regions::with_top(|top| {
            top.leaving.extend(closed.into_iter().flat_map(|c| c.side.leaving));
            top.left = fell.is_none();
        });
        if fell.is_some() {
            regions::guard_rest(self.location)?;
        }
        Ok(())
    }
}
