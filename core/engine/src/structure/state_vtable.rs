//! [`StateVtable`]: what a trace does with the state variables of a type, found by auto-reference because state may be of any
//! type: structures of tensors are staged, comparable host values are compared and put back, of others no branch may change any.

mod kept;
mod of;

pub(crate) use kept::BoxedState;

use super::instance::type_id;
use super::referents::Lends;
use super::{Leaves, Nest};
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay, Result};
use std::any::{TypeId, type_name};
use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// How much is known of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A structure of tensors and host values.
    Nest,
    /// A host value that can be copied and compared.
    Compared,
    /// A host value that can be copied.
    Cloned,
    /// Mutable references, and structures of such, which must lead to the same places on all ways.
    References,
    /// Anything else.
    Opaque,
    /// What lends something that may change, and does not show it.
    Lending,
    /// What a branch or loop hands on, and is no reference as far as its type tells.
    HandedOn,
}

/// The functions of one type, on addresses of its values.
pub struct StateVtable {
    pub(crate) kind: Kind,
    pub(crate) type_name: fn() -> &'static str,
    pub(crate) id: fn() -> TypeId,
    pub(crate) visit: Option<unsafe fn(*const (), &mut Leaves<'_>)>,
    pub(crate) map: Option<Map>,
    /// The same into a place without a value.
    pub(crate) map_to: Option<MapTo>,
    pub(crate) clone: Option<unsafe fn(*const ()) -> BoxedState>,
    pub(crate) equal: Option<unsafe fn(*const (), *const ()) -> bool>,
    /// Where references lead to.
    pub(crate) leads: Option<unsafe fn(*const ()) -> Vec<*mut ()>>,
    pub(crate) put: unsafe fn(*mut (), BoxedState),
    pub(crate) stage: Option<Stage>,
    /// Puts the value that gives an error back into a place without a value.
    pub(crate) failed: Option<unsafe fn(Error, *mut ()) -> Result<()>>,
}

type Stage = unsafe fn(*mut (), bool) -> Result<bool>;

type Map = unsafe fn(*const (), &mut dyn FnMut(&Tensor) -> Tensor) -> BoxedState;
type MapTo = unsafe fn(*const (), &mut dyn FnMut(&Tensor) -> Tensor, *mut ());

impl std::fmt::Debug for StateVtable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StateVtable({:?} {})", self.kind, (self.type_name)())
    }
}

impl StateVtable {
    /// Whether it is the table of `T`.
    pub(crate) fn is_of<T>(&self) -> bool {
        (self.id)() == type_id::<T>()
    }

    /// A copy of a structure with other tensors in it, if the table is that of `T`.
    pub(crate) fn copy_as<T>(&self, kept: &BoxedState, with: &mut dyn FnMut(&Tensor) -> Tensor) -> Option<T> {
        let map = self.map_to.filter(|_| self.is_of::<T>())?;
        let mut copy = MaybeUninit::<T>::uninit();
        // SAFETY: a copy that this table made; the types are the same, and the function fills the place.
        unsafe {
            map(kept.value.as_ptr(), with, copy.as_mut_ptr().cast());
            Some(copy.assume_init())
        }
    }
}

thread_local! {
    /// Whether calls of traced functions answer all errors that their results can hold.
    static GIVEN_BACK: Cell<bool> = const { Cell::new(false) };
}

/// Runs `body`, in which calls of traced functions that answer a `Result` give back every error of their graphs in it; elsewhere only
/// those that the function returns, and the others are panics. The library's own loops promise to answer errors.
pub fn errors_given_back<R>(body: impl FnOnce() -> R) -> R {
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            GIVEN_BACK.set(self.0);
        }
    }
    let _back = Back(GIVEN_BACK.replace(true));
    body()
}

impl StateVtable {
    /// The value of a call that has failed with an error which the function has returned: `Err(error)`, if the table is that
    /// of such a `T`.
    ///
    /// # Errors
    /// All other errors.
    pub(crate) fn given_back<T>(&self, error: Error) -> Result<T> {
        let wanted = error.is_returned() || GIVEN_BACK.get();
        let (Some(failed), true) = (self.failed, wanted && self.is_of::<T>()) else { return Err(error) };
        let mut value = MaybeUninit::<T>::uninit();
        // SAFETY: the types are the same, and the function fills the place unless it fails.
        unsafe {
            failed(error.given_back(), value.as_mut_ptr().cast())?;
            Ok(value.assume_init())
        }
    }
}

/// Asks for the table of a value's type.
pub struct Probe<'a, T: ?Sized>(pub &'a T);

/// Stands for a value that is not there yet, to tell its type.
pub struct Slot<T>(PhantomData<fn() -> T>);

