//! Options that may be refused: what numbers they may be, and the two forms in which they are set, at whose line an error is.
//! Layers, initializers and optimizers declare theirs with [`options`] and check them with the functions here.

pub use kernels::error::OrFail;
use kernels::error::{Error, Result};
use std::fmt::Display;

#[cold]
fn refused(owner: &str, option: &str, got: impl Display, expected: &str) -> Error {
    Error::invalid_argument(owner, format!("`{option}` is out of range")).got(got).expected(expected)
}

/// A number of units, filters or groups: at least 1.
pub fn count(owner: &str, option: &str, n: usize) -> Result<usize> {
    match n {
        0 => Err(refused(owner, option, n, "at least 1")),
        n => Ok(n),
    }
}

/// A share: from 0 to 1.
pub fn share(owner: &str, option: &str, x: f64) -> Result<f64> {
    match (0.0..=1.0).contains(&x) {
        true => Ok(x),
        false => Err(refused(owner, option, x, "a number from 0 to 1")),
    }
}

/// How much of a running mean is kept: from 0 up to 1, which would keep it for ever.
pub fn decay(owner: &str, option: &str, x: f64) -> Result<f64> {
    match (0.0..1.0).contains(&x) {
        true => Ok(x),
        false => Err(refused(owner, option, x, "a number from 0 up to, and not, 1")),
    }
}

/// A number of at least 0, and no infinity.
pub fn magnitude(owner: &str, option: &str, x: f64) -> Result<f64> {
    match x.is_finite() && x >= 0.0 {
        true => Ok(x),
        false => Err(refused(owner, option, x, "a finite number of at least 0")),
    }
}

/// A number above 0, and no infinity.
pub fn positive(owner: &str, option: &str, x: f64) -> Result<f64> {
    match x.is_finite() && x > 0.0 {
        true => Ok(x),
        false => Err(refused(owner, option, x, "a finite number above 0")),
    }
}

/// A number of at least `least`, and no infinity.
pub fn at_least(owner: &str, option: &str, x: f64, least: f64) -> Result<f64> {
    match x.is_finite() && x >= least {
        true => Ok(x),
        false => Err(refused(owner, option, x, &format!("a finite number of at least {least}"))),
    }
}

/// A number of at most 0, and no infinity.
pub fn not_above_zero(owner: &str, option: &str, x: f64) -> Result<f64> {
    match x.is_finite() && x <= 0.0 {
        true => Ok(x),
        false => Err(refused(owner, option, x, "a finite number of at most 0")),
    }
}

/// A number of steps or the like: at least `least`.
pub fn count_from(owner: &str, option: &str, n: usize, least: usize) -> Result<usize> {
    match n >= least {
        true => Ok(n),
        false => Err(refused(owner, option, n, &format!("at least {least}"))),
    }
}

/// Any number but infinities and nan.
pub fn finite(owner: &str, option: &str, x: f64) -> Result<f64> {
    match x.is_finite() {
        true => Ok(x),
        false => Err(refused(owner, option, x, "a finite number")),
    }
}

#[doc(hidden)]
#[macro_export]
/// Writes methods that set an option, each with its `try_` twin. The body answers an error, or the changed value.
macro_rules! __options {
    ($owner:ident: $($options:tt)*) => {
        $crate::options::options! { [] $owner: $($options)* }
    };
    ([$($generics:tt)*] $owner:ty: $(
        $(#[$doc:meta])*
        pub fn $name:ident, $try_name:ident($this:ident, $value:ident: $ty:ty) $body:block
    )*) => {
        impl<$($generics)*> $owner {$(
            $(#[$doc])*
            ///
            /// # Panics
            #[doc = concat!("As [`", stringify!($try_name), "`](Self::", stringify!($try_name), ") fails, at the caller's line.")]
            #[track_caller]
            pub fn $name(self, $value: $ty) -> Self {
                $crate::options::OrFail::or_fail(self.$try_name($value))
            }

            #[doc = concat!("As [`", stringify!($name), "`](Self::", stringify!($name), "), for a value that comes from data.")]
            ///
            /// # Errors
            /// InvalidArgument for a value that is out of range, or does not go with the other options.
            #[track_caller]
            pub fn $try_name(self, $value: $ty) -> $crate::Result<Self> {
                let here = std::panic::Location::caller();
                let set = |mut $this: Self| -> $crate::Result<Self> { $body };
                set(self).map_err(|e| e.at(here))
            }
        )*}
    };
}
pub use crate::__options as options;
