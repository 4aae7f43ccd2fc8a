//! [`Lent`]: what a variable leads to if its type turns out to be a mutable reference, or a structure of such: state that
//! the text does not show. Generated code asks for it where a branch or loop may change something through a variable.

use super::instance::type_id;
use super::place::unset;
use super::table::{Kept, Kind, Probe, Table, cloned, compared, opaque, result};
use super::{Leaves, Nest, Place};
use crate::tensor::Tensor;
use smallvec::SmallVec;
use std::marker::PhantomData;

/// Values behind mutable references, which stay borrowed for `'a`; none behind a variable of any other kind.
pub struct Lent<'a> {
    parts: Parts,
    life: PhantomData<&'a ()>,
}

/// The values.
pub type Parts = SmallVec<[Part; 1]>;

/// A value, or a copy of one.
pub struct Part {
    at: *mut (),
    table: &'static Table,
    /// The copy.
    own: Option<Kept>,
}

impl Lent<'_> {
    fn one(at: *mut (), table: &'static Table) -> Self {
        Self { parts: Parts::from_buf([Part { at, table, own: None }]), life: PhantomData }
    }

    /// What is lent, as state.
    pub fn place(&self, name: &'static str) -> Place<'_> {
        match self.parts.as_slice() {
            [] => unset(name, result::<()>()),
            // SAFETY: the value is borrowed exclusively for as long as this lives, by a variable that nobody uses while a
            // protocol object works.
            [part] => unsafe { Place::at(name, part.at, part.table) },
            // SAFETY: as above, and the list of them is this one's own.
            _ => unsafe { several(name, std::ptr::from_ref(&self.parts).cast_mut()) },
        }
    }
}

/// Several values as one place.
///
/// # Safety
/// The list is there as long as the place is used, and so are the values, which nobody else uses meanwhile.
pub(super) unsafe fn several<'a>(name: &'static str, parts: *mut Parts) -> Place<'a> {
    // SAFETY: by the caller's promise; the table is that of such lists.
    unsafe { Place::at(name, parts.cast(), &SEVERAL) }
}

/// The items of a slice.
pub(super) fn items<T: Nest>(slice: *mut [T]) -> Parts {
    let item = |i| Part { at: slice.cast::<T>().wrapping_add(i).cast(), table: result::<T>(), own: None };
    (0..slice.len()).map(item).collect()
}

/// Several values as one.
static SEVERAL: Table = Table {
    kind: Kind::Nest,
    type_name: std::any::type_name::<&mut [Tensor]>,
    id: type_id::<Parts>,
    visit: Some(visit),
    map: Some(map),
    map_to: None,
    clone: Some(copy),
    equal: None,
    put,
    stage: Some(stage),
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
unsafe fn map(at: *const (), with: &mut dyn FnMut(&Tensor) -> Tensor) -> Kept {
    // SAFETY: by the caller's promise.
    let parts = unsafe { &*at.cast::<Parts>() };
    // SAFETY: a value of the table's type, as the caller promises.
    let copy = |part: &Part| part.table.map.map(|map| part.of(unsafe { map(part.at, with) }));
    Kept::new::<Parts>(parts.iter().filter_map(copy).collect())
}

/// # Safety
/// As for [`visit`].
unsafe fn copy(at: *const ()) -> Kept {
    // SAFETY: by the caller's promise.
    unsafe { map(at, &mut Tensor::clone) }
}

/// # Safety
/// As for [`visit`], and nobody else uses the values; the copy is of as many.
unsafe fn put(at: *mut (), value: Kept) {
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
    fn of(&self, copy: Kept) -> Self {
        Self { at: copy.address(), table: self.table, own: Some(copy) }
    }
}

/// Mutable references to structures of tensors, and structures of such.
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

impl<L: Lends> Lends for Option<L> {
    fn lend(&self, parts: &mut Parts) {
        self.iter().for_each(|lent| lent.lend(parts));
    }
}

impl<L: Lends> Lends for Vec<L> {
    fn lend(&self, parts: &mut Parts) {
        self.iter().for_each(|lent| lent.lend(parts));
    }
}

impl<L: Lends, const N: usize> Lends for [L; N] {
    fn lend(&self, parts: &mut Parts) {
        self.iter().for_each(|lent| lent.lend(parts));
    }
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
tuples!((A 0, B 1), (A 0, B 1, C 2));

/// The best tier: structures of tensors behind references.
pub trait LentNest<'a> {
    /// What the variable leads to.
    fn lent(&self) -> Lent<'a>;
}

impl<'a, L: Lends + 'a> LentNest<'a> for &&&Probe<'_, L> {
    fn lent(&self) -> Lent<'a> {
        let mut parts = Parts::new();
        self.0.lend(&mut parts);
        Lent { parts, life: PhantomData }
    }
}

/// Host values that can be put back, and compared.
pub trait LentCompared<'a> {
    /// What the variable leads to.
    fn lent(&self) -> Lent<'a>;
}

impl<'a, T: Clone + PartialEq> LentCompared<'a> for &&Probe<'_, &'a mut T> {
    fn lent(&self) -> Lent<'a> {
        // SAFETY: as for structures.
        let at = unsafe { *std::ptr::from_ref(self.0).cast::<*mut T>() };
        Lent::one(at.cast(), compared::<T>())
    }
}

/// Host values that can be put back.
pub trait LentClone<'a> {
    /// What the variable leads to.
    fn lent(&self) -> Lent<'a>;
}

impl<'a, T: Clone> LentClone<'a> for &Probe<'_, &'a mut T> {
    fn lent(&self) -> Lent<'a> {
        // SAFETY: as for structures.
        let at = unsafe { *std::ptr::from_ref(self.0).cast::<*mut T>() };
        Lent::one(at.cast(), cloned::<T>())
    }
}

/// Everything else.
pub trait LentNothing {
    /// Nothing; but the type is known, which may be one that lends without showing what.
    fn lent(&self) -> Lent<'static>;
}

impl<T> LentNothing for Probe<'_, T> {
    fn lent(&self) -> Lent<'static> {
        // Nobody looks at the address: values of such a type are left alone, and this one may be moved.
        Lent::one(std::ptr::dangling_mut::<T>().cast(), const { &opaque::<T>() })
    }
}
