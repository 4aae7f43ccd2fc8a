//! Copies of variables that a branch moves away and another one still needs: made only while a function is traced,
//! because only then both branches run.

use super::Nest;
use crate::tensor::Tensor;

/// Asks for a copy of a value.
pub struct Save<'a, T>(pub &'a T);

/// A copy, or the reason why there is none.
pub struct Saved<T> {
    value: Option<T>,
    name: &'static str,
}

/// Structures of tensors: other structures with the same tensors.
pub trait SaveNest<T> {
    /// A copy, if one is needed.
    fn save(&self, name: &'static str, needed: bool) -> Saved<T>;
}

impl<T: Nest> SaveNest<T> for &&Save<'_, T> {
    fn save(&self, name: &'static str, needed: bool) -> Saved<T> {
        Saved { value: needed.then(|| self.0.map(&mut Tensor::clone)), name }
    }
}

/// Mutable references, which Rust lends again where it does not move them.
pub trait SaveReference<T> {
    /// The same reference.
    fn save(&self, name: &'static str, needed: bool) -> Saved<T>;
}

impl<'r, T: ?Sized> SaveReference<&'r mut T> for &&Save<'_, &'r mut T> {
    fn save(&self, name: &'static str, needed: bool) -> Saved<&'r mut T> {
        // SAFETY: of the two references one is used at a time: what is saved takes the place of the one that a branch has had,
        // which is gone by then, moved or overwritten.
        Saved { value: needed.then(|| unsafe { std::ptr::read(self.0) }), name }
    }
}

/// Values that can be copied.
pub trait SaveClone<T> {
    /// A copy, if one is needed.
    fn save(&self, name: &'static str, needed: bool) -> Saved<T>;
}

impl<T: Clone> SaveClone<T> for &Save<'_, T> {
    fn save(&self, name: &'static str, needed: bool) -> Saved<T> {
        Saved { value: needed.then(|| self.0.clone()), name }
    }
}

/// Values that cannot.
pub trait SaveNothing<T> {
    /// Nothing.
    fn save(&self, name: &'static str, needed: bool) -> Saved<T>;
}

impl<T> SaveNothing<T> for Save<'_, T> {
    fn save(&self, name: &'static str, _: bool) -> Saved<T> {
        Saved { value: None, name }
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
            None => crate::error::OrFail::or_fail(Err(not_copied::<T>(self.name))),
        }
    }
}

impl<T> Saved<T> {
    /// The copy, if there is one, in the place of a value that may have changed and is still there.
    pub fn restore_to(self, place: &mut T) {
        if let Some(value) = self.value {
            *place = value;
        }
    }
}

#[cold]
fn not_copied<T>(name: &str) -> crate::Error {
    let ty = std::any::type_name::<T>();
    let help = match ty.ends_with("::GradientTape") {
        true => {
            "make it with `GradientTape::persistent()`, whose `gradient` borrows it, or ask it once behind the branch"
        }
        false => "implement `Clone` for it, or pass it by reference",
    };
    let reason = "a branch of the graph moves a value that the other one needs, and its type cannot be copied";
    crate::Error::failed_precondition("tf_function", reason).variable(name).got(ty).help(help)
}
