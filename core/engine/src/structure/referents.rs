//! [`Referents`]: what a variable leads to if its type turns out to be a mutable reference, or a structure of such: state that
//! the text does not show. Generated code asks for it where a branch or loop may change something through a variable.

use super::instance::type_id;
use super::place::unset;
use super::state_vtable::{BoxedState, Kind, StateVtable, result};
use super::{Leaves, Nest, Place};
use crate::tensor::Tensor;
use smallvec::SmallVec;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::marker::PhantomData;
use std::ptr::NonNull;

pub mod tiers;

/// Values behind mutable references, which stay borrowed for `'a`; none behind a variable of any other kind.
pub struct Referents<'a> {
    parts: Parts,
    /// The tables of a variable that hides what it leads to: one that is handed on, and one that is changed.
    unknown: Option<[&'static StateVtable; 2]>,
    life: PhantomData<&'a ()>,
}

/// The values.
pub type Parts = SmallVec<[Part; 1]>;

/// A value, or a copy of one.
pub struct Part {
    at: *mut (),
    table: &'static StateVtable,
    /// The copy.
    own: Option<BoxedState>,
}

impl Referents<'_> {
    fn one(at: *mut (), table: &'static StateVtable) -> Self {
        Self { parts: Parts::from_buf([Part { at, table, own: None }]), unknown: None, life: PhantomData }
    }

    /// As [`place`](Self::place), of a variable that is changed: where its type does not tell what that changes, it is known
    /// to hide it.
    pub fn changed(&self, name: &'static str) -> Place<'_> {
        match self.unknown {
            // SAFETY: nobody looks at the address of a value of such a type.
            Some([_, changed]) => unsafe { Place::at(name, NonNull::dangling().as_ptr(), changed) },
            None => self.place(name),
        }
    }

    /// What is lent, as state.
    pub fn place(&self, name: &'static str) -> Place<'_> {
        match self.parts.as_slice() {
            [] => match self.unknown {
                // SAFETY: as above.
                Some([handed_on, _]) => unsafe { Place::at(name, NonNull::dangling().as_ptr(), handed_on) },
                None => unset(name, result::<()>()),
            },
            // SAFETY: the value is borrowed exclusively for as long as this lives, by a variable that nobody uses while a
            // protocol object works; of a type that is left alone nobody looks at the address.
            [part] => unsafe { Place::at(name, part.at, part.table) },
            // SAFETY: as above, and the list of them is this one's own.
            _ => unsafe { several(name, std::ptr::from_ref(&self.parts).cast_mut()) },
        }
    }
}

/// A place that may be a part of what others lend, of which only they are state then.
pub fn unless<'a>(place: Place<'a>, others: &[&Referents<'_>]) -> Place<'a> {
    let lends = |lent: &&Referents<'_>| !lent.parts.is_empty();
    match others.iter().any(lends) {
        true => unset(place.name, place.table()),
        false => place,
    }
}

/// Several values as one place.
///
/// # Safety
/// The list is there as long as the place is used, and so are the values, which nobody else uses meanwhile.
pub(crate) unsafe fn several<'a>(name: &'static str, parts: *mut Parts) -> Place<'a> {
    // SAFETY: by the caller's promise; the table is that of such lists.
    unsafe { Place::at(name, parts.cast(), &SEVERAL) }
}

/// The items of a slice.
pub(crate) fn items<T: Nest>(slice: *mut [T]) -> Parts {
    let item = |i| Part { at: slice.cast::<T>().wrapping_add(i).cast(), table: result::<T>(), own: None };
    (0..slice.len()).map(item).collect()
}

/// Several values as one.
static SEVERAL: StateVtable = StateVtable {
    kind: Kind::Nest,
    type_name: std::any::type_name::<&mut [Tensor]>,
    id: type_id::<Parts>,
    visit: Some(visit),
    map: Some(map),
    map_to: None,
    clone: Some(copy),
    equal: None,
    leads: None,
    put,
    stage: Some(stage),
    failed: None,
};

/// # Safety
/// The address of `Parts` whose values are there; so it is for all that follow.
unsafe fn visit(at: *const (), leaves: &mut Leaves<'_>) {
    // SAFETY: by the caller's promise.
    let parts = unsafe { &*at.cast::<Parts>() };
    for (i, part) in parts.iter().enumerate() {
        if let Some(visit) = part.table.visit {
            // SAFETY: a value of the table's type, as the caller promises.
            leaves.part(i, |leaves| unsafe { visit(part.at, leaves) });
        }
    }
}

