//! `&mut` arguments of traced functions: structures of tensors, whose new value is a further result of the trace.
//! The body changes a copy that lives in the call; what the user lent is written when the call has succeeded.

use super::arguments::Arg;
use crate::autograph::call::Call;
use crate::structure::Nest;
use crate::structure::place::{Place, place};
use crate::structure::referents::{self, Parts};
use crate::structure::state_vtable::result;
use crate::tensor::Tensor;
use smallvec::SmallVec;

/// The places that a call writes.
#[derive(Default)]
pub struct Written<'a> {
    pub(crate) places: SmallVec<[Place<'a>; 4]>,
    /// The items of slices, to which places lead.
    #[expect(clippy::vec_box, reason = "places know the addresses")]
    slices: Vec<Box<Parts>>,
}

impl Written<'_> {
    /// None so far.
    pub fn new() -> Self {
        Self::default()
    }
}

/// Structures of tensors.
pub trait ExclusiveNest<'c, 'v, T: ?Sized> {
    /// Adds the argument to the call's signature.
    fn note_exclusive(&self, call: &mut Call<'_>, name: &'static str, value: &T);
    /// Where a trace writes.
    fn written<'a>(&self, written: &mut Written<'a>, name: &'static str, value: &'a mut T);
    /// The argument as the trace sees it.
    #[expect(clippy::mut_from_ref, reason = "what the call holds is a new copy each time")]
    fn lend(&self, call: &'c Call<'_>, index: usize, name: &'static str, value: &'v mut T) -> &'c mut T;
}

impl<'c, 'v: 'c, T: Nest> ExclusiveNest<'c, 'v, T> for &Arg<&'v mut T> {
    fn note_exclusive(&self, call: &mut Call<'_>, name: &'static str, value: &T) {
        call.note_nest(name, value);
    }
    fn written<'a>(&self, written: &mut Written<'a>, name: &'static str, value: &'a mut T) {
        written.places.push(place(name, value, result::<T>()));
    }
    fn lend(&self, call: &'c Call<'_>, index: usize, name: &'static str, value: &'v mut T) -> &'c mut T {
        if !call.copies() {
            return value;
        }
        let copy = call.symbols(index, value).unwrap_or_else(|| value.map(&mut Tensor::clone));
        let copy: *mut T = call.hold(copy);
        let (own, table) = (place(name, value, result::<T>()), result::<T>());
        // SAFETY: the copy lives as long as the call, which looks at it again when the body has ended.
        unsafe {
            call.exchange(own, Place::at(name, copy.cast(), table));
            &mut *copy
        }
    }
}

impl<'c, 'v: 'c, T: Nest> ExclusiveNest<'c, 'v, [T]> for &Arg<&'v mut [T]> {
    fn note_exclusive(&self, call: &mut Call<'_>, name: &'static str, value: &[T]) {
        call.note_slice(name, value);
    }
    fn written<'a>(&self, written: &mut Written<'a>, name: &'static str, value: &'a mut [T]) {
        let mut items = Box::new(referents::items(value));
        // SAFETY: the list lives in a box as long as the places, and what it leads to is borrowed for their life.
        written.places.push(unsafe { referents::several(name, &raw mut *items) });
        written.slices.push(items);
    }
    fn lend(&self, call: &'c Call<'_>, index: usize, name: &'static str, value: &'v mut [T]) -> &'c mut [T] {
        if !call.copies() {
            return value;
        }
        let again = || value.iter().map(|item| item.map(&mut Tensor::clone)).collect();
        let copy: *mut Vec<T> = call.hold(call.symbols_of_slice(index, value).unwrap_or_else(again));
        // SAFETY: the copy and both lists live as long as the call, which looks at them again when the body has ended.
        unsafe {
            let slice: *mut [T] = (&mut *copy).as_mut_slice();
            let [own, theirs] = [referents::items(value), referents::items(slice)].map(|items| call.hold(items));
            call.exchange(referents::several(name, own), referents::several(name, theirs));
            &mut *slice
        }
    }
}

/// What may be lent by `&mut`; the message for all that may not.
#[diagnostic::on_unimplemented(
    message = "a traced function cannot change a `{Self}` that it borrows",
    label = "the new value of `{Self}` cannot come out of a graph",
    note = "`&mut` lends structures of tensors: derive it, `#[derive(Nest)]`, for a type made of them",
    note = "a module goes by `&`, and its variables are changed through it; a closure goes by value"
)]
pub trait Exclusive {}

/// Everything else is refused where the program is compiled.
pub trait ExclusiveOther<'v, T: ?Sized> {
    /// Nothing.
    fn note_exclusive(&self, call: &mut Call<'_>, name: &'static str, value: &T);
    /// Nothing.
    fn written(&self, written: &mut Written<'_>, name: &'static str, value: &mut T)
    where
        T: Exclusive;
    /// The argument.
    fn lend(&self, call: &Call<'_>, index: usize, name: &'static str, value: &'v mut T) -> &'v mut T;
}

impl<'v, T: ?Sized> ExclusiveOther<'v, T> for Arg<&'v mut T> {
    fn note_exclusive(&self, _: &mut Call<'_>, _: &'static str, _: &T) {}
    fn written(&self, _: &mut Written<'_>, _: &'static str, _: &mut T)
    where
        T: Exclusive,
    {
    }
    fn lend(&self, _: &Call<'_>, _: usize, _: &'static str, value: &'v mut T) -> &'v mut T {
        value
    }
}

/// A `&mut` that the signature hides behind a name of the user's.
#[diagnostic::on_unimplemented(
    message = "a parameter borrows mutably, but its type does not say so",
    label = "this is a `&mut`",
    note = "write the parameter as `name: &mut T`, not by a name for the reference"
)]
pub trait Shown {}

/// References that are no `&mut` by their text.
pub trait ExclusiveHidden<T> {
    /// Refused.
    fn note(&self, call: &mut Call<'_>, name: &'static str, value: &T)
    where
        T: Shown;
    /// The argument.
    fn traced(&self, call: &Call<'_>, index: usize, value: T) -> T;
}

impl<'v, T: ?Sized> ExclusiveHidden<&'v mut T> for &&Arg<&'v mut T> {
    fn note(&self, _: &mut Call<'_>, _: &'static str, _: &&'v mut T)
    where
        &'v mut T: Shown,
    {
    }
    fn traced(&self, _: &Call<'_>, _: usize, value: &'v mut T) -> &'v mut T {
        value
    }
}
