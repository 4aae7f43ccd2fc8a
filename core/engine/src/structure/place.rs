//! [`Place`]: a state variable of the user's function, by name and address, with the table of its type.
//! Generated code lists them for each branch and loop; the protocol objects copy, restore and replace through them.

use super::instance::type_id;
use super::state_vtable::{BoxedState, Kind, StateVtable};
use super::{LeafSink, Leaves};
use crate::structure::list::List;
use crate::tensor::Tensor;
use kernels::error::Result;
use std::any::TypeId;
use std::marker::PhantomData;

/// A state variable.
pub struct Place<'a> {
    pub(crate) name: &'static str,
    /// Null where the variable has no value yet.
    at: *mut (),
    table: &'static StateVtable,
    life: PhantomData<&'a mut ()>,
}

/// A place that may be written.
///
/// # Panics
/// If the table is not of the place's type, which generated code sees to.
pub fn place<'a, T: ?Sized>(name: &'static str, at: &'a mut T, table: &'static StateVtable) -> Place<'a> {
    assert!((table.id)() == type_id::<T>(), "`{name}` is a {}, its table of {table:?}", std::any::type_name::<T>());
    Place { name, at: std::ptr::from_mut(at).cast(), table, life: PhantomData }
}

/// A place that is only looked at, in a list that is not `&mut`.
pub fn place_ref<'a, T: ?Sized>(name: &'static str, at: &'a T, table: &'static StateVtable) -> Place<'a> {
    assert!((table.id)() == type_id::<T>(), "`{name}` is a {}, its table of {table:?}", std::any::type_name::<T>());
    Place { name, at: std::ptr::from_ref(at).cast_mut().cast(), table, life: PhantomData }
}

/// A variable that has no value here: it is assigned later, before it is read.
pub fn unset<'a>(name: &'static str, table: &'static StateVtable) -> Place<'a> {
    Place { name, at: std::ptr::null_mut(), table, life: PhantomData }
}

#[allow(dead_code, reason = "graphs use what eager functions do not")]
impl Place<'_> {
    /// The same place, for as long as it is not used otherwise.
    pub(crate) fn reborrow(&mut self) -> Place<'_> {
        Place { name: self.name, at: self.at, table: self.table, life: PhantomData }
    }

    /// The table of the variable's type.
    pub(crate) fn table(&self) -> &'static StateVtable {
        self.table
    }

    /// Whether a table is of the variable's type.
    pub(crate) fn is_of(&self, table: &'static StateVtable) -> bool {
        (self.table.id)() == (table.id)()
    }

    /// A place known by its address.
    ///
    /// # Safety
    /// A value of the table's type is there; nobody uses it while the place is used, and it is not gone before.
    pub(crate) unsafe fn at(name: &'static str, at: *mut (), table: &'static StateVtable) -> Self {
        Self { name, at, table, life: PhantomData }
    }

    /// The same place for as long as the caller knows it to be there.
    ///
    /// # Safety
    /// As for [`at`](Self::at).
    pub(crate) unsafe fn forever(self) -> Place<'static> {
        Place { name: self.name, at: self.at, table: self.table, life: PhantomData }
    }

    /// Puts a copy of a kept value there, with other tensors in it.
    pub(crate) fn put_copy(&mut self, kept: &BoxedState, with: &mut dyn FnMut(&Tensor) -> Tensor) {
        if let (Some(map), true) = (self.table.map, self.is_set()) {
            // SAFETY: as below; the copy is of the place's type.
            unsafe { (self.table.put)(self.at, map(kept.value.as_ptr(), with)) }
        }
    }

    /// Whether the variable has a value here.
    pub(crate) fn is_set(&self) -> bool {
        !self.at.is_null()
    }

    /// What tells the variable's type from others.
    pub(crate) fn type_id(&self) -> TypeId {
        (self.table.id)()
    }

    /// Whether it is a `Vec` of tensors that may become a list of the graph.
    pub(crate) fn is_list(&self) -> bool {
        self.table.is_of::<List<Tensor>>()
    }

    pub(crate) fn kind(&self) -> Kind {
        self.table.kind
    }

    /// The type as the user knows it.
    pub(crate) fn type_name(&self) -> String {
        (self.table.type_name)().replace(std::any::type_name::<List<()>>().trim_end_matches("<()>"), "Vec")
    }

    /// Makes a list that is not one of the graph yet a value of the graph, with its items or placeholders; others stay.
    pub(crate) fn stage(&mut self, values: bool) -> Result<bool> {
        match self.table.stage.filter(|_| self.is_set()) {
            // SAFETY: the address of a value of the table's type, borrowed exclusively: lists of shared places are not `&mut`.
            Some(stage) => unsafe { stage(self.at, values) },
            None => Ok(false),
        }
    }

    /// Tells the leaves of a structure of tensors; others have none.
    pub(crate) fn visit(&self, sink: &mut dyn LeafSink) {
        if let (Some(visit), true) = (self.table.visit, self.is_set()) {
            // SAFETY: the address of a value of the table's type, borrowed for this place's life.
            unsafe { visit(self.at, &mut Leaves::new(sink)) }
        }
    }

    /// Puts other tensors into a structure of tensors; others stay.
    pub(crate) fn replace(&mut self, with: &mut dyn FnMut(&Tensor) -> Tensor) {
        if let (Some(map), true) = (self.table.map, self.is_set()) {
            // SAFETY: as above, and borrowed exclusively: lists of shared places are not `&mut`.
            unsafe { (self.table.put)(self.at, map(self.at, with)) }
        }
    }

    /// A copy of the value, of types that can be copied. It must not outlive the function it is of.
    pub(crate) fn keep(&self) -> Option<BoxedState> {
        let clone = self.table.clone.filter(|_| self.is_set())?;
        // SAFETY: as above.
        Some(unsafe { clone(self.at) })
    }

    /// A copy of the value, if it has one and the place's table is that of `T`.
    pub(crate) fn copy<T>(&self) -> Option<T> {
        let kept = self.keep().filter(|_| self.table.is_of::<T>())?;
        // SAFETY: the copy was made by the table of `T`.
        Some(unsafe { kept.take::<T>() })
    }

    /// Puts a copy back, which stays as it is.
    pub(crate) fn restore(&mut self, kept: &BoxedState) {
        if let (Some(clone), true) = (self.table.clone, self.is_set()) {
            // SAFETY: as above; a copy is of the place's type.
            unsafe { (self.table.put)(self.at, clone(kept.value.as_ptr())) }
        }
    }

    /// Where the value leads to, of mutable references and structures of such.
    pub(crate) fn leads(&self) -> Option<Vec<*mut ()>> {
        let leads = self.table.leads.filter(|_| self.is_set())?;
        // SAFETY: as above.
        Some(unsafe { leads(self.at) })
    }

    /// Whether the value equals a copy, of types that can be compared.
    pub(crate) fn equals(&self, kept: &BoxedState) -> Option<bool> {
        let equal = self.table.equal.filter(|_| self.is_set())?;
        // SAFETY: as above; a copy is of the place's type.
        Some(unsafe { equal(self.at, kept.value.as_ptr()) })
    }
}

impl std::fmt::Debug for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Place({}: {})", self.name, self.type_name())
    }
}
