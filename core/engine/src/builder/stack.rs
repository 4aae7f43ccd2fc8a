//! The builders that take this thread's operations, innermost last; they close in the order opposite to opening.
//! Whoever records a body opens its builder; code that must run at once sets them aside.

use super::Builder;
use crate::execute;
use crate::tape;
use std::cell::RefCell;
use std::rc::Rc;

thread_local! {
    pub(super) static OPEN: RefCell<Vec<(Rc<Builder>, tape::Marks)>> = const { RefCell::new(Vec::new()) };
}

/// The innermost builder of this thread.
pub(crate) fn current() -> Option<Rc<Builder>> {
    OPEN.with_borrow(|open| open.last().map(|(builder, _)| builder.clone()))
}

/// Whether a builder is open on this thread.
#[inline]
pub(crate) fn is_open() -> bool {
    OPEN.with_borrow(|open| !open.is_empty())
}

/// Asks of what tapes had noted when the innermost builder was opened.
pub(crate) fn opened_at(ask: impl FnOnce(&tape::Marks) -> bool) -> bool {
    OPEN.with_borrow(|open| open.last().is_some_and(|(_, marks)| ask(marks)))
}

/// The open builders of this thread, set aside while this lives.
pub(crate) struct Aside(Vec<(Rc<Builder>, tape::Marks)>);

/// Sets the open builders aside, for code that runs at once.
pub(crate) fn set_aside() -> Aside {
    Aside(OPEN.take())
}

impl Drop for Aside {
    fn drop(&mut self) {
        OPEN.set(std::mem::take(&mut self.0));
    }
}

impl Builder {
    /// Starts taking this thread's operations.
    pub fn open(self: &Rc<Self>) {
        OPEN.with_borrow_mut(|open| open.push((self.clone(), tape::marks())));
        execute::push_recorder(self.clone());
    }

    /// Takes operations again after a [`close`](Self::close); tapes remember what they saw before it.
    pub fn reopen(self: &Rc<Self>, seen: tape::Seen) {
        self.open();
        tape::replace(seen);
    }

    /// Stops taking operations; tapes forget those that they saw meanwhile.
    pub fn close(self: &Rc<Self>) -> tape::Seen {
        let top = OPEN.with_borrow_mut(Vec::pop);
        execute::pop_recorder();
        match top {
            Some((builder, marks)) => {
                debug_assert!(Rc::ptr_eq(&builder, self), "builders close in the order opposite to opening");
                tape::rewind(&marks)
            }
            None => tape::Seen::default(),
        }
    }

    /// Runs `body` with this builder open.
    pub fn record_in<R>(self: &Rc<Self>, body: impl FnOnce() -> R) -> R {
        struct Leave<'a>(&'a Rc<Builder>);
        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                self.0.close();
            }
        }
        self.open();
        let _leave = Leave(self);
        body()
    }

    /// Runs `body` with this builder open, whether it is the innermost one already or closed.
    pub fn record_again<R>(self: &Rc<Self>, body: impl FnOnce() -> R) -> R {
        match current() {
            Some(builder) if Rc::ptr_eq(&builder, self) => body(),
            _ => self.record_in(body),
        }
    }
}
