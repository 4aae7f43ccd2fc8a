//! [`Tried`]: what the operator `?` may be asked of. Generated code asks where `?` may leave from a branch of the graph.

use crate::structure::type_id;
use kernels::error::Error;
use std::ops::ControlFlow;

/// A value of which `?` makes a result, or leaves.
pub trait Tried {
    /// What it leaves with, in words, and the text of the error if it is of a known type; nothing where it goes on.
    fn leaves(&self) -> Option<(&'static str, Option<String>)>;

    /// Whether it is an error of any type.
    fn is_error(&self) -> bool {
        false
    }
}

impl<T, E> Tried for Result<T, E> {
    fn leaves(&self) -> Option<(&'static str, Option<String>)> {
        // What the library itself says is what recording the branch fails with, taken or not: the function gives it back.
        let error = self.as_ref().err().filter(|_| type_id::<E>() != type_id::<Error>())?;
        Some(("an `Err`", text(error)))
    }

    fn is_error(&self) -> bool {
        self.is_err()
    }
}

impl<T> Tried for Option<T> {
    fn leaves(&self) -> Option<(&'static str, Option<String>)> {
        self.is_none().then_some(("a `None`", None))
    }
}

impl<B, C> Tried for ControlFlow<B, C> {
    fn leaves(&self) -> Option<(&'static str, Option<String>)> {
        self.is_break().then_some(("a `Break`", None))
    }
}

/// What an error says, of the types that most functions give.
fn text<E>(error: &E) -> Option<String> {
    type Boxed = Box<dyn std::error::Error>;
    type Sent = Box<dyn std::error::Error + Send + Sync>;
    let at = std::ptr::from_ref(error);
    let is = type_id::<E>();
    // SAFETY: the type is the one that is read. Its identity may leave out a lifetime, of a box, but the text is made at once.
    unsafe {
        match () {
            () if is == type_id::<String>() => Some((*at.cast::<String>()).clone()),
            () if is == type_id::<Boxed>() => Some((*at.cast::<Boxed>()).to_string()),
            () if is == type_id::<Sent>() => Some((*at.cast::<Sent>()).to_string()),
            () => None,
        }
    }
}
