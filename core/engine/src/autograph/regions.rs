//! Regions: where on its way through a user's function a trace stands, and which jumps are pending there.
//! Branches, loops and functions open them; a jump out of a branch leaves its region and is settled where it leads to.
//!
//! A jump in a branch of the graph cannot be taken while tracing, because the other branch must be traced as well. The path
//! is marked as *left*, towards a [`Target`], with the values it takes along. Where one branch has left and the other fell
//! through, the rest of the enclosing construct is recorded as a *continuation* of the branch that fell; where that depends
//! on flags, as a continuation under the flags. When the enclosing construct ends, [`settle`] closes its continuations and
//! merges both sides, for the target that is reached there too.

use super::borrow_watch::Watch;
use super::merge::{Side, guard_flag, merge};
use crate::builder;
use crate::builder::Builder;
use crate::tape;
use crate::tensor::Tensor;
use crate::tensor::local::InName;
use kernels::error::{Error, Result};
use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::rc::Rc;

/// Where a jump leads: the end of a function, or the end or head of a loop. Each has a number of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Target(pub u64);

impl Target {
    pub fn fresh() -> Self {
        thread_local!(static NEXT: Cell<u64> = const { Cell::new(0) });
        Self(NEXT.replace(NEXT.get() + 1))
    }
}

/// A pending jump.
#[derive(Clone)]
pub(crate) struct Leave {
    pub target: Target,
    /// Whether the jump is taken; none where it is for sure.
    pub flag: Option<Tensor>,
    /// What the jump takes along: the returned value or the loop's state.
    pub values: Vec<Tensor>,
}

pub(crate) enum Kind {
    /// A construct whose operations go where its surroundings' go: a function, or a pass of a host loop.
    Inline,
    /// A body with a builder of its own.
    Body,
    /// The rest of a construct after one side of a branch has left.
    Rest {
        condition: Tensor,
        other: Side,
        other_is_then: bool,
        location: &'static Location<'static>,
        /// What calls have borrowed, before it.
        watch: Watch,
    },
}

pub(crate) struct Region {
    pub builder: Rc<Builder>,
    pub kind: Kind,
    pub leaving: Vec<Leave>,
    /// Whether no path goes on from here.
    pub left: bool,
    /// Of an else-branch: the branch in front of it.
    pub then: Option<Closed>,
}

thread_local! {
    static REGIONS: RefCell<Vec<Region>> = const { RefCell::new(Vec::new()) };
}

/// How many regions are open on this thread.
pub(crate) fn depth() -> usize {
    REGIONS.with_borrow(Vec::len)
}

/// Whether a function is being traced on this thread.
pub(crate) fn staged() -> bool {
    builder::current().is_some()
}

/// Opens a region without a builder of its own; gives its number.
pub(crate) fn enter_inline() -> usize {
    let Some(builder) = builder::current() else { return usize::MAX };
    push(Region { builder, kind: Kind::Inline, leaving: Vec::new(), left: false, then: None })
}

/// Opens a region with a builder; gives its number.
pub(crate) fn enter(builder: Rc<Builder>) -> usize {
    builder.open();
    push(Region { builder, kind: Kind::Body, leaving: Vec::new(), left: false, then: None })
}

fn push(region: Region) -> usize {
    REGIONS.with_borrow_mut(|regions| {
        regions.push(region);
        regions.len() - 1
    })
}

/// Whether Rust itself may jump to what began with region `number`: no body of the graph lies in between and no jump is
/// pending.
pub(crate) fn is_native_to(number: usize) -> bool {
    REGIONS.with_borrow(|regions| {
        let within = regions.get(number..).unwrap_or_default();
        within.iter().all(|r| r.leaving.is_empty()) && within.iter().skip(1).all(|r| matches!(r.kind, Kind::Inline))
    })
}

/// Whether some path in what began with region `number` has jumped to a target, which it has not reached yet.
pub(crate) fn is_pending(number: usize, target: Target) -> bool {
    let leads = |leaving: &[Leave]| leaving.iter().any(|leave| leave.target == target);
    REGIONS.with_borrow(|regions| {
        let within = regions.get(number..).unwrap_or_default();
        within.iter().any(|region| match &region.kind {
            Kind::Rest { other, .. } => leads(&region.leaving) || leads(&other.leaving),
            _ => leads(&region.leaving),
        })
    })
}

/// Changes the innermost region.
pub(crate) fn with_top<R>(change: impl FnOnce(&mut Region) -> R) -> Option<R> {
    REGIONS.with_borrow_mut(|regions| regions.last_mut().map(change))
}

/// Marks the path as having left.
pub(crate) fn leave(target: Target, values: Vec<Tensor>) {
    with_top(|region| {
        region.leaving.push(Leave { target, flag: None, values });
        region.left = true;
    });
}

/// Whether no path goes on from here.
pub(crate) fn has_left() -> bool {
    REGIONS.with_borrow(|regions| regions.last().is_some_and(|region| region.left))
}

/// Marks the path as ending here, for no target.
pub(crate) fn end() {
    with_top(|region| region.left = true);
}

/// Changes all jumps to `target` that are pending in region `from` and inside of it, each with the body that it leaves.
pub(crate) fn each_pending(
    from: usize,
    target: Target,
    change: &mut dyn FnMut(&Rc<Builder>, &mut Leave) -> Result<()>,
) -> Result<()> {
    // What changes them may record, and so ask for regions.
    let mut regions = REGIONS.take();
    let mut changed = Ok(());
    for region in regions.iter_mut().skip(from) {
        let mut sides = vec![(&region.builder, &mut region.leaving)];
        if let Kind::Rest { other, .. } = &mut region.kind {
            sides.push((&other.builder, &mut other.leaving));
        }
        if let Some(Closed { side, .. }) = &mut region.then {
            sides.push((&side.builder, &mut side.leaving));
        }
        for (builder, leaving) in sides {
            for leave in leaving.iter_mut().filter(|leave| leave.target == target) {
                changed = changed.and_then(|()| change(builder, leave));
            }
        }
    }
    REGIONS.set(regions);
    changed
}

