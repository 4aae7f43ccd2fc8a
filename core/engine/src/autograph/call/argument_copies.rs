//! What a call lends to the body: copies of its arguments, and copies of what the user lent by `&mut`, which go back to the
//! user when the body has ended well. The code that the attribute writes calls these through [`rt`](crate::autograph::rt).

use super::{Call, Exchanged, Session};
use crate::autograph::borrow_watch::Watched;
use crate::autograph::regions;
use crate::autograph::skipped_fields::Watching;
use crate::autograph::state::{self, Captured};
use crate::function::Wrote;
use crate::structure::{BoxedState, Place};
use crate::tensor::Tensor;

impl Call<'_> {
    /// Keeps a copy for as long as the call.
    pub(crate) fn lend<T: 'static>(&self, value: T) -> &T {
        let value = Box::new(value);
        let address: *const T = &raw const *value;
        self.body().lent.borrow_mut().push(value);
        // SAFETY: the box is only dropped with the call, and nobody moves or changes what is in it.
        unsafe { &*address }
    }

    /// Whether the body is given copies of what was lent by `&mut`: while it is recorded, a jump in a branch goes on with
    /// the rest, so that what is there at the end is not what was there at each `return`.
    pub(crate) fn copies(&self) -> bool {
        self.session().is_some() || regions::staged()
    }

    /// Keeps a value where it does not move, for as long as the call.
    pub(crate) fn hold<T>(&self, value: T) -> *mut T {
        let kept = BoxedState::new(value);
        let address = kept.address().cast();
        self.body().held.borrow_mut().push(kept);
        address
    }

    /// Watches what a module leaves out for as long as the call.
    pub(in crate::autograph) fn keep_watching(&self, watching: Option<Watching>) {
        self.body().watching.borrow_mut().extend(watching);
    }

    /// Notes a value lent by `&mut` and its copy.
    ///
    /// # Safety
    /// Both are there as long as the call, and nobody uses them when the body has ended.
    pub(crate) unsafe fn exchange(&self, own: Place<'_>, copy: Place<'_>) {
        // SAFETY: by the caller's promise.
        let (own, mut copy) = unsafe { (own.forever(), copy.forever()) };
        let before = Captured::of(std::slice::from_ref(&copy));
        // SAFETY: the copy is there as long as the call; the body uses it on this thread, and not while it calls a protocol
        // object.
        let watched = unsafe { Watched::new(&mut copy) };
        self.body().exchanged.borrow_mut().push(Exchanged { own, copy, before, _watched: watched });
    }

    /// Whether anything was lent by `&mut` of which there is a copy.
    pub(crate) fn has_copies(&self) -> bool {
        self.body.get().is_some_and(|body| !body.exchanged.borrow().is_empty())
    }

    /// Calls `with` for the copies of what was lent by `&mut`, as the body has changed them so far.
    pub(crate) fn with_copies<T>(&self, with: impl FnOnce(&mut [Place<'_>]) -> T) -> T {
        let mut exchanged = self.body().exchanged.borrow_mut();
        let mut copies: Vec<Place<'_>> = exchanged.iter_mut().map(|e| e.copy.reborrow()).collect();
        with(&mut copies)
    }

    /// Gives the user what the body has made of the copies.
    pub(crate) fn hand_back(&self) {
        let Some(body) = self.body.get() else { return };
        for exchanged in body.exchanged.borrow_mut().iter_mut() {
            if let Some(value) = exchanged.copy.keep() {
                exchanged.own.restore(&value);
            }
        }
    }

    /// What a trace leaves in the places that were lent, and the tensors among it that are results of its graph.
    pub(super) fn wrote(&self, session: &Session) -> (Vec<Wrote>, Vec<Tensor>) {
        let symbols = session.symbols.borrow();
        let mut results = Vec::new();
        let exchanged = self.body().exchanged.borrow();
        let wrote = exchanged.iter().map(|exchanged| {
            let tensors = state::tensors(std::slice::from_ref(&exchanged.copy));
            let source = |t: &Tensor| symbols.iter().find(|(id, _)| *id == t.id()).map(|(_, leaf)| *leaf);
            let sources: Vec<Option<usize>> = tensors.iter().map(source).collect();
            results.extend(tensors.into_iter().zip(&sources).filter(|(_, s)| s.is_none()).map(|(t, _)| t));
            let same = exchanged.before.same_structure(&exchanged.copy);
            Wrote { changed: (!same).then(|| exchanged.copy.keep()).flatten(), table: exchanged.copy.table(), sources }
        });
        let wrote = wrote.collect();
        (wrote, results)
    }
}
