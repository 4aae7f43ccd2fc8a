//! [`While`]: the protocol of `while`, `loop` and `for`. A condition that the host knows goes round in Rust, recording each
//! round where it stands; one that is a value of the graph makes the loop a `while` of the graph, whose condition and body
//! are recorded once, with the state variables as what it carries.

mod end;
mod jumps;
mod meet;

use super::dispatch::Cond;
use super::list_growth::Growing;
use super::opaque_state::no_hidden_lending;
use super::regions::{self, Target};
use super::staged_loop::{Ended, StagedLoop};
use super::state::{self, Captured};
use crate::builder;
use crate::structure::{Place, Slot};
use crate::tape;
use kernels::error::{OrFail, Result};
use std::panic::Location;

/// Positions of the jumps' states.
const BREAKS: usize = 0;
const CONTINUES: usize = 1;

/// The state at a jump.
struct Met {
    state: Captured,
    location: &'static Location<'static>,
}

/// A loop with value `V`.
pub struct While<V> {
    /// Whether the host ends it sooner or later, whatever happens in its body.
    bounded: bool,
    phase: Phase,
    /// The region of the whole loop; none outside of traces.
    region: Option<usize>,
    /// The region of the present pass.
    pass: usize,
    /// How far the graph was recorded when the condition began, and tapes too.
    began: Option<(usize, tape::Marks)>,
    staged: Option<Box<StagedLoop>>,
    breaks: Target,
    continues: Target,
    /// The value of a `break`, of which others are copies with other tensors.
    broken: Option<V>,
    /// What a `break` takes along: names, and how many tensors each has; the loop's value is the first, if it has one.
    carries: Vec<(&'static str, usize)>,
    /// The same of a `continue`.
    carries_on: Vec<(&'static str, usize)>,
    /// The same of a `break`, and which lists were settled, when the graph's loop began.
    at_begin: (Vec<(&'static str, usize)>, usize),
    /// Whether a branch of the graph breaks, so that lists may be values of the graph after the loop.
    broke: bool,
    /// Whether a branch of the graph continues, in the present pass.
    continued: bool,
    /// The lists that are values of the graph in the loop.
    growing: Growing,
    /// What jumps took along first of variables that the head does not know.
    taken: Captured,
    /// The state at the first `break` that is part of the graph, and at the first `continue` of the present pass.
    met: [Option<Met>; 2],
    /// To how many of those that were found the pending jumps have been fitted.
    settled: usize,
    /// The state at the head of the pass, while the host goes round.
    at_head: Option<Captured>,
    location: &'static Location<'static>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// The host goes round.
    Host,
    /// The condition of the graph's loop is being recorded.
    Condition,
    /// The body of the graph's loop is being recorded.
    Body,
    /// What follows the loop has begun.
    Done,
}

/// After a loop's condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    /// The loop is over.
    Exit,
    /// Evaluate the condition once more.
    Again,
    /// Run the body.
    Body,
}

/// After a loop's body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// The loop is over.
    Over,
    /// Go on.
    More,
    /// Every path has left.
    Left,
}

impl<V> While<V> {
    /// A loop that pushes onto the lists `pushed`; `bounded` if its condition ends it sooner or later, whatever its body does.
    #[track_caller]
    pub fn new(_: Slot<V>, pushed: &'static [&'static str], bounded: bool) -> Self {
        Self {
            bounded,
            phase: Phase::Host,
            region: regions::staged().then(regions::enter_inline),
            pass: 0,
            began: None,
            staged: None,
            breaks: Target::fresh(),
            continues: Target::fresh(),
            broken: None,
            carries: Vec::new(),
            carries_on: Vec::new(),
            at_begin: Default::default(),
            broke: false,
            continued: false,
            growing: Growing::new(pushed),
            taken: Captured::of(&[]),
            met: [None, None],
            settled: 0,
            at_head: None,
            location: Location::caller(),
        }
    }

    /// The head of each pass.
    pub fn head(&mut self, head: &mut [Place<'_>]) {
        if self.region.is_some() && self.phase == Phase::Host {
            // What breaks of earlier rounds took along is compared with the head of theirs.
            if !self.broke {
                self.at_head = Some(Captured::of(head));
            }
            self.began = builder::current().map(|b| (b.checkpoint(), tape::marks()));
        }
    }

    /// The condition.
    #[track_caller]
    pub fn test(&mut self, condition: Cond, head: &mut [Place<'_>]) -> Test {
        if self.region.is_none() {
            return if condition.decide().or_fail() { Test::Body } else { Test::Exit };
        }
        self.location = condition.location;
        match (self.phase, condition.staged()) {
            (Phase::Host, None) if condition.decide().or_fail() => {
                self.pass = regions::enter_inline();
                self.continued = false;
                self.met[CONTINUES] = None;
                Test::Body
            }
            (Phase::Host, None) => Test::Exit,
            (Phase::Host, Some(_)) => {
                // The condition was evaluated with the values before the loop; its graph has values of its own.
                if let (Some((nodes, marks)), Some(builder)) = (self.began.take(), builder::current()) {
                    builder.rollback(nodes);
                    tape::rewind(&marks);
                }
                self.begin(head).or_fail();
                Test::Again
            }
            (Phase::Condition, _) => {
                let Some(staged) = &mut self.staged else { return Test::Exit };
                staged.end_condition(&condition, head).or_fail();
                self.phase = Phase::Body;
                Test::Body
            }
            (Phase::Body | Phase::Done, _) => Test::Exit,
        }
    }

    /// Turns into a loop of the graph.
    fn begin(&mut self, head: &mut [Place<'_>]) -> Result<()> {
        self.stage_as_taken(head, true)?;
        let pending = regions::with_top(|top| std::mem::take(&mut top.leaving)).unwrap_or_default();
        self.at_begin = (self.carries.clone(), self.settled);
        let targets = [self.breaks, self.continues];
        let mut staged =
            StagedLoop::new(head, pending, self.carries.clone(), targets, self.location, self.growing.found())?;
        staged.begin_condition(head)?;
        self.staged = Some(Box::new(staged));
        self.phase = Phase::Condition;
        Ok(())
    }

    /// The end of the body; `fell` unless a jump led there.
    #[track_caller]
    pub fn next(&mut self, head: &mut [Place<'_>], fell: bool) -> Next {
        if self.region.is_none() {
            return Next::More;
        }
        match self.phase {
            Phase::Host => self.host_pass(head, fell).or_fail(),
            Phase::Body => self.graph_pass(head, fell).or_fail(),
            Phase::Condition | Phase::Done => Next::Over,
        }
    }

    fn host_pass(&mut self, head: &mut [Place<'_>], fell: bool) -> Result<Next> {
        if self.continued {
            self.stage_as_taken(head, fell)?;
            self.end_pass(head, fell)?;
        }
        let values = fell.then(|| state::tensors(head));
        let (fell, watch) = regions::settle_watched(self.pass, Some(self.continues), values)?;
        let closed = regions::exit(None);
        let goes_on = fell.is_some();
        if let Some(fell) = &fell {
            state::put(head, fell);
            watch.map_or(Ok(()), |(watch, line)| watch.check_rest(head, line))?;
        }
        let mut pending = false;
        regions::with_top(|top| {
            top.leaving.extend(closed.into_iter().flat_map(|c| c.side.leaving));
            top.left = !goes_on;
            pending = !top.leaving.is_empty();
        });
        if pending || self.continued {
            no_hidden_lending("while", head, self.location)?;
        }
        if !goes_on {
            // Of earlier rounds, too, behind whose jumps this one was recorded.
            if self.region.is_some_and(|region| regions::is_pending(region, self.breaks)) {
                return Ok(Next::Over);
            }
            self.finish(&mut [], false)?;
            return Ok(Next::Left);
        }
        if pending && self.bounded {
            regions::guard_rest(self.location)?;
        } else if pending {
            // The first round is recorded before the loop, which goes on from where the flags allow it.
            self.begin(head)?;
        }
        Ok(Next::More)
    }

    fn graph_pass(&mut self, head: &mut [Place<'_>], fell: bool) -> Result<Next> {
        let Some(staged) = &mut self.staged else { return Ok(Next::Over) };
        match staged.end_body(head, fell, &mut self.growing)? {
            Ended::Again => {
                self.phase = Phase::Condition;
                Ok(Next::More)
            }
            Ended::Longer => {
                (self.carries, self.settled) = std::mem::take(&mut self.at_begin);
                self.begin(head)?;
                Ok(Next::More)
            }
            Ended::Over => Ok(Next::Over),
            Ended::Left => {
                self.finish(&mut [], false)?;
                Ok(Next::Left)
            }
        }
    }
}

impl<V> Drop for While<V> {
    fn drop(&mut self) {
        if let Some(region) = self.region
            && self.phase != Phase::Done
        {
            regions::abandon(region);
        }
    }
}
