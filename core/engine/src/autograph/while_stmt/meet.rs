//! What is no tensor where ways through a loop meet: host values are one on all ways, or only one way gets there.
//! The loop's protocol asks at each jump that is part of the graph, at the end of a pass and of the loop.

use super::super::mismatch::{Disagreement, Way};
use super::super::opaque_state::{advanced, none_hidden};
use super::super::regions;
use super::super::state::Captured;
use super::{BREAKS, CONTINUES, Met, While};
use crate::structure::Place;
use kernels::error::Result;
use std::panic::Location;

const NAMES: [&str; 2] = ["break", "continue"];

impl<V> While<V> {
    /// A jump takes `places` along: what is no tensor must be what the first such jump has seen.
    pub(super) fn meet(&mut self, on: bool, places: &[Place<'_>], location: &'static Location<'static>) -> Result<()> {
        let which = if on { CONTINUES } else { BREAKS };
        match &self.met[which] {
            None => self.met[which] = Some(Met { state: Captured::of(places), location }),
            Some(first) => {
                let other = if first.location == location { "in a later round" } else { "here" };
                let whose = self.between(which, first, Way::Said(other), location);
                first.state.meets(places, &whose)?;
            }
        }
        match (&self.staged, on) {
            // Each pass of a loop of the graph begins as the first one did.
            (Some(staged), true) => {
                let ways = [Way::Said("before this loop"), Way::Jump(NAMES[which], location)];
                let whose = Disagreement { op: "while", ways, yields: &[], location: self.location };
                staged.before().meets(places, &whose)
            }
            _ => Ok(()),
        }
    }

    fn between(&self, which: usize, first: &Met, other: Way, location: &'static Location<'static>) -> Disagreement {
        Disagreement { op: NAMES[which], ways: [Way::Jump(NAMES[which], first.location), other], yields: &[], location }
    }

    /// The end of a pass of the host that some `continue` has led to.
    pub(super) fn end_pass(&mut self, head: &mut [Place<'_>], fell: bool) -> Result<()> {
        none_hidden("while", &advanced(head), self.location)?;
        self.end(CONTINUES, head, fell && reached(), "at the end of the round")
    }

    /// The end of the loop.
    pub(super) fn end_breaks(&mut self, after: &mut [Place<'_>], goes_on: bool) -> Result<()> {
        let by_itself = match &self.staged {
            Some(staged) => !staged.is_endless(),
            None => reached(),
        };
        self.end(BREAKS, after, goes_on && by_itself, "where the loop ends otherwise")
    }

    fn end(&mut self, which: usize, places: &mut [Place<'_>], reached: bool, here: &'static str) -> Result<()> {
        let Some(first) = &self.met[which] else { return Ok(()) };
        let whose = self.between(which, first, Way::Said(here), self.location);
        let differs = |place: &Place<'_>| first.state.meets(std::slice::from_ref(place), &whose);
        for place in places {
            match differs(place) {
                Ok(()) => {}
                Err(error) if reached => return Err(error),
                // Only jumps lead here: what they have seen is right.
                Err(_) => first.state.restore_host(place),
            }
        }
        Ok(())
    }
}

/// Whether the program itself comes to this point, and not only what jumped.
fn reached() -> bool {
    regions::with_top(|top| !top.left).unwrap_or(false)
}
