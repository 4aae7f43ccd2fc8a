//! An `if` whose condition is a value of the graph: both branches are recorded, and what they change is merged.
//! `If` calls it at the end of each branch; where one of them jumps away, what follows becomes part of the other.

use super::super::borrow_watch::{Hidden, Watch};
use super::super::merge::{Side, merge};
use super::super::mismatch::{self, Disagreement};
use super::super::opaque_state::none_hidden;
use super::super::regions::{self, Closed, Kind};
use super::super::state::{self, Captured};
use crate::structure::Place;
use crate::tensor::Tensor;
use kernels::error::{Error, Result};
use std::panic::Location;

pub(super) struct Staged {
    pub(super) condition: Tensor,
    pub(super) location: &'static Location<'static>,
    /// The state before the branches.
    pub(super) before: Captured,
    /// What calls have borrowed, before the branches.
    pub(super) watch: Watch,
    pub(super) region: usize,
    /// Variables that the value carries behind the user's own.
    pub(super) yields: &'static [&'static str],
    /// Whether it is an `&&`, of one that is `&&` or `||` in the user's text.
    pub(super) lazy: Option<bool>,
    /// Whether jumps may leave its branches.
    pub(super) jumps: bool,
    pub(super) then: Option<Branch>,
}

/// A branch that was recorded, and the state at its end if it goes on.
pub(super) struct Branch {
    pub(super) closed: Option<Closed>,
    value: Option<Captured>,
    state: Option<Captured>,
}

/// How the program goes on after both branches.
pub(super) enum Joined {
    /// With merged values, or those of the else-branch.
    Here,
    /// With the values of the then-branch.
    Then,
    /// Not at all.
    Left,
}

