//! `break` and `continue`: Rust jumps itself where the host decides; else the jump is noted, and the loop answers for it.
//! Expansions call these methods of `While` in the place of the user's jumps.

use super::super::disagree::{Disagreement, Way};
use super::super::dispatch::{Place, Table, place};
use super::super::regions::{self, Leave, Target};
use super::super::staged_loop::VALUE;
use super::super::state::{self, Captured, Compared};
use super::{Phase, While};
use crate::dtype::DType;
use crate::error::{OrFail, Result};
use crate::tensor::Tensor;
use std::panic::Location;

impl<V> While<V> {
    /// `break`: whether the host breaks.
    #[track_caller]
    pub fn brk(&mut self, after: &mut [Place<'_>]) -> bool {
        self.jump(self.breaks, after, None)
    }

    /// `continue`: whether the host continues.
    #[track_caller]
    pub fn cont(&mut self, head: &mut [Place<'_>]) -> bool {
        self.jump(self.continues, head, None)
    }

    /// `break value`: the value again where the host breaks.
    #[track_caller]
    pub fn brk_value(&mut self, mut value: V, table: &'static Table, after: &mut [Place<'_>]) -> Option<V> {
        let own = self.region.map(|_| state::tensors(&[place(VALUE, &mut value, table)]));
        if self.jump(self.breaks, after, own) {
            return Some(value);
        }
        match &mut self.broken {
            None => self.broken = Some(value),
            Some(first) => {
                let location = Location::caller();
                let ways = [Way::Said("at one `break` of this loop"), Way::Said("at this one")];
                let whose = Disagreement { op: "loop", ways, yields: &[], location };
                let first = Captured::of(&[place(VALUE, first, table)]);
                first.agree(&[place(VALUE, &mut value, table)], &whose).or_fail();
            }
        }
        None
    }

    fn jump(&mut self, target: Target, places: &mut [Place<'_>], value: Option<Vec<Tensor>>) -> bool {
        let Some(region) = self.region else { return true };
        if self.phase == Phase::Host && regions::is_native_to(region) {
            // Rust jumps itself: the pass ends here.
            regions::abandon(region + 1);
            return true;
        }
        let as_lists: Result<Vec<bool>> = places.iter_mut().map(|place| self.as_list(place)).collect();
        let as_lists = as_lists.or_fail();
        let taken = state::taken_along(places, &as_lists).or_fail();
        self.continued |= target == self.continues;
        if target == self.breaks {
            self.broke = true;
            self.carries = value.iter().map(|value| (VALUE, value.len())).collect();
            self.carries.extend(places.iter().zip(&taken).map(|(place, taken)| (place.name, taken.len())));
            if let Some(staged) = &mut self.staged {
                staged.note_break(&self.carries);
            }
        }
        let mut values = value.unwrap_or_default();
        values.extend(taken.into_iter().flatten());
        regions::leave(target, values);
        false
    }
}

/// Lists: which of them are values of the graph where jumps meet.
impl<V> While<V> {
    /// Whether a jump takes a variable along as a list of the graph, if it is a list: one that the loop makes longer, and
    /// one of which it is not known what other ways there do.
    fn as_list(&mut self, place: &mut Place<'_>) -> Result<bool> {
        let compared = match (&self.staged, &self.at_head) {
            (Some(staged), _) => staged.compare(place)?,
            (None, Some(head)) => head.compare(place)?,
            (None, None) => Compared::Unknown,
        };
        if compared == Compared::Longer {
            self.growing.note(place.name);
        }
        Ok(compared != Compared::Same || self.growing.has(place.name))
    }

    /// Where jumps meet the path that falls through, its lists have the form that those took along.
    pub(super) fn stage_as_taken(&mut self, places: &mut [Place<'_>], values: bool) -> Result<()> {
        for place in places {
            if self.as_list(place)? {
                place.stage(values)?;
            }
        }
        Ok(())
    }

    /// Makes values of the graph of the plain lists that a `break` of a round in front of the graph's loop took along, where
    /// the loop has found out since that their length changes.
    pub(super) fn stage_taken(&mut self, pending: &mut [Leave], head: &mut [Place<'_>]) -> Result<()> {
        let own = pending.iter_mut().find(|leave| leave.target == self.breaks);
        let (Some(leave), Some(at_head)) = (own, &self.at_head) else { return Ok(()) };
        let mut values = std::mem::take(&mut leave.values).into_iter();
        for (name, len) in &mut self.carries {
            let mut taken: Vec<Tensor> = values.by_ref().take(*len).collect();
            let is_list = taken.len() == 1 && taken[0].dtype() == DType::Variant;
            let place = head.iter_mut().find(|place| place.name == *name);
            if let Some(place) = place.filter(|_| !is_list && self.growing.has(name)) {
                let now = place.keep();
                at_head.restore_one(place);
                state::put(std::slice::from_mut(place), &taken);
                place.stage(true)?;
                taken = state::tensors(std::slice::from_ref(place));
                now.iter().for_each(|now| place.restore(now));
            }
            *len = taken.len();
            leave.values.extend(taken);
        }
        Ok(())
    }
}
