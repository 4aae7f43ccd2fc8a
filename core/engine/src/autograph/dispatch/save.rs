//! Copies of variables that a branch moves away and another one still needs: made only while a function is traced,
//! because only then both branches run.

use crate::autograph::opaque_state;
use crate::structure::Nest;
use crate::structure::instance::type_id;
use crate::structure::referents::{Lends, addresses};
use crate::tensor::Tensor;
use kernels::error::{Error, OrFail};
use std::panic::Location;

/// Asks for a copy of a value.
pub struct Save<'a, T>(pub &'a T);

/// A copy, or the reason why there is none.
pub struct Saved<T> {
    value: Option<T>,
    name: &'static str,
    /// Where it leads to, of references that cannot be copied.
    leads: Option<Leads<T>>,
}

type Leads<T> = (Vec<*mut ()>, fn(&T) -> Vec<*mut ()>);

/// Structures of tensors: other structures with the same tensors.
pub trait SaveNest<T> {
    /// A copy, if one is needed.
    fn save(&self, name: &'static str, needed: bool) -> Saved<T>;
}

impl<T: Nest> SaveNest<T> for &&&Save<'_, T> {
    fn save(&self, name: &'static str, needed: bool) -> Saved<T> {
        Saved { value: needed.then(|| self.0.map(&mut Tensor::clone)), name, leads: None }
    }
}

/// Mutable references, which Rust lends again where it does not move them.
pub trait SaveReference<T> {
    /// The same reference.
    fn save(&self, name: &'static str, needed: bool) -> Saved<T>;
}

impl<'r, T: ?Sized> SaveReference<&'r mut T> for &&&Save<'_, &'r mut T> {
    fn save(&self, name: &'static str, needed: bool) -> Saved<&'r mut T> {
        // SAFETY: of the two references one is used at a time: what is saved takes the place of the one that a branch has had,
        // which is gone by then, moved or overwritten.
        Saved { value: needed.then(|| unsafe { std::ptr::read(self.0) }), name, leads: None }
    }
}

/// Values that can be copied.
pub trait SaveClone<T> {
    /// A copy, if one is needed.
    fn save(&self, name: &'static str, needed: bool) -> Saved<T>;
}

impl<T: Clone> SaveClone<T> for &&Save<'_, T> {
    fn save(&self, name: &'static str, needed: bool) -> Saved<T> {
        Saved { value: needed.then(|| self.0.clone()), name, leads: None }
    }
}

/// Structures of mutable references, which stay where they are.
pub trait SaveLends<T> {
    /// Where they lead to.
    fn save(&self, name: &'static str, needed: bool) -> Saved<T>;
}

impl<T: Lends> SaveLends<T> for &Save<'_, T> {
    fn save(&self, name: &'static str, needed: bool) -> Saved<T> {
        Saved { value: None, name, leads: needed.then(|| (addresses(self.0), addresses::<T> as fn(&T) -> _)) }
    }
}

/// Values that cannot.
pub trait SaveNothing<T> {
    /// Nothing.
    fn save(&self, name: &'static str, needed: bool) -> Saved<T>;
}

impl<T> SaveNothing<T> for Save<'_, T> {
    fn save(&self, name: &'static str, _: bool) -> Saved<T> {
        Saved { value: None, name, leads: None }
    }
}

impl<T> Saved<T> {
    /// The copy.
    ///
    /// # Panics
    /// If the value could not be copied.
    #[track_caller]
    pub fn restore(self) -> T {
        match self.value {
            Some(value) => value,
            None => Err(not_copied::<T>(self.name)).or_fail(),
        }
    }
}

impl<T> Saved<T> {
    /// The copy in the place of a value that may have changed and is still there; `staged` if another branch needs it.
    ///
    /// # Panics
    /// If the value could not be copied, and may have changed.
    #[track_caller]
    pub fn restore_to(self, place: &mut T, staged: bool) {
        match (self.value, self.leads) {
            (Some(value), _) => *place = value,
            (None, Some((before, leads))) if staged && leads(place) != before => {
                let ty = std::any::type_name::<T>();
                Err(opaque_state::leads_elsewhere("if", self.name, ty, Location::caller())).or_fail()
            }
            (None, None) if staged && !opaque_state::is_tape(type_id::<T>()) => Err(not_kept::<T>(self.name)).or_fail(),
            _ => {}
        }
    }
}

#[cold]
fn not_copied<T>(name: &str) -> Error {
    let ty = std::any::type_name::<T>();
    let help = match ty.ends_with("::GradientTape") {
        true => {
            "make it with `GradientTape::persistent()`, whose `gradient` borrows it, or ask it once behind the branch"
        }
        false => "implement `Clone` for it, or pass it by reference",
    };
    let reason = "a branch of the graph moves a value that the other one needs, and its type cannot be copied";
    Error::failed_precondition("tf_function", reason).variable(name).got(ty).help(help)
}

#[cold]
fn not_kept<T>(name: &str) -> Error {
    let reason = "a branch of the graph may change a value that the other one uses, and its type cannot be copied";
    Error::failed_precondition("if", reason)
        .variable(name)
        .got(std::any::type_name::<T>())
        .expected("a value that both branches find as it was: both are recorded")
        .help(format!(
            "derive `Nest` for it if it is a structure of tensors, or `Clone`; if nothing changes there, put `let {name} = \
             &{name};` in front of the `if`"
        ))
}
