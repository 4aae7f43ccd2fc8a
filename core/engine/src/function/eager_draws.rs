//! Random numbers that are drawn at once while a function is traced, in `init_scope`: a graph that takes them in has the same ones in
//! every call. Draws tell of themselves here and builders of what they take in; the first time at each line, a warning says so.

use super::pins::each_current;
use super::warn_once::WarnOnce;
use crate::execute::recording;
use crate::tensor::local::{IdMark, LOCAL};
use std::panic::Location;

/// Draws of the trace under way: of which tensors they may be a part.
#[derive(Default)]
pub(super) struct Drawn(Vec<Draw>);

struct Draw {
    line: &'static Location<'static>,
    /// Before the draw.
    from: IdMark,
    /// Behind the scope in which it was.
    to: Option<IdMark>,
}

impl Draw {
    /// Whether a tensor was made after the draw, in its scope: of the random numbers, for all that is known.
    fn is_in(&self, id: u64) -> bool {
        self.from.is_before(id) && !self.to.is_some_and(|to| to.is_before(id))
    }
}

/// Tells the trace under way, if there is one, of a draw that is about to run at once.
pub(super) fn note_draw(line: &'static Location<'static>) {
    if recording() {
        return;
    }
    let from = LOCAL.with(|local| local.mark());
    each_current(|current| current.drawn.0.push(Draw { line, from, to: None }));
}

/// Code that ran at once has ended.
pub(super) fn end_scope() {
    let to = LOCAL.with(|local| local.mark());
    each_current(|current| {
        for draw in &mut current.drawn.0 {
            draw.to.get_or_insert(to);
        }
    });
}

/// Warns if a tensor or variable that a graph takes in was made of random numbers that were drawn while it was traced.
pub(crate) fn note_taken_in(id: u64) {
    let mut line = None;
    each_current(|current| {
        line = line.or(current.drawn.0.iter().rev().find(|draw| draw.is_in(id)).map(|draw| draw.line))
    });
    if let Some(line) = line {
        SAID.warn(line, || text(line));
    }
}

static SAID: WarnOnce = WarnOnce::new();

fn text(line: &Location<'_>) -> String {
    format!(
        "the random numbers drawn at {line} are the same in every call of the traced function: `init_scope` drew them \
         once, while it was traced. Draw them outside of `init_scope` for new ones in each call, or make what they are for outside of \
         the function, and pass it as an argument."
    )
}
