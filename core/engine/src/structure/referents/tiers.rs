//! The tiers by which auto-reference finds what a variable of any type leads to: [`Lends`](super::Lends) structures first, what
//! hides it last. Generated code asks `(&..&Probe(&variable)).lent()`.

use super::super::Nest;
use super::super::state_vtable::{Kind, Probe, StateVtable, cloned, compared, opaque};
use super::{Lends, Parts, Referents};
use std::marker::PhantomData;

/// The best tier: structures of tensors behind references.
pub trait ReferentsNest<'a> {
    /// What the variable leads to.
    fn lent(&self) -> Referents<'a>;
}

impl<'a, L: Lends + 'a> ReferentsNest<'a> for &&&&&&Probe<'_, L> {
    fn lent(&self) -> Referents<'a> {
        let mut parts = Parts::new();
        self.0.lend(&mut parts);
        Referents { parts, unknown: None, life: PhantomData }
    }
}

/// References to such structures.
pub trait ReferentsDeep<'a> {
    /// What the variable leads to.
    fn lent(&self) -> Referents<'a>;
}

impl<'a, L: Lends + 'a> ReferentsDeep<'a> for &&&&&Probe<'_, &'a mut L> {
    fn lent(&self) -> Referents<'a> {
        let mut parts = Parts::new();
        (**self.0).lend(&mut parts);
        Referents { parts, unknown: None, life: PhantomData }
    }
}

/// Host values that can be put back, and compared.
pub trait ReferentsCompared<'a> {
    /// What the variable leads to.
    fn lent(&self) -> Referents<'a>;
}

impl<'a, T: Clone + PartialEq> ReferentsCompared<'a> for &&&&Probe<'_, &'a mut T> {
    fn lent(&self) -> Referents<'a> {
        // SAFETY: as for structures.
        let at = unsafe { *std::ptr::from_ref(self.0).cast::<*mut T>() };
        Referents::one(at.cast(), compared::<T>())
    }
}

/// Host values that can be put back.
pub trait ReferentsClone<'a> {
    /// What the variable leads to.
    fn lent(&self) -> Referents<'a>;
}

impl<'a, T: Clone> ReferentsClone<'a> for &&&Probe<'_, &'a mut T> {
    fn lent(&self) -> Referents<'a> {
        // SAFETY: as for structures.
        let at = unsafe { *std::ptr::from_ref(self.0).cast::<*mut T>() };
        Referents::one(at.cast(), cloned::<T>())
    }
}

/// References to what shows nothing.
pub trait ReferentsHidden<'a> {
    /// What the variable leads to, of which the type alone is known.
    fn lent(&self) -> Referents<'a>;
}

impl<'a, T: ?Sized> ReferentsHidden<'a> for &&Probe<'_, &'a mut T> {
    fn lent(&self) -> Referents<'a> {
        // Nobody looks at the address.
        Referents::one(std::ptr::dangling_mut(), const { &opaque::<T>() })
    }
}

/// Values that lead to nothing: structures of tensors,
pub trait ReferentsOwn {
    /// Nothing.
    fn lent(&self) -> Referents<'static>;
}

impl<T: Nest> ReferentsOwn for &&Probe<'_, T> {
    fn lent(&self) -> Referents<'static> {
        Referents { parts: Parts::new(), unknown: None, life: PhantomData }
    }
}

/// and host values that are compared.
pub trait ReferentsValue {
    /// Nothing.
    fn lent(&self) -> Referents<'static>;
}

impl<T: Clone + PartialEq> ReferentsValue for &Probe<'_, T> {
    fn lent(&self) -> Referents<'static> {
        Referents { parts: Parts::new(), unknown: None, life: PhantomData }
    }
}

/// Everything else.
pub trait ReferentsNothing {
    /// Nothing; but the type is known, which may be one that lends without showing what.
    fn lent(&self) -> Referents<'static>;
}

impl<T> ReferentsNothing for Probe<'_, T> {
    fn lent(&self) -> Referents<'static> {
        let unknown = const { [&StateVtable { kind: Kind::HandedOn, ..opaque::<T>() }, &opaque::<T>()] };
        Referents { parts: Parts::new(), unknown: Some(unknown), life: PhantomData }
    }
}