impl<T> Slot<T> {
    /// Of a type that other uses decide.
    #[expect(clippy::new_without_default, reason = "generated code alone makes one")]
    pub fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T> Clone for Slot<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Slot<T> {}

/// A table without functions on structures.
const fn host<T>(
    kind: Kind,
    clone: Option<unsafe fn(*const ()) -> BoxedState>,
    equal: Option<unsafe fn(*const (), *const ()) -> bool>,
) -> StateVtable {
    StateVtable {
        kind,
        type_name: type_name::<T>,
        id: type_id::<T>,
        visit: None,
        map: None,
        map_to: None,
        clone,
        equal,
        leads: None,
        put: of::put::<T>,
        stage: None,
        failed: None,
    }
}

/// A table of a type that is left alone.
pub(crate) const fn opaque<T: ?Sized>() -> StateVtable {
    /// # Safety
    /// Never called: values of such a type are not copied.
    unsafe fn nothing(_: *mut (), _: BoxedState) {}
    StateVtable {
        kind: Kind::Opaque,
        type_name: type_name::<T>,
        id: type_id::<T>,
        visit: None,
        map: None,
        map_to: None,
        clone: None,
        equal: None,
        leads: None,
        put: nothing,
        stage: None,
        failed: None,
    }
}

const fn nest<T: Nest>() -> StateVtable {
    StateVtable {
        kind: Kind::Nest,
        type_name: type_name::<T>,
        id: type_id::<T>,
        visit: Some(of::visit::<T>),
        map: Some(of::map::<T>),
        map_to: Some(of::map_to::<T>),
        clone: Some(of::copy::<T>),
        equal: None,
        leads: None,
        put: of::put_nest::<T>,
        stage: Some(of::stage::<T>),
        failed: Some(of::failed::<T>),
    }
}

/// The table of what lends without showing what.
pub(crate) fn lending<T>() -> &'static StateVtable {
    const { &StateVtable { kind: Kind::Lending, ..opaque::<T>() } }
}

/// The table of references.
const fn references<T: Lends>() -> StateVtable {
    StateVtable {
        kind: Kind::References,
        type_name: type_name::<T>,
        id: type_id::<T>,
        leads: Some(of::leads::<T>),
        ..opaque::<T>()
    }
}

/// The table of a function's result, which is a structure of tensors.
pub fn result<R: Nest>() -> &'static StateVtable {
    const { &nest::<R>() }
}

/// The table of a host value that can be put back, and compared.
pub(crate) fn compared<T: Clone + PartialEq>() -> &'static StateVtable {
    const { &host::<T>(Kind::Compared, Some(of::clone::<T>), Some(of::equal::<T>)) }
}

/// The table of a host value that can be put back.
pub(crate) fn cloned<T: Clone>() -> &'static StateVtable {
    const { &host::<T>(Kind::Cloned, Some(of::clone::<T>), None) }
}

/// Writes one tier: a trait with the table of a type, implemented for a value's probe and for a slot.
macro_rules! tier {
    ($(#[$doc:meta])* $trait:ident<$t:ident $(: $($bound:path),+)?> for $probe:ty, $slot:ty => $table:expr) => {
        $(#[$doc])*
        pub trait $trait {
            /// The table of the type.
            fn table(&self) -> &'static StateVtable;
        }
        impl<$t $(: $($bound +)+)?> $trait for $probe {
            fn table(&self) -> &'static StateVtable {
                const { &$table }
            }
        }
        impl<$t $(: $($bound +)+)?> $trait for $slot {
            fn table(&self) -> &'static StateVtable {
                const { &$table }
            }
        }
    };
}

tier! {
    /// The best tier: structures of tensors.
    StateVtableOfNest<T: Nest> for &&&&&Probe<'_, T>, &&&&&Slot<T> => nest::<T>()
}

/// References, which are the same where they lead to the same place: what is there may be known only to the graph.
pub trait StateVtableOfReference {
    /// The table of the type.
    fn table(&self) -> &'static StateVtable;
}
impl<T: ?Sized> StateVtableOfReference for &&&&Probe<'_, &T> {
    fn table(&self) -> &'static StateVtable {
        const { &host::<&T>(Kind::Compared, Some(of::clone::<&T>), Some(of::same::<T>)) }
    }
}
impl<T: ?Sized> StateVtableOfReference for &&&&Probe<'_, &mut T> {
    fn table(&self) -> &'static StateVtable {
        const { &host::<&mut T>(Kind::Compared, Some(of::again::<T>), Some(of::same::<T>)) }
    }
}
impl<T: ?Sized> StateVtableOfReference for &&&&Slot<&T> {
    fn table(&self) -> &'static StateVtable {
        const { &host::<&T>(Kind::Compared, Some(of::clone::<&T>), Some(of::same::<T>)) }
    }
}

tier! {
    /// Host values that can be put back, and compared between branches.
    StateVtableOfCompared<T: Clone, PartialEq> for &&&Probe<'_, T>, &&&Slot<T> =>
        host::<T>(Kind::Compared, Some(of::clone::<T>), Some(of::equal::<T>))
}
tier! {
    /// Host values that can be put back.
    StateVtableOfClone<T: Clone> for &&Probe<'_, T>, &&Slot<T> => host::<T>(Kind::Cloned, Some(of::clone::<T>), None)
}
tier! {
    /// Structures of mutable references.
    StateVtableOfReferences<T: Lends> for &Probe<'_, T>, &Slot<T> => references::<T>()
}
/// Everything else, slices among it, which have no size.
pub trait StateVtableOfAny {
    /// The table of the type.
    fn table(&self) -> &'static StateVtable;
}
impl<T: ?Sized> StateVtableOfAny for Probe<'_, T> {
    fn table(&self) -> &'static StateVtable {
        const { &opaque::<T>() }
    }
}
impl<T> StateVtableOfAny for Slot<T> {
    fn table(&self) -> &'static StateVtable {
        const { &opaque::<T>() }
    }
}
