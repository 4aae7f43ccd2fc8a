//! What one deep copy has copied so far, and how variables and what is shared are copied once.
//! [`Duplicate`] hands it along.

use super::Duplicate;
use crate::builder::init_scope;
use crate::module::LazyVariable;
use crate::random::{Generator, SeedGenerator};
use crate::variable::Variable;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

/// What is to be done when all is copied.
type AtTheEnd = Box<dyn FnOnce(&Copies)>;

/// The parts that a deep copy under way has copied already.
#[derive(Default)]
pub struct Copies {
    made: HashMap<(TypeId, u64), Box<dyn Any>>,
    at_the_end: Vec<AtTheEnd>,
}

impl Copies {
    /// Nothing is copied yet.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// The copy of what has this number among all of its type: made by whoever asks first, and the same for all others.
    pub fn shared<T: Clone + 'static>(&mut self, number: u64, make: impl FnOnce(&mut Self) -> T) -> T {
        let key = (TypeId::of::<T>(), number);
        if let Some(copy) = self.made.get(&key).and_then(|copy| copy.downcast_ref::<T>()) {
            return copy.clone();
        }
        let copy = make(self);
        self.made.insert(key, Box::new(copy.clone()));
        copy
    }

    /// The number of a variable's copy by the number of the variable; the same number, if the variable is not copied. All is known
    /// [`at_the_end`](Self::at_the_end) alone.
    pub fn id_of_copy(&self, variable: u64) -> u64 {
        let copy = self.made.get(&(TypeId::of::<Variable>(), variable));
        copy.and_then(|copy| copy.downcast_ref::<Variable>()).map_or(variable, Variable::id)
    }

    /// Does something when all is copied: optimizers find the copies of their variables then.
    pub fn at_the_end(&mut self, then: impl FnOnce(&Self) + 'static) {
        self.at_the_end.push(Box::new(then));
    }

    pub(super) fn finish(mut self) {
        for then in std::mem::take(&mut self.at_the_end) {
            then(&self);
        }
    }
}

impl fmt::Debug for Copies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Copies({})", self.made.len())
    }
}

impl Duplicate for Variable {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        copies.shared(self.id(), |_| init_scope(|| self.copied()))
    }
}

impl Duplicate for LazyVariable {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        copies.shared(self.id(), |copies| self.copied(self.get().map(|variable| variable.duplicate_in(copies))))
    }
}

impl Duplicate for Generator {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        Self::from_variable(&self.as_variable().duplicate_in(copies))
    }
}

impl Duplicate for SeedGenerator {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        Self(self.0.duplicate_in(copies))
    }
}

macro_rules! counted {
    ($($pointer:ident),*) => {$(
        /// One copy for all pointers to a value.
        impl<T: Duplicate + 'static> Duplicate for $pointer<T> {
            fn duplicate_in(&self, copies: &mut Copies) -> Self {
                // With the original, so that no other value comes to lie at its address meanwhile.
                let make = |copies: &mut Copies| (self.clone(), Self::new((**self).duplicate_in(copies)));
                copies.shared::<(Self, Self)>($pointer::as_ptr(self) as usize as u64, make).1
            }
        }
    )*};
}

counted!(Arc, Rc);
