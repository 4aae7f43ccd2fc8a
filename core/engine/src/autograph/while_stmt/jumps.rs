//! `break` and `continue`: Rust jumps itself where the host decides; else the jump is noted, and the loop answers for it.
//! Expansions call these methods of `While` in the place of the user's jumps.

use super::super::list_growth::Compared;
use super::super::mismatch::{Disagreement, Way};
use super::super::regions::{self, Target};
use super::super::staged_loop::VALUE;
use super::super::state::{self, Captured};
use super::{Phase, While};
use crate::structure::{Place, StateVtable, place};
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{OrFail, Result};
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
    pub fn brk_value(&mut self, mut value: V, table: &'static StateVtable, after: &mut [Place<'_>]) -> Option<V> {
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

    #[track_caller]
    fn jump(&mut self, target: Target, places: &mut [Place<'_>], value: Option<Vec<Tensor>>) -> bool {
        let Some(region) = self.region else { return true };
        if self.phase == Phase::Host && regions::is_native_to(region) {
            // Rust jumps itself: the pass ends here.
            regions::abandon(region + 1);
            return true;
        }
        let as_lists: Result<Vec<bool>> = places.iter_mut().map(|place| self.as_list(place)).collect();
        let as_lists = as_lists.or_fail();
        self.stage_pending(places).or_fail();
        self.meet(target == self.continues, places, Location::caller()).or_fail();
        let taken = state::taken_along(places, &as_lists).or_fail();
        self.continued |= target == self.continues;
        let carries = places.iter().zip(&taken).map(|(place, taken)| (place.name, taken.len()));
        if target == self.continues {
            self.carries_on = carries.collect();
        } else {
            self.broke = true;
            self.carries = value.iter().map(|value| (VALUE, value.len())).chain(carries).collect();
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
            (Some(staged), _) => staged.before().compare(place)?,
            (None, Some(head)) => head.compare(place)?,
            (None, None) => Compared::Unknown,
        };
        let compared = match compared {
            Compared::Unknown => self.taken.compare(place)?,
            known => known,
        };
        match compared {
            Compared::Longer => self.growing.note(place.name),
            Compared::Unknown => self.taken.add(place),
            Compared::Same | Compared::Other => {}
        }
        let is_as_before = matches!(compared, Compared::Same | Compared::Unknown);
        Ok(!is_as_before || self.growing.has(place.name))
    }

    /// Where jumps meet the path that falls through, its lists have the form that those took along.
    pub(super) fn stage_as_taken(&mut self, places: &mut [Place<'_>], values: bool) -> Result<()> {
        for place in &mut *places {
            if self.as_list(place)? {
                place.stage(values)?;
            }
        }
        self.stage_pending(places)
    }

    /// Jumps of this loop that are pending have taken plain lists along: where the loop was seen since to change their
    /// lengths, they take them along as values of the graph.
    fn stage_pending(&mut self, places: &mut [Place<'_>]) -> Result<()> {
        let Some(region) = self.region else { return Ok(()) };
        let before = match (&self.staged, &self.at_head) {
            (Some(staged), _) => staged.before(),
            (None, Some(head)) => head,
            (None, None) => return Ok(()),
        };
        for name in self.growing.found_since(self.settled) {
            let Some(place) = places.iter_mut().find(|place| place.name == name) else { continue };
            for (target, carries) in [(self.breaks, &mut self.carries), (self.continues, &mut self.carries_on)] {
                let Some(at) = carries.iter().position(|(carried, _)| *carried == name) else { continue };
                let first = carries[..at].iter().map(|(_, len)| len).sum::<usize>();
                let own = first..first + carries[at].1;
                regions::each_pending(region, target, &mut |builder, leave| {
                    let taken = leave.values[own.clone()].to_vec();
                    let before = if before.has(name) { before } else { &self.taken };
                    if !matches!(&taken[..], [list] if list.dtype() == DType::Variant) {
                        let list = builder.record_again(|| before.staged_as(place, &taken))?;
                        leave.values.splice(own.clone(), list);
                    }
                    Ok(())
                })?;
                carries[at].1 = 1;
            }
        }
        self.settled = self.growing.found();
        Ok(())
    }
}