/// A region that was closed.
pub(crate) struct Closed {
    pub side: Side,
    /// What tapes saw in it, to open it again.
    pub seen: tape::Seen,
}

/// Closes the innermost region, which [`settle`] has freed of continuations.
pub(crate) fn exit(fell: Option<Vec<Tensor>>) -> Option<Closed> {
    let region = REGIONS.with_borrow_mut(Vec::pop)?;
    let seen = match region.kind {
        Kind::Inline => tape::Seen::default(),
        Kind::Body | Kind::Rest { .. } => region.builder.close(),
    };
    Some(Closed { side: Side { builder: region.builder, leaving: region.leaving, fell }, seen })
}

/// How many continuations may lie one inside the other: passes and runs go down into them on the stack, which in a thread has
/// two megabytes, and whose frames are larger without optimisation.
const NESTED: usize = if cfg!(debug_assertions) { 100 } else { 250 };

/// An error if one more continuation would be too deep: a loop that the host unrolls lays each round into the one before, once
/// a branch may have left it.
pub(crate) fn room_for_rest(location: &'static Location<'static>) -> Result<()> {
    let rests = REGIONS.with_borrow(|regions| regions.iter().filter(|r| matches!(r.kind, Kind::Rest { .. })).count());
    if rests < NESTED {
        return Ok(());
    }
    let what = "what follows jumps of branches of the graph lies too deep, one continuation in the other";
    Err(Error::failed_precondition("jump", what)
        .got(format!("{rests} of them, such as rounds of a loop that the host unrolls and that this jump may leave"))
        .expected(format!("at most {NESTED}"))
        .help("write the loop as one of the graph, which is recorded once: `for i in tf::range(0, n, 1)`, `loop`, or `while` on a tensor")
        .at(location))
}

/// Opens a closed region again.
pub(crate) fn enter_again(closed: Closed, kind: Kind) {
    closed.side.builder.reopen(closed.seen);
    push(Region { builder: closed.side.builder, kind, leaving: closed.side.leaving, left: false, then: None });
}

/// Throws away all regions from number `from` on, as a panic or `?` does.
pub(crate) fn abandon(from: usize) {
    while depth() > from {
        exit(None);
    }
}

/// Ends what began with region `number`, the continuations in it first. `fell` are the values with which the path goes on,
/// if it does; a path that jumped to `here` goes on with the values it took along.
///
/// Gives the values with which some path goes on.
pub(crate) fn settle(number: usize, here: Option<Target>, fell: Option<Vec<Tensor>>) -> Result<Option<Vec<Tensor>>> {
    Ok(settle_watched(number, here, fell)?.0)
}

/// As [`settle`], with what calls had borrowed before the first continuation, if there is one, and the line of its jump.
#[expect(clippy::type_complexity, reason = "two results")]
pub(super) fn settle_watched(
    number: usize,
    here: Option<Target>,
    fell: Option<Vec<Tensor>>,
) -> Result<(Option<Vec<Tensor>>, Option<(Watch, &'static Location<'static>)>)> {
    let mut first = None;
    let left = with_top(|region| region.left).unwrap_or(false);
    let mut fell = if left { None } else { fell };
    while depth() > number + 1 {
        let Some(Region {
            builder,
            kind: Kind::Rest { condition, other, other_is_then, location, watch },
            leaving,
            ..
        }) = REGIONS.with_borrow_mut(Vec::pop)
        else {
            return Err(crate::Error::internal("tf_function", "a branch is still open where its surroundings end"));
        };
        first = Some((watch, location));
        builder.close();
        let this = Side { builder, leaving, fell };
        let sides = if other_is_then { [other, this] } else { [this, other] };
        let merged = merge(&condition, sides, here, location, &|_| String::new())?;
        fell = merged.fell;
        with_top(|region| region.leaving = merged.leaving);
    }
    // What jumped here without a branch in between.
    let own = with_top(|region| {
        let at = region.leaving.iter().position(|leave| Some(leave.target) == here);
        at.map(|at| region.leaving.remove(at))
    });
    if let Some(Some(leave)) = own {
        let rejoined = Side { builder: builder_of_top()?, leaving: vec![leave], fell };
        fell = rejoined.rejoin(here)?.fell;
    }
    Ok((fell, first))
}

fn builder_of_top() -> Result<Rc<Builder>> {
    with_top(|region| region.builder.clone()).ok_or_else(|| crate::Error::internal("tf_function", "no region is open"))
}

/// Where jumps are pending but the path may go on, records the rest under the condition that none is taken.
pub(crate) fn guard_rest(location: &'static Location<'static>) -> Result<()> {
    room_for_rest(location)?;
    let pending = with_top(|region| match region.left {
        true => Vec::new(),
        false => std::mem::take(&mut region.leaving),
    });
    let Some(pending) = pending.filter(|p| !p.is_empty()) else { return Ok(()) };
    let _name = InName::of(Some(location));
    let condition = guard_flag(&pending)?;
    let builder = builder_of_top()?;
    let other = Side { builder: builder.inside("left"), leaving: pending, fell: None };
    let rest = builder.inside("rest");
    rest.open();
    let kind = Kind::Rest { condition, other, other_is_then: true, location, watch: Watch::now() };
    push(Region { builder: rest, kind, leaving: Vec::new(), left: false, then: None });
    Ok(())
}
