//! Objects that layers are given as options: activations, initializers, regularizers and constraints, the library's and users' own.
//! Layers keep them as [`Shared`]; their options take whatever [`IntoShared`] makes one of.

use kernels::error::{Error, Result};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// An object that was given to a layer, and that its clones share.
///
/// Layers compare such objects by type and `Debug` text, so that a traced function is traced again when one changes: what
/// an object computes with must show in its `Debug` text.
pub struct Shared<T: ?Sized> {
    object: Arc<T>,
    word: u64,
}

impl<T: ?Sized + fmt::Debug> Shared<T> {
    /// An object of a type.
    pub(crate) fn new(object: Arc<T>, type_name: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        type_name.hash(&mut hasher);
        format!("{object:?}").hash(&mut hasher);
        Self { object, word: hasher.finish() }
    }

    /// What stands for the object in a signature.
    pub(crate) fn word(&self) -> u64 {
        self.word
    }
}

impl<T: ?Sized> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self { object: self.object.clone(), word: self.word }
    }
}

impl<T: ?Sized> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.object
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.fmt(f)
    }
}

impl<T: ?Sized> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl<T: ?Sized> engine::Duplicate for Shared<T> {
    fn duplicate_in(&self, _: &mut engine::Copies) -> Self {
        self.clone()
    }
}

/// What an option of a layer takes: an object, such as `activations::Relu::new()`, the name that Keras has for it, such as `"relu"`, or
/// one in a `Box` or `Arc`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be given for this option",
    label = "neither an object of the option's trait nor its name",
    note = "give one of the library's objects, such as `activations::Relu::new()`, its name as text, such as `\"relu\"`, an object of your own that implements the trait, or `from_fn(..)` for a closure"
)]
pub trait IntoShared<T: ?Sized> {
    /// The object.
    ///
    /// # Errors
    /// InvalidArgument for a name that is not known, or an object whose numbers are out of range.
    fn into_shared(self) -> Result<Shared<T>>;
}

impl<T: ?Sized> IntoShared<T> for Shared<T> {
    fn into_shared(self) -> Result<Self> {
        Ok(self)
    }
}

/// Writes what may be given for one of these traits.
macro_rules! shared_objects {
    ($trait:ident, $named:path) => {
        impl<A: $trait + 'static> $crate::shared::IntoShared<dyn $trait> for A {
            fn into_shared(self) -> kernels::error::Result<$crate::shared::Shared<dyn $trait>> {
                self.check()?;
                Ok($crate::shared::Shared::new(std::sync::Arc::new(self), std::any::type_name::<A>()))
            }
        }

        impl $crate::shared::IntoShared<dyn $trait> for &str {
            fn into_shared(self) -> kernels::error::Result<$crate::shared::Shared<dyn $trait>> {
                $named(self)
            }
        }

        impl $crate::shared::IntoShared<dyn $trait> for Box<dyn $trait> {
            fn into_shared(self) -> kernels::error::Result<$crate::shared::Shared<dyn $trait>> {
                self.check()?;
                Ok($crate::shared::Shared::new(self.into(), stringify!($trait)))
            }
        }

        impl $crate::shared::IntoShared<dyn $trait> for std::sync::Arc<dyn $trait> {
            fn into_shared(self) -> kernels::error::Result<$crate::shared::Shared<dyn $trait>> {
                self.check()?;
                Ok($crate::shared::Shared::new(self, stringify!($trait)))
            }
        }
    };
}
pub(crate) use shared_objects;

/// The error for a name that is not known, with those that are near to it.
#[cold]
pub(crate) fn unknown(kind: &str, name: &str, known: &[&str]) -> Error {
    let mut near: Vec<(usize, &str)> = known.iter().map(|other| (distance(name, other), *other)).collect();
    near.sort();
    let near: Vec<String> = near.iter().take(3).map(|(_, other)| format!("\"{other}\"")).collect();
    Error::invalid_argument(kind, format!("there is no {kind} of this name"))
        .got(format!("\"{name}\""))
        .expected(format!("one of {} names, of which {} are near", known.len(), near.join(", ")))
}

/// How many letters must be put in, left out or changed to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = corner + usize::from(!x.eq_ignore_ascii_case(y));
            corner = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_first() {
        assert_eq!((distance("relu", "relu"), distance("rleu", "relu"), distance("", "abc")), (0, 2, 3));
        let text = unknown("activation", "leakyrelu", &["tanh", "leaky_relu", "elu", "softmax"]).to_string();
        assert!(text.contains("\"leakyrelu\"") && text.contains("4 names, of which \"leaky_relu\""), "{text}");
    }
}