impl Staged {
    /// Closes the body of a branch, whose Rust code has run to its end or jumped there.
    pub(super) fn end_branch(&mut self, mut value: Option<&mut Place<'_>>, state: &mut [Place<'_>]) -> Result<Branch> {
        self.before.leads_here(state, "if", self.location)?;
        let fell = value.as_deref().map(|value| {
            let mut all = state::tensors(std::slice::from_ref(value));
            all.extend(state::tensors(state));
            all
        });
        let fell = regions::settle(self.region, None, fell).map_err(|e| e.at(self.location))?;
        let mut branch = Branch { closed: None, value: None, state: None };
        if let (Some(fell), Some(value)) = (&fell, &mut value) {
            put_both(value, state, fell);
            branch.value = Some(Captured::of(std::slice::from_ref(value)));
            branch.state = Some(Captured::of(state));
        }
        if let (Some(then), Some(first)) = (&mut self.then, regions::with_top(|region| region.then.take()).flatten()) {
            then.closed = Some(first);
        }
        branch.closed = regions::exit(fell);
        Ok(branch)
    }

    /// Both branches are recorded: merges them, or goes on inside the one that does not leave.
    pub(super) fn join(
        &mut self,
        other: Branch,
        value: Option<&mut Place<'_>>,
        state: &mut [Place<'_>],
    ) -> Result<Joined> {
        let then = self.then.take().ok_or_else(|| Error::internal("if", "an else-block without a then-block"))?;
        let (mut then, mut other) = (then, other);
        let joined = match (then.state.take(), other.state.take()) {
            (Some(mut a), Some(b)) => {
                self.check_else(&b, state)?;
                let value = value.ok_or_else(|| Error::internal("if", "a branch without a value"))?;
                none_hidden("if", std::slice::from_ref(value), self.location)?;
                stage_lists(&mut a, &mut then, &mut other, value, state)?;
                let differs = Disagreement {
                    op: "if",
                    ways: self.ways().map(mismatch::Way::Said),
                    yields: self.yields,
                    location: self.location,
                };
                if let Some(a) = &then.value {
                    a.agree(std::slice::from_ref(value), &differs)?;
                }
                a.agree(state, &differs)?;
                let sides = [side(then.closed)?, side(other.closed)?];
                let names = |i: usize| match i.checked_sub(then.value.as_ref().map_or(0, |v| v.tensors.len())) {
                    Some(i) => a.name_of(i),
                    None => self.value_name(i, then.value.as_ref()),
                };
                let merged = merge(&self.condition, sides, None, self.location, &names)?;
                if let Some(fell) = &merged.fell {
                    put_both(value, state, fell);
                }
                regions::with_top(|top| top.leaving.extend(merged.leaving));
                Joined::Here
            }
            // What follows is recorded in the else-branch, for which all is right that it has changed.
            (None, Some(_)) => {
                self.go_on(side(then.closed)?, other.closed, true)?;
                Joined::Here
            }
            (Some(a), None) => {
                self.check_else(&a, state)?;
                a.restore(state);
                self.go_on(side(other.closed)?, then.closed, false)?;
                Joined::Then
            }
            (None, None) => {
                let sides = [side(then.closed)?, side(other.closed)?];
                let merged = merge(&self.condition, sides, None, self.location, &|_| String::new())?;
                regions::with_top(|top| {
                    top.leaving.extend(merged.leaving);
                    top.left = true;
                });
                return Ok(Joined::Left);
            }
        };
        regions::guard_rest(self.location)?;
        Ok(joined)
    }

    /// The branches, for messages.
    fn ways(&self) -> [&'static str; 2] {
        match self.lazy {
            None => ["after the first branch of this `if`", "after the other one"],
            Some(true) => ["after the right side of this `&&`", "without it"],
            Some(false) => ["without the right side of this `||`", "after it"],
        }
    }

    /// What the else-branch has changed must be in the state, which is `now` afterwards.
    fn check_else(&self, now: &Captured, state: &mut [Place<'_>]) -> Result<()> {
        if self.watch.is_empty() {
            return Ok(());
        }
        self.before.restore(state);
        self.watch.check(Hidden::Branch, self.location)?;
        now.restore(state);
        Ok(())
    }

    /// What the branches give to variables cannot be looked at twice.
    #[cold]
    pub(super) fn not_copied<V>(&self) -> Error {
        let names: Vec<String> = self.yields.iter().map(|name| format!("`{name}`")).collect();
        let what = format!("the branches give {} a value that cannot be copied", names.join(", "));
        Error::invalid_argument("if", what)
            .got(std::any::type_name::<V>())
            .expected("values that implement `Clone`, since both branches are recorded")
            .help("give the variable its value in front of the `if`, or make the condition a value of Rust")
            .at(self.location)
    }

    /// The user's name for tensor `index` of the value.
    fn value_name(&self, index: usize, value: Option<&Captured>) -> String {
        let path = value.map_or_else(String::new, |v| v.name_of(index));
        let field = path.rsplit_once("`if`.").and_then(|(_, field)| field.split('.').next()?.parse::<usize>().ok());
        match field.and_then(|field| self.yields.get(field.checked_sub(1)?)) {
            Some(name) => (*name).to_owned(),
            None => "the value of this `if`".to_owned(),
        }
    }

    /// Records what follows as a continuation of the branch that goes on.
    fn go_on(&mut self, left: Side, on: Option<Closed>, left_is_then: bool) -> Result<()> {
        regions::room_for_rest(self.location)?;
        let on = on.ok_or_else(|| Error::internal("if", "a branch was not recorded"))?;
        let kind = Kind::Rest {
            condition: self.condition.clone(),
            other: left,
            other_is_then: left_is_then,
            location: self.location,
            watch: std::mem::take(&mut self.watch),
        };
        regions::enter_again(on, kind);
        Ok(())
    }
}

/// Lists that are not equally long after both branches become values of the graph.
fn stage_lists(
    a: &mut Captured,
    then: &mut Branch,
    other: &mut Branch,
    value: &Place<'_>,
    state: &mut [Place<'_>],
) -> Result<()> {
    let (Some(one), Some(two)) = (&mut then.closed, &mut other.closed) else { return Ok(()) };
    if a.stage_both(&one.side.builder, state, &two.side.builder)? {
        let with = |value: Vec<Tensor>, state: &[Tensor]| value.into_iter().chain(state.iter().cloned()).collect();
        one.side.fell = Some(with(then.value.as_ref().map_or_else(Vec::new, |v| v.tensors.clone()), &a.tensors));
        two.side.fell = Some(with(state::tensors(std::slice::from_ref(value)), &state::tensors(state)));
    }
    Ok(())
}

fn side(closed: Option<Closed>) -> Result<Side> {
    closed.map(|c| c.side).ok_or_else(|| Error::internal("if", "a branch was not recorded"))
}

/// Puts the tensors of a value and of the state behind it.
pub(super) fn put_both(value: &mut Place<'_>, state: &mut [Place<'_>], tensors: &[Tensor]) {
    let own = state::tensors(std::slice::from_ref(value)).len();
    state::put(std::slice::from_mut(value), &tensors[..own.min(tensors.len())]);
    state::put(state, &tensors[own.min(tensors.len())..]);
}