/// # Safety
/// As for [`visit`].
unsafe fn map(at: *const (), with: &mut dyn FnMut(&Tensor) -> Tensor) -> BoxedState {
    // SAFETY: by the caller's promise.
    let parts = unsafe { &*at.cast::<Parts>() };
    // SAFETY: a value of the table's type, as the caller promises.
    let copy = |part: &Part| part.table.map.map(|map| part.of(unsafe { map(part.at, with) }));
    BoxedState::new::<Parts>(parts.iter().filter_map(copy).collect())
}

/// # Safety
/// As for [`visit`].
unsafe fn copy(at: *const ()) -> BoxedState {
    // SAFETY: by the caller's promise.
    unsafe { map(at, &mut Tensor::clone) }
}

/// # Safety
/// As for [`visit`], and nobody else uses the values; the copy is of as many.
unsafe fn put(at: *mut (), value: BoxedState) {
    // SAFETY: by the caller's promise; copies are made above.
    let (parts, copies) = unsafe { (&*at.cast::<Parts>(), value.take::<Parts>()) };
    for (part, copy) in parts.iter().zip(copies) {
        // SAFETY: a copy of the value, so it is of the table's type.
        copy.own.into_iter().for_each(|own| unsafe { (part.table.put)(part.at, own) });
    }
}

/// # Safety
/// As for [`put`].
unsafe fn stage(at: *mut (), values: bool) -> crate::Result<bool> {
    // SAFETY: by the caller's promise.
    let parts = unsafe { &*at.cast::<Parts>() };
    parts.iter().try_fold(false, |changed, part| match part.table.stage {
        // SAFETY: a value of the table's type, as the caller promises.
        Some(stage) => Ok(unsafe { stage(part.at, values) }? || changed),
        None => Ok(changed),
    })
}

impl Part {
    fn of(&self, copy: BoxedState) -> Self {
        Self { at: copy.address(), table: self.table, own: Some(copy) }
    }
}

/// Mutable references to structures of tensors, and structures of such. Which of the references there are must not change
/// while a branch or loop works.
pub trait Lends {
    /// Adds what is behind them.
    fn lend(&self, parts: &mut Parts);
}

impl<T: Nest> Lends for &mut T {
    fn lend(&self, parts: &mut Parts) {
        // SAFETY: a reference is an address; it is read as it is, so that nothing lays claim to what it leads to.
        let at = unsafe { *std::ptr::from_ref(self).cast::<*mut T>() };
        parts.push(Part { at: at.cast(), table: result::<T>(), own: None });
    }
}

impl<T: Nest> Lends for &mut [T] {
    fn lend(&self, parts: &mut Parts) {
        // SAFETY: as above.
        parts.extend(items(unsafe { *std::ptr::from_ref(self).cast::<*mut [T]>() }));
    }
}

/// Structures lend what their parts do.
macro_rules! structures {
    ($([$($bounds:tt)*] $t:ty => |$this:ident| $parts:expr;)+) => {$(
        impl<$($bounds)*> Lends for $t {
            fn lend(&self, parts: &mut Parts) {
                let $this = self;
                $parts.into_iter().for_each(|part| part.lend(parts));
            }
        }
    )+};
}

structures! {
    [L: Lends] Option<L> => |this| this;
    [L: Lends, E] Result<L, E> => |this| this;
    [L: Lends + ?Sized] Box<L> => |this| [&**this];
    [L: Lends] [L] => |this| this;
    [L: Lends] Vec<L> => |this| this;
    [L: Lends] VecDeque<L> => |this| this;
    [L: Lends, const N: usize] [L; N] => |this| this;
    [K, L: Lends] BTreeMap<K, L> => |this| this.values();
    [K, L: Lends, S] HashMap<K, L, S> => |this| this.values();
}

macro_rules! tuples {
    ($(($($name:ident $index:tt),+)),+) => {$(
        impl<$($name: Lends),+> Lends for ($($name,)+) {
            fn lend(&self, parts: &mut Parts) {
                $(self.$index.lend(parts);)+
            }
        }
    )+};
}
tuples!((A 0), (A 0, B 1), (A 0, B 1, C 2), (A 0, B 1, C 2, D 3));

/// What stands beside references in structures, and lends nothing.
macro_rules! nothing {
    ($($t:ty),*) => {$(
        impl Lends for $t {
            fn lend(&self, _: &mut Parts) {}
        }
    )*};
}
nothing!((), bool, char, f32, f64, u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, String, Tensor);

impl<T: ?Sized> Lends for &T {
    fn lend(&self, _: &mut Parts) {}
}

/// Where all references of a structure lead to, in order.
pub(crate) fn addresses<L: Lends>(of: &L) -> Vec<*mut ()> {
    let mut parts = Parts::new();
    of.lend(&mut parts);
    parts.iter().map(|part| part.at).collect()
}
