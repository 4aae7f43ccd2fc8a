//! What calls under way have borrowed by `&mut`, watched while a branch or loop of the graph is recorded. What changes there
//! without being part of the construct's state would change whatever the condition says: that is an error.

use super::skipped_fields::Cells;
use crate::structure::{LeafSink, Place};
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::error::{Error, Result};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::Location;

thread_local! {
    /// The copies that bodies under way change, with a number for each.
    static LENT: RefCell<Vec<(u64, Place<'static>)>> = const { RefCell::new(Vec::new()) };
}

/// As long as it is there, a value is watched.
pub(super) struct Watched(u64);

impl Watched {
    /// Watches a value.
    ///
    /// # Safety
    /// The value is there as long as what this gives. On this thread alone, references to it may be made and used, but none
    /// is in use while a branch or loop begins or ends.
    pub unsafe fn new(copy: &mut Place<'_>) -> Self {
        thread_local!(static NEXT: Cell<u64> = const { Cell::new(0) });
        let number = NEXT.replace(NEXT.get() + 1);
        // SAFETY: by the caller's promise; `Drop` takes the place away again.
        let copy = unsafe { copy.reborrow().forever() };
        LENT.with_borrow_mut(|lent| lent.push((number, copy)));
        Self(number)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // The thread may be ending.
        let _ = LENT.try_with(|lent| lent.borrow_mut().retain(|(number, _)| *number != self.0));
    }
}

/// The leaves of a value: where they are, and which tensor, variable or word is there.
#[derive(Default, PartialEq, Eq)]
struct Seen(Vec<(String, u64)>);

impl LeafSink for Seen {
    fn tensor(&mut self, path: &dyn fmt::Display, tensor: &Tensor) {
        self.0.push((path.to_string(), tensor.id()));
    }
    fn variable(&mut self, path: &dyn fmt::Display, variable: &Variable) {
        self.0.push((path.to_string(), variable.id()));
    }
    fn word(&mut self, path: &dyn fmt::Display, word: u64) {
        self.0.push((path.to_string(), word));
    }
}

impl Seen {
    fn of(place: &Place<'_>) -> Self {
        let mut seen = Self::default();
        // SAFETY (of the address in the place): this reads by a raw pointer what the body has a `&mut` of. It is sound because
        // the body stands still: it called the protocol object that asks, on the one thread that traces, so that none of
        // its references is in use, and every value is whole, as it must be wherever code calls out. Nothing is written,
        // and no reference outlives the visit.
        place.visit(&mut seen);
        seen
    }

    /// The path of the first leaf that is not the same.
    fn difference<'a>(&'a self, now: &'a Self) -> &'a str {
        let same = self.0.iter().zip(&now.0).take_while(|(a, b)| a == b).count();
        self.0.get(same).or_else(|| now.0.get(same)).map_or("", |(path, _)| path)
    }
}

/// Where the tensors of a value are.
#[derive(Default)]
struct Addresses(Vec<(String, u64, *const Tensor)>);

impl LeafSink for Addresses {
    fn tensor(&mut self, path: &dyn fmt::Display, tensor: &Tensor) {
        self.0.push((path.to_string(), tensor.id(), tensor));
    }
    fn variable(&mut self, _: &dyn fmt::Display, _: &Variable) {}
    fn word(&mut self, _: &dyn fmt::Display, _: u64) {}
}

/// Where a change is hidden.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hidden {
    Branch,
    Loop,
    /// Behind a jump that a branch of the graph takes.
    Rest,
}

/// What was lent, as it was when the recording of a branch or loop began, and the cells that modules leave out.
#[derive(Default)]
pub(super) struct Watch(Vec<(u64, Seen)>, Cells);

impl Watch {
    /// As it is now.
    pub fn now() -> Self {
        let lent = LENT.with_borrow(|lent| lent.iter().map(|(number, place)| (*number, Seen::of(place))).collect());
        Self(lent, Cells::now())
    }

    /// Whether nothing is lent.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty() && self.1.is_empty()
    }

    /// An error naming what has changed since, while the state of the construct is as it was then.
    pub fn check(&self, whose: Hidden, location: &'static Location<'static>) -> Result<()> {
        self.1.check(whose, location)?;
        LENT.with_borrow(|lent| {
            for (number, before) in &self.0 {
                let Some((_, place)) = lent.iter().find(|(own, _)| own == number) else { continue };
                let now = Seen::of(place);
                if now != *before {
                    return Err(hidden_change(whose, place.name, before.difference(&now), location));
                }
            }
            Ok(())
        })
    }

    /// An error naming a tensor that has changed since, unless it is part of `carried`.
    pub fn check_rest(&self, carried: &[Place<'_>], location: &'static Location<'static>) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut known = Addresses::default();
        carried.iter().for_each(|place| place.visit(&mut known));
        LENT.with_borrow(|lent| {
            for (number, before) in &self.0 {
                let Some((_, place)) = lent.iter().find(|(own, _)| own == number) else { continue };
                let mut now = Addresses::default();
                // SAFETY (of the address in the place): as in `Seen::of`.
                place.visit(&mut now);
                for (path, id, at) in now.0 {
                    let carried = known.0.iter().any(|(_, _, own)| *own == at);
                    if !carried && !before.0.iter().any(|(own, old)| *own == path && *old == id) {
                        return Err(hidden_change(Hidden::Rest, place.name, &path, location));
                    }
                }
            }
            Ok(())
        })
    }
}

#[cold]
fn hidden_change(whose: Hidden, root: &'static str, path: &str, location: &'static Location<'static>) -> Error {
    let (op, what, end, known) = match whose {
        Hidden::Branch => ("if", "a branch of the graph", "branch", "whether the branch is taken"),
        Hidden::Loop => ("while", "a loop of the graph", "loop", "how often the loop goes round"),
        Hidden::Rest => {
            ("jump", "what follows a jump in a branch of the graph", "loop or closure", "whether it is reached")
        }
    };
    let name = if path.is_empty() { root.to_owned() } else { format!("{root}.{}", path.replace('/', ".")) };
    let own = match path.rsplit('/').next() {
        Some("") | None => format!("*{root}"),
        Some(last) if last.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{}[{last}]", name.trim_end_matches(last).trim_end_matches('.'))
        }
        Some(_) => name.clone(),
    };
    Error::failed_precondition(op, format!("{what} changes `{name}` through a reference that hides what it leads to"))
        .got(format!("`{root}`, lent by `&mut`, with another value in `{name}` after it was recorded"))
        .expected(format!("changes by the parameter's own name: {known} is known only when the graph runs"))
        .help(format!(
            "write `{own} = ..` there, with `{root}` itself; or assign the new tensor to a `let mut` variable there, and write \
             that through the reference after the {end}"
        ))
        .variable(&name)
        .at(location)
}
