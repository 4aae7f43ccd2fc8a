//! The tiers by which auto-reference finds what a variable of any type leads to: [`Lends`](super::Lends) structures first, what
//! hides it last. Generated code asks `(&..&Probe(&variable)).lent()`.

use super::super::Nest;
use super::super::state_vtable::{Kind, Probe, Table, cloned, compared, opaque};
use super::{Lends, Lent, Parts};
use std::marker::PhantomData;

/// The best tier: structures of tensors behind references.
pub trait LentNest<'a> {
    /// What the variable leads to.
    fn lent(&self) -> Lent<'a>;
}

impl<'a, L: Lends + 'a> LentNest<'a> for &&&&&&Probe<'_, L> {
    fn lent(&self) -> Lent<'a> {
        let mut parts = Parts::new();
        self.0.lend(&mut parts);
        Lent { parts, unknown: None, life: PhantomData }
    }
}

/// References to such structures.
pub trait LentDeep<'a> {
    /// What the variable leads to.
    fn lent(&self) -> Lent<'a>;
}

impl<'a, L: Lends + 'a> LentDeep<'a> for &&&&&Probe<'_, &'a mut L> {
    fn lent(&self) -> Lent<'a> {
        let mut parts = Parts::new();
        (**self.0).lend(&mut parts);
        Lent { parts, unknown: None, life: PhantomData }
    }
}

/// Host values that can be put back, and compared.
pub trait LentCompared<'a> {
    /// What the variable leads to.
    fn lent(&self) -> Lent<'a>;
}

impl<'a, T: Clone + PartialEq> LentCompared<'a> for &&&&Probe<'_, &'a mut T> {
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

impl<'a, T: Clone> LentClone<'a> for &&&Probe<'_, &'a mut T> {
    fn lent(&self) -> Lent<'a> {
        // SAFETY: as for structures.
        let at = unsafe { *std::ptr::from_ref(self.0).cast::<*mut T>() };
        Lent::one(at.cast(), cloned::<T>())
    }
}

/// References to what shows nothing.
pub trait LentHidden<'a> {
    /// What the variable leads to, of which the type alone is known.
    fn lent(&self) -> Lent<'a>;
}

impl<'a, T: ?Sized> LentHidden<'a> for &&Probe<'_, &'a mut T> {
    fn lent(&self) -> Lent<'a> {
        // Nobody looks at the address.
        Lent::one(std::ptr::dangling_mut(), const { &opaque::<T>() })
    }
}

/// Values that lead to nothing: structures of tensors,
pub trait LentOwn {
    /// Nothing.
    fn lent(&self) -> Lent<'static>;
}

impl<T: Nest> LentOwn for &&Probe<'_, T> {
    fn lent(&self) -> Lent<'static> {
        Lent { parts: Parts::new(), unknown: None, life: PhantomData }
    }
}

/// and host values that are compared.
pub trait LentValue {
    /// Nothing.
    fn lent(&self) -> Lent<'static>;
}

impl<T: Clone + PartialEq> LentValue for &Probe<'_, T> {
    fn lent(&self) -> Lent<'static> {
        Lent { parts: Parts::new(), unknown: None, life: PhantomData }
    }
}

/// Everything else.
pub trait LentNothing {
    /// Nothing; but the type is known, which may be one that lends without showing what.
    fn lent(&self) -> Lent<'static>;
}

impl<T> LentNothing for Probe<'_, T> {
    fn lent(&self) -> Lent<'static> {
        let unknown = const { [&Table { kind: Kind::HandedOn, ..opaque::<T>() }, &opaque::<T>()] };
        Lent { parts: Parts::new(), unknown: Some(unknown), life: PhantomData }
    }
}
