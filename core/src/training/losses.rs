//! What `compile` takes for a loss: an object, its name, or several of them, one for each output.
//! Trainers keep them as a list of objects.

use crate::losses::{Loss, try_get};
use kernels::error::Result;

/// A loss, its name such as `"mse"`, or a list or tuple of losses, one for each output of the model; `()` for a model whose steps need
/// none.
pub trait IntoLosses {
    /// The losses.
    ///
    /// # Errors
    /// NotFound for a name that is none, with those that are near.
    fn into_losses(self) -> Result<Vec<Box<dyn Loss>>>;
}

impl IntoLosses for () {
    fn into_losses(self) -> Result<Vec<Box<dyn Loss>>> {
        Ok(Vec::new())
    }
}

impl IntoLosses for &str {
    #[track_caller]
    fn into_losses(self) -> Result<Vec<Box<dyn Loss>>> {
        Ok(vec![named(self)?])
    }
}

impl IntoLosses for Vec<Box<dyn Loss>> {
    fn into_losses(self) -> Result<Self> {
        Ok(self)
    }
}

impl<const N: usize> IntoLosses for [&str; N] {
    #[track_caller]
    fn into_losses(self) -> Result<Vec<Box<dyn Loss>>> {
        let mut all = Vec::new();
        for name in self {
            all.push(named(name)?);
        }
        Ok(all)
    }
}

impl<L: Loss + 'static> IntoLosses for L {
    fn into_losses(self) -> Result<Vec<Box<dyn Loss>>> {
        Ok(vec![Box::new(self)])
    }
}

macro_rules! tuples {
    ($($name:ident $index:tt),*) => {
        impl<$($name: IntoLosses),*> IntoLosses for ($($name,)*) {
            #[track_caller]
            fn into_losses(self) -> Result<Vec<Box<dyn Loss>>> {
                let mut all = Vec::new();
                $(all.extend(self.$index.into_losses()?);)*
                Ok(all)
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);

/// The loss of a name; where it is that of a metric, the error says so.
#[track_caller]
fn named(name: &str) -> Result<Box<dyn Loss>> {
    // Not a closure, which has no caller's line.
    match try_get(name) {
        Err(error) if crate::metrics::try_get(name).is_ok() => {
            Err(error
                .help(format!("`{name}` is a metric, which cannot be trained by: give it to `metrics([\"{name}\"])`")))
        }
        found => found,
    }
}
