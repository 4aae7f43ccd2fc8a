//! [`If`]: the protocol of `if`, `else if` and `else`. A condition that the host knows runs one block, as Rust does; one
//! that is a value of the graph being traced records both, each in a body of its own, and merges what they change.

mod staged;

use super::borrow_watch::{Hidden, Watch};
use super::dispatch::Cond;
use super::opaque_state::none_hidden;
use super::regions;
use super::returned_error::Failed;
use super::state::Captured;
use crate::builder;
use crate::structure::{Place, Slot, StateVtable, place};
use kernels::error::{Error, OrFail, Result};
use staged::{Joined, Staged};

/// An `if` with value `V`.
pub struct If<V> {
    way: Way,
    value: Option<V>,
}

enum Way {
    Host(bool),
    Graph(Box<Staged>),
}

/// At the end of a block.
#[derive(Debug)]
pub enum End<V> {
    /// Leave with the value of the whole.
    Done(V),
    /// The program goes on elsewhere: with the other block, or where every path has left to. Variables that the value
    /// carries are handed back, since jumps may take them along from there; nothing is where it carries none.
    Back(Option<V>),
}

/// After an else-block that was left by a jump.
#[derive(Debug)]
pub enum Else<V> {
    /// The value of the whole.
    Val(V),
    /// Every path has left.
    Left,
}

impl<V> If<V> {
    /// An `if` on a condition; `state` is what its branches change.
    #[track_caller]
    pub fn new(_: Slot<V>, condition: Cond, state: &[Place<'_>], yields: &'static [&'static str]) -> Self {
        let way = match condition.staged() {
            None => Way::Host(condition.decide().or_fail()),
            Some(tensor) => {
                none_hidden("if", state, condition.location).or_fail();
                Way::Graph(Box::new(Staged {
                    condition: tensor.clone(),
                    location: condition.location,
                    before: Captured::of(state),
                    watch: Watch::now(),
                    region: 0,
                    yields,
                    lazy: None,
                    jumps: false,
                    then: None,
                }))
            }
        };
        Self { way, value: None }
    }

    /// The same for the right side of an `&&` or `||` that changes something.
    pub fn lazy(mut self, is_and: bool) -> Self {
        if let Way::Graph(staged) = &mut self.way {
            staged.lazy = Some(is_and);
        }
        self
    }

    /// The same where jumps may leave its branches.
    pub fn jumping(mut self) -> Self {
        if let Way::Graph(staged) = &mut self.way {
            staged.jumps = true;
        }
        self
    }

    /// Whether both blocks are recorded.
    pub fn is_staged(&self) -> bool {
        matches!(self.way, Way::Graph(_))
    }

    /// Whether to run the then-block.
    #[track_caller]
    pub fn then(&mut self) -> bool {
        match &mut self.way {
            Way::Host(holds) => *holds,
            Way::Graph(staged) => {
                staged.region = open("then").or_fail();
                true
            }
        }
    }

    /// The then-block came to its end.
    #[track_caller]
    pub fn end_then(&mut self, mut value: V, table: &'static StateVtable, state: &mut [Place<'_>]) -> End<V> {
        match &mut self.way {
            Way::Host(_) => End::Done(value),
            Way::Graph(staged) => {
                let mut slot = place(VALUE, &mut value, table);
                let failed = fails(&slot).or_fail();
                let branch = staged.end_branch(Some(&mut slot), state).or_fail();
                staged.then = Some(branch);
                staged.before.restore(state);
                if failed {
                    return End::Back(Some(value));
                }
                let copy = if staged.yields.is_empty() { None } else { slot.copy::<V>() };
                match copy {
                    Some(copy) => {
                        self.value = Some(copy);
                        End::Back(Some(value))
                    }
                    None => {
                        self.value = Some(value);
                        End::Back(None)
                    }
                }
            }
        }
    }

    /// What a block has handed over with its value, where it gets it back.
    #[track_caller]
    pub fn handed_back(&self, value: Option<V>) -> V {
        match (value, &self.way) {
            (Some(value), _) => value,
            (None, Way::Graph(staged)) => Err(staged.not_copied::<V>()).or_fail(),
            (None, Way::Host(_)) => super::rt::never(),
        }
    }

    /// The then-block was left by a jump; whether the host has to go on leaving.
    #[track_caller]
    pub fn left_then(&mut self, state: &mut [Place<'_>]) -> bool {
        match &mut self.way {
            Way::Host(_) => true,
            // It came to its end, so this is only passed.
            Way::Graph(staged) if staged.then.is_some() => false,
            Way::Graph(staged) => {
                staged.then = Some(staged.end_branch(None, state).or_fail());
                staged.before.restore(state);
                false
            }
        }
    }

    /// The else-block begins.
    #[track_caller]
    pub fn otherwise(&mut self) {
        if let Way::Graph(staged) = &mut self.way {
            // The state is as it was before the then-block.
            staged.watch.check(Hidden::Branch, staged.location).or_fail();
            staged.region = open("else").or_fail();
            // A jump out of the else-block may have to change what one out of the then-block takes along.
            let then = staged.then.as_mut().and_then(|then| then.closed.take());
            regions::with_top(|region| region.then = then);
        }
    }

    /// The else-block came to its end.
    #[track_caller]
    pub fn end_else(&mut self, mut value: V, table: &'static StateVtable, state: &mut [Place<'_>]) -> End<V> {
        match &mut self.way {
            Way::Host(_) => End::Done(value),
            Way::Graph(staged) => {
                let mut slot = place(VALUE, &mut value, table);
                let failed = fails(&slot).or_fail();
                let branch = staged.end_branch(Some(&mut slot), state).or_fail();
                match staged.join(branch, Some(&mut slot), state).or_fail() {
                    Joined::Here => End::Done(value),
                    Joined::Then => self.value.take().map_or(End::Back(Some(value)), End::Done),
                    // Both have failed, and Rust has nowhere to jump to: what follows is recorded for nobody.
                    Joined::Left if failed && !staged.jumps => End::Done(value),
                    Joined::Left => End::Back(Some(value)),
                }
            }
        }
    }

    /// The else-block was left by a jump.
    #[track_caller]
    pub fn left_else(&mut self, _: &'static StateVtable, state: &mut [Place<'_>]) -> Else<V> {
        match &mut self.way {
            Way::Host(_) => Else::Left,
            Way::Graph(staged) => {
                let branch = staged.end_branch(None, state).or_fail();
                match staged.join(branch, None, state).or_fail() {
                    Joined::Left | Joined::Here => Else::Left,
                    Joined::Then => self.value.take().map_or(Else::Left, Else::Val),
                }
            }
        }
    }
}

const VALUE: &str = "the value of this `if`";

/// Whether a branch ends in an error of the library, which the call then fails with.
#[track_caller]
fn fails(value: &Place<'_>) -> Result<bool> {
    match Failed::of(value) {
        Some(failed @ Failed::Own(_)) => failed.record().map(|()| true),
        Some(Failed::Other) | None => Ok(false),
    }
}

fn open(name: &str) -> Result<usize> {
    let outer = builder::current().ok_or_else(|| Error::internal("if", "no graph is being recorded"))?;
    Ok(regions::enter(outer.inside(name)))
}
