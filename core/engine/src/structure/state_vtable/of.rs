//! The functions of a table for one type. All take addresses of values of type `T`, shared or exclusive as their pointers are;
//! [`StateVtable`](super::StateVtable) calls them for the places whose type it is of.

#![allow(clippy::missing_safety_doc, reason = "one contract, above, for all")]

use super::{BoxedState, Leaves, Lends, Nest, Tensor};

pub(crate) unsafe fn visit<T: Nest>(at: *const (), leaves: &mut Leaves<'_>) {
    // SAFETY: by the caller's promise.
    unsafe { &*at.cast::<T>() }.visit(leaves);
}
pub(crate) unsafe fn map<T: Nest>(at: *const (), with: &mut dyn FnMut(&Tensor) -> Tensor) -> BoxedState {
    // SAFETY: by the caller's promise.
    BoxedState::new(unsafe { &*at.cast::<T>() }.map(with))
}
pub(crate) unsafe fn map_to<T: Nest>(at: *const (), with: &mut dyn FnMut(&Tensor) -> Tensor, to: *mut ()) {
    // SAFETY: by the caller's promise.
    unsafe { to.cast::<T>().write((*at.cast::<T>()).map(with)) }
}
pub(crate) unsafe fn copy<T: Nest>(at: *const ()) -> BoxedState {
    // SAFETY: by the caller's promise.
    BoxedState::new(unsafe { &*at.cast::<T>() }.map(&mut Tensor::clone))
}
pub(crate) unsafe fn clone<T: Clone>(at: *const ()) -> BoxedState {
    // SAFETY: by the caller's promise.
    BoxedState::new(unsafe { &*at.cast::<T>() }.clone())
}
pub(crate) unsafe fn equal<T: PartialEq>(a: *const (), b: *const ()) -> bool {
    // SAFETY: by the caller's promise.
    crate::ops::truth::by_identity(|| unsafe { *a.cast::<T>() == *b.cast::<T>() })
}
pub(crate) unsafe fn again<T: ?Sized>(at: *const ()) -> BoxedState {
    // SAFETY: by the caller's promise this is the address of a reference. Of the two that there are now the kept one is not
    // used, but takes the place of what a branch has put there.
    BoxedState::new(unsafe { std::ptr::read(at.cast::<&mut T>()) })
}
pub(crate) unsafe fn same<T: ?Sized>(a: *const (), b: *const ()) -> bool {
    // SAFETY: by the caller's promise these are addresses of references.
    unsafe { std::ptr::eq(*a.cast::<&T>(), *b.cast::<&T>()) }
}
pub(crate) unsafe fn leads<T: Lends>(at: *const ()) -> Vec<*mut ()> {
    // SAFETY: by the caller's promise.
    super::super::referents::addresses(unsafe { &*at.cast::<T>() })
}
pub(crate) unsafe fn stage<T: Nest>(at: *mut (), values: bool) -> crate::Result<bool> {
    // SAFETY: by the caller's promise.
    unsafe { &mut *at.cast::<T>() }.stage(values)
}
pub(crate) unsafe fn failed<T: Nest>(error: crate::Error, to: *mut ()) -> crate::Result<()> {
    let value = T::failed(error)?;
    // SAFETY: by the caller's promise this is the address of a place for a value.
    unsafe { to.cast::<T>().write(value) }
    Ok(())
}
pub(crate) unsafe fn put<T>(at: *mut (), value: BoxedState) {
    // SAFETY: by the caller's promise; the value is of the same type.
    unsafe { *at.cast::<T>() = value.take::<T>() }
}
pub(crate) unsafe fn put_nest<T: Nest>(at: *mut (), value: BoxedState) {
    // SAFETY: as above.
    unsafe {
        let value = value.take::<T>();
        value.replaces(&*at.cast::<T>());
        *at.cast::<T>() = value;
    }
}
